#include "passes/buffers/shared_storage.h"

#include <algorithm>

#include "ir/analysis/propagate.h"
#include "passes/buffers/elementwise.h"
#include "passes/buffers/sharing_check.h"
#include "passes/buffers/twin_writes.h"
#include "passes/common/order_edge.h"
#include "passes/common/reroute.h"
#include "passes/common/side_effects.h"

namespace sdfg {
namespace {

/// Does a nested SDFG read what comes in at one connector before it writes, at the same place, what
/// goes out at another? Within one map, the caller has assumed that.
bool reads_first(Sdfg& sdfg, const std::string& in, const std::string& out) {
  BufferProgram inside(sdfg, {}, {});
  std::set<StateFlow::Point> behind;  // points that run after something was written
  std::vector<StateFlow::Point> open;
  const auto follow = [&](StateFlow::Point p) {
    for (StateFlow::Point next : inside.flow.next(p))
      if (behind.insert(next).second) open.push_back(next);
  };
  for (const auto& [p, nodes] : inside.nodes(out)) {
    auto& writes = inside.uses(out, p);
    auto& reads = inside.uses(in, p);
    if (writes.why || reads.why) return false;
    for (const Use& w : writes.writes)
      for (const Use& r : reads.reads) {
        const bool one_map = inside.order(p).element(r.end) == w.begin &&
                             (*inside.flow.state(p))[w.begin].is<MapEntry>();
        if (!one_map && (r.end == w.begin || !inside.order(p).reaches(r.end, w.begin)))
          return false;
      }
    if (!writes.writes.empty()) follow(p);
  }
  while (!open.empty()) {
    const StateFlow::Point p = open.back();
    open.pop_back();
    if (inside.nodes(in).contains(p) && !inside.uses(in, p).reads.empty()) return false;
    follow(p);
  }
  return true;
}

}  // namespace

Refusal SharingCheck::run() {
  if (Refusal why = check_containers()) return why;
  if (Refusal why = collect_from()) return why;
  for (const auto& [point, list] : from_) {
    for (const Placed& use : list) {
      if (!use.write || use.combines)
        if (Refusal why = check_read(point, use)) return why;
      if (use.write && !use.link)
        if (Refusal why = check_write(point, use)) return why;
    }
  }
  return check_edges();
}

Refusal SharingCheck::check_containers() {
  const Data *a = &p_.sdfg.arrays.at(from()), *b = p_.sdfg.arrays.get(to());
  if (!b) return "a member of a structure";
  if (Refusal why = Reroute::check_containers(p_.sdfg, from(), to())) return why;
  for (const Data* data : {a, b})
    if (data->is_view()) return "'" + (data == a ? from() : to()) + "' is a view";
  for (const std::string& name : {from(), to()})
    if (p_.accesses.is_referenced(name)) return "a reference is set to '" + name + "'";
  if (outlives_run(*a))
    return "'" + from() + "' has lifetime " + std::string(to_text(a->lifetime));
  if (b->as_array() && b->as_array()->may_alias) return "'" + to() + "' may be other memory, too";
  if (p_.accesses.is_named(from())) return "'" + from() + "' is read by name";
  return {};
}

/// All uses of `from`, placed; which copies are links.
Refusal SharingCheck::collect_from() {
  const Data& data = *p_.sdfg.arrays.get(from());
  for (std::size_t d = 0; d < data.shape.size(); ++d)
    if (!sharing_.placement.carrier(d) && data.shape[d] != Expr(1))
      return "dimension " + std::to_string(d) + " of '" + from() + "' has no place in '" + to() +
             "'";
  if (p_.nodes(from()).size() > 1)
    for (const std::string& symbol : sharing_.placement.symbols())
      if (p_.varying.contains(symbol))
        return "where '" + from() + "' lies in '" + to() + "' depends on '" + symbol +
               "', which changes between the states that use it";
  std::size_t count = 0;
  std::vector<Subset> copied;
  for (const auto& [point, nodes] : p_.nodes(from())) {
    auto& here = p_.uses(from(), point);
    if (here.why) return here.why;
    std::vector<Use> uses;
    for (auto* side : {&here.reads, &here.writes})
      for (Use& use : *side)
        if (fresh(point, use)) uses.push_back(use);
    if ((count += uses.size()) > most_uses) return "'" + from() + "' has too many uses";
    auto& list = from_[point];
    for (Use& use : uses) {
      Placed placed{std::move(use)};
      place(placed);
      const State& state = *p_.flow.state(point);
      const EdgeId e = placed.edge;
      const NodeId other = placed.write ? state.source(e) : state.target(e);
      const auto* access = state[other].as<AccessNode>();
      const Memlet& memlet = state[e].memlet;
      if (access && access->data == to() && !memlet.wcr && !memlet.dynamic)
        if (const auto sides = copy_sides(p_.sdfg, state, e)) {
          const Subset& there = placed.write ? sides->src : sides->dst;
          placed.link = same_sequence(*placed.box, there, p_.assumptions);
          if (placed.link) {
            sharing_.links.push_back({point, e});
            links_.emplace(point, e);
            copied.push_back(there);
          }
        }
      if (placed.write && !placed.link && placed.box) find_twin(point, placed, copied);
      if (placed.write) {
        if (defining_.empty() || defining_.back() != point) defining_.push_back(point);
        first_definition_ = std::min(first_definition_, p_.flow.rank(point));
      }
      list.push_back(std::move(placed));
    }
  }
  if (copied.empty()) return "no copy joins them";
  for (const auto& [point, list] : from_)
    for (const Placed& use : list)
      if (!use.link)
        if (Refusal why = check_bounds(use, copied)) return why;
  return {};
}

/// A write whose map writes the same to `to` is a link: the two agree behind it.
void SharingCheck::find_twin(Point p, Placed& use, std::vector<Subset>& copied) {
  const State& state = *p_.flow.state(p);
  if (use.viewed) return;
  const auto twin = twin_of(p_.sdfg, state, use.edge, to(), sharing_.placement, p_.assumptions);
  if (!twin) return;
  const NodeId mine = state.target(use.edge), theirs = state.target(*twin);
  Sharing::At stays{p, *twin}, goes{p, use.edge};
  if (order(p).reaches(mine, theirs)) std::swap(stays, goes);
  if (closes_cycle(p, state.target(stays.edge), state.target(goes.edge))) return;
  sharing_.twins.push_back({stays, goes});
  use.link = true;
  links_.insert({{p, use.edge}, {p, *twin}});
  copied.push_back(*use.box);
}

void SharingCheck::place(Placed& use) {
  if (!use.box) use.box = all_elements(p_.sdfg.arrays.at(from())), use.exact = false;
  use.box = sharing_.placement.map(*use.box);
}

/// What is used of `from` must exist in `to`.
Refusal SharingCheck::check_bounds(const Placed& use, const std::vector<Subset>& copied) {
  if (!sharing_.grown.empty()) return {};
  for (const Subset& box : copied)
    if (contains(box, use.box)) return {};
  const Data& data = *p_.sdfg.arrays.get(to());
  if (contains(all_elements(data), use.box)) return {};
  // Every use lies within `from`: it is enough that all of that has a place.
  const Subset all = sharing_.placement.map(all_elements(*p_.sdfg.arrays.get(from())));
  if (contains(all_elements(data), all)) return {};
  for (const Subset& box : copied)
    if (contains(box, all)) return {};
  // A container is a box: what lies between two elements that exist does, too.
  std::optional<Subset> hull;
  for (const Subset& box : copied)
    if (std::ranges::all_of(box.ranges, [&](const Range& r) {
          return certain(less_equal(r.begin, r.end, p_.assumptions));
        }))
      hull = hull ? bounding_box(*hull, box, p_.assumptions) : box;
  if (hull && (contains(*hull, use.box) || contains(*hull, all))) return {};
  // Several copies may hold all of it together.
  if (copied.size() > 1) {
    std::vector<Subset> left{*use.box};
    for (const Subset& box : copied) subtract(left, box);
    if (left.empty()) return {};
  }
  if (grow(all)) return {};
  return "'" + from() + "' is used beyond what is copied: [" + to_text(*use.box) + "] of '" + to() +
         "' may not exist";
}

/// Can `to` get the elements that it lacks, behind its last ones in one dimension? In the others
/// `from` has to fill it, or the box around both would need more memory than both do.
bool SharingCheck::grow(const Subset& all) {
  const Data& data = *p_.sdfg.arrays.get(to());
  const Array* array = data.as_array();
  const auto ordered = [&](const Expr& a, const Expr& b) {
    return certain(less_equal(a, b, p_.assumptions));
  };
  if (!array || !data.transient || array->strides != c_strides(data.shape)) return false;
  const Subset mine = all_elements(data);
  std::optional<std::size_t> grows;
  for (std::size_t d = 0; d < data.shape.size(); ++d) {
    if (all[d].step != Expr(1) || !ordered(mine[d].begin, all[d].begin)) return false;
    if (all[d] == mine[d]) continue;
    if (grows || !ordered(mine[d].end, all[d].end)) return false;
    grows = d;
  }
  if (!grows) return false;
  sharing_.grown = data.shape;
  sharing_.grown[*grows] = all[*grows].end - mine[*grows].begin + 1;
  return true;
}

SharingCheck::Together SharingCheck::together(Point p, const Use& read, bool read_in_from,
                                              const Use& write) {
  const State& state = *p_.flow.state(p);
  const NodeId node = write.begin;
  if (order(p).element(read.end) != node || state[node].is<AccessNode>()) return Together::Apart;
  const Coordinates placed = [&](const Subset& s) { return sharing_.placement.map(s); };
  const Coordinates plain = [](const Subset& s) { return s; };
  const auto same = same_element(p_.sdfg, state, order(p), read, read_in_from ? placed : plain,
                                 write, read_in_from ? plain : placed);
  if (same.answer == Truth::No) return Together::Wrong;
  if (same.answer == Truth::Unknown && !pointwise_) return Together::Wrong;
  const auto* nested = state[node].as<NestedSdfg>();
  if (nested && (!nested->sdfg || read.viewed || write.viewed ||
                 !reads_first(const_cast<Sdfg&>(**nested->sdfg), state[read.edge].dst_connector,
                              state[write.edge].src_connector)))
    return Together::Wrong;
  for (const auto& [from, to] : same.order)
    if (!plan(p, from, to)) return Together::Wrong;
  for (const auto& [edge, writer] : same.early) {
    const bool known = std::ranges::any_of(sharing_.early, [&](const Sharing::EarlyRead& e) {
      return e.point == p && e.edge == edge && e.writer == writer;
    });
    if (!known) sharing_.early.push_back({p, edge, writer});
  }
  return Together::Fine;
}

/// Plans an empty edge, unless it would close a cycle.
bool SharingCheck::plan(Point p, NodeId from, NodeId to) {
  const State& state = *p_.flow.state(p);
  const auto end = end_to_wait_for(state, from);
  // Edges at library nodes are operands to DaCe, empty ones too.
  if (!end || state[to].is<LibraryNode>()) return false;
  from = *end;
  for (const auto& o : sharing_.order)
    if (o.point == p && o.from == from && o.to == to) return true;
  if (closes_cycle(p, from, to)) return false;
  sharing_.order.push_back({p, from, to});
  return true;
}

/// With the graph, the edges planned, and those from what a map goes on writing to what it leaves
/// out.
bool SharingCheck::closes_cycle(Point p, NodeId from, NodeId to) {
  const State& state = *p_.flow.state(p);
  std::vector<NodeId> open{to};
  std::set<std::pair<NodeId, NodeId>> passed;
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    if (order(p).reaches(at, from) || order(p).element(at) == order(p).element(from)) return true;
    const auto follow = [&](NodeId before, NodeId after) {
      if (order(p).reaches(at, before) && passed.emplace(before, after).second)
        open.push_back(after);
    };
    for (const auto& o : sharing_.order)
      if (o.point == p) follow(o.from, o.to);
    for (const auto& twin : sharing_.twins)
      if (twin.goes.point == p)
        follow(state.target(twin.stays.edge), state.target(twin.goes.edge));
  }
  return false;
}

/// Everything else at the access nodes must be able to follow.
Refusal SharingCheck::check_edges() {
  for (const auto& [point, nodes] : p_.nodes(from())) {
    State& state = *p_.flow.state(point);
    Reroute reroute(p_.sdfg, state, p_.accesses, {from(), to(), sharing_.placement});
    for (NodeId n : nodes) {
      const auto check = [&](EdgeId e) -> Refusal {
        const bool link = std::ranges::any_of(sharing_.links, [&](const Sharing::At& l) {
          return l.point == point && l.edge == e;
        });
        return link ? Refusal() : reroute.check(e, n);
      };
      for (EdgeId e : state.in(n))
        if (Refusal why = check(e)) return why;
      for (EdgeId e : state.out(n))
        if (Refusal why = check(e)) return why;
    }
  }
  return {};
}

Refusal check_sharing(BufferProgram& program, Sharing& sharing, bool assume_pointwise) {
  return SharingCheck(program, sharing, assume_pointwise).run();
}

}  // namespace sdfg
