#include "passes/buffers/shared_storage.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_map>

#include "passes/buffers/elementwise.h"
#include "passes/buffers/twin_writes.h"
#include "passes/common/reroute.h"

namespace sdfg {
namespace {

using Point = StateFlow::Point;

/// Budgets: uses of the two containers compared with each other in one state, and states that one
/// value is followed through.
constexpr std::size_t most_uses = 16384, most_visits = 100000;

/// A use in the coordinates of `to`.
struct Placed : Use {
  bool link = false;  ///< copies elements between the two containers onto themselves
};

/// Does a nested SDFG read what comes in at one connector before it writes, at the same place, what
/// goes out at another? Within one map, the caller has assumed that.
bool reads_first(Sdfg& sdfg, const std::string& in, const std::string& out) {
  BufferProgram inside(sdfg, {}, {});
  std::set<Point> behind;  // points that run after something was written
  std::vector<Point> open;
  const auto follow = [&](Point p) {
    for (Point next : inside.flow.next(p))
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
        if (!one_map && (r.end == w.begin || !inside.order(p).reaches(r.end, w.begin))) return false;
      }
    if (!writes.writes.empty()) follow(p);
  }
  while (!open.empty()) {
    const Point p = open.back();
    open.pop_back();
    if (inside.nodes(in).contains(p) && !inside.uses(in, p).reads.empty()) return false;
    follow(p);
  }
  return true;
}

class Check {
 public:
  Check(BufferProgram& program, Sharing& sharing, bool assume_pointwise)
      : p_(program), sharing_(sharing), pointwise_(assume_pointwise) {}

  Refusal run() {
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

 private:
  const std::string& from() const { return sharing_.from; }
  const std::string& to() const { return sharing_.to; }
  std::string where(Point p) const { return "state " + p_.flow.block(p)->label; }
  Order& order(Point p) { return p_.order(p); }
  /// What one code node does is in no order, but for access nodes: there, writes come first.
  bool before(Point p, const Use& a, const Use& b) {
    if (a.end == b.begin) return p_.flow.state(p)->operator[](a.end).is<AccessNode>();
    return order(p).reaches(a.end, b.begin);
  }

  /// Numbers decide most questions about pieces of large containers, at little cost.
  static bool apart(const Subset& a, const Subset& b) {
    for (std::size_t d = 0; d < a.rank() && d < b.rank(); ++d) {
      const auto a0 = a[d].begin.as_integer(), a1 = a[d].end.as_integer();
      const auto b0 = b[d].begin.as_integer(), b1 = b[d].end.as_integer();
      if (a0 && a1 && b0 && b1 && (std::max(*a0, *a1) < std::min(*b0, *b1) ||
                                   std::max(*b0, *b1) < std::min(*a0, *a1)))
        return a[d].tile == Expr(1) && b[d].tile == Expr(1);
    }
    return false;
  }
  bool overlap(const std::optional<Subset>& a, const std::optional<Subset>& b) const {
    if (a && b && apart(*a, *b)) return false;
    return !a || !b || intersects(*a, *b, p_.assumptions) != Truth::No;
  }
  bool contains(const std::optional<Subset>& outer, const std::optional<Subset>& inner) const {
    if (!outer || !inner) return false;
    return *outer == *inner || certain(covers(*outer, *inner, p_.assumptions));
  }
  /// Does the box hold all that the two have in common?
  bool contains_both(const std::optional<Subset>& outer, const std::optional<Subset>& a,
                     const std::optional<Subset>& b) const {
    if (contains(outer, a) || contains(outer, b)) return true;
    if (!outer || !a || !b || a->rank() != b->rank()) return false;
    Subset common = *a;
    for (std::size_t d = 0; d < common.rank(); ++d) {
      if ((*a)[d].step != Expr(1) || (*b)[d].step != Expr(1)) return false;
      common[d] = {max((*a)[d].begin, (*b)[d].begin), min((*a)[d].end, (*b)[d].end), Expr(1)};
    }
    return contains(outer, common);
  }
  /// A box as other states see it: one whose symbols get other values on the way may be any.
  bool varies(const Subset& box) const {
    SymbolSet symbols;
    collect_symbols(box, symbols);
    return std::ranges::any_of(symbols, [&](const auto& s) { return p_.varying.contains(s); });
  }
  std::optional<Subset> abroad(const std::optional<Subset>& box) const {
    return box && !varies(*box) ? box : std::nullopt;
  }
  /// What is left of boxes when certain elements are taken away.
  void subtract(std::vector<Subset>& boxes, const Subset& cut) const {
    std::vector<Subset> left;
    for (Subset& box : boxes) {
      if (contains(cut, box)) continue;
      if (intersects(cut, box, p_.assumptions) == Truth::No) {
        left.push_back(std::move(box));
        continue;
      }
      auto pieces = left.size() < 16 ? difference(box, cut, p_.assumptions) : std::nullopt;
      if (!pieces)
        left.push_back(std::move(box));
      else
        std::ranges::move(*pieces, std::back_inserter(left));
    }
    boxes = std::move(left);
  }

  Refusal check_containers();
  Refusal collect_from();
  void place(Placed& use);
  void find_twin(Point p, Placed& use, std::vector<Subset>& copied);
  Refusal check_bounds(const Placed& use, const std::vector<Subset>& copied);
  bool grow(const Subset& all);
  bool is_link(Point p, EdgeId e) const { return links_.contains({p, e}); }
  /// Is the use of `to` still there?
  bool fresh(Point p, Use& use) { return refresh(*p_.flow.state(p), order(p), use); }

  // Rule 1.
  Refusal check_read(Point p, const Placed& read);
  Refusal define_after(Point p, const Use& write, const Use& read);
  Refusal search_back(Point p, std::vector<Subset> boxes);
  bool defined_before(Point p) const;

  // Rule 2.
  Refusal check_write(Point p, const Placed& write);
  bool is_copied(Point p, const Use& write, const Placed& link, const Use* read);
  std::vector<Subset> early(Point p, const Use& write, const Use* read);
  Refusal check_write_and_read(Point p, const Use& write, const Use& read);
  Refusal search_ahead(Point p, std::vector<Subset> boxes);
  Refusal pass(Point p, std::vector<Subset>& boxes);

  /// Is `to`, or what may be the same memory, used there?
  bool touched(Point p) const {
    return p_.nodes(to()).contains(p) || p_.aliases.contains(to());
  }

  using Boxes = std::shared_ptr<const std::vector<Subset>>;
  /// Points to come to with boxes that they have not been visited with.
  struct Walk {
    std::vector<std::pair<Point, Boxes>> open;
    std::unordered_map<Point, std::vector<Boxes>> seen;
    void add(const Check& check, Point p, const Boxes& boxes) {
      auto& known = seen[p];
      const auto holds = [&](const Subset& box) {
        return std::ranges::any_of(known, [&](const Boxes& k) {
          return std::ranges::any_of(*k, [&](const Subset& b) { return check.contains(b, box); });
        });
      };
      if (std::ranges::find(known, boxes) != known.end() || std::ranges::all_of(*boxes, holds)) return;
      known.push_back(boxes);
      open.emplace_back(p, boxes);
    }
    std::pair<Point, Boxes> next() {
      auto last = std::move(open.back());
      open.pop_back();
      return last;
    }
  };

  Refusal check_edges();
  bool plan(Point p, NodeId before, NodeId after);
  /// Do one map (or tasklet) read and write as the two uses say, element by element?
  enum class Together : std::uint8_t { Apart, Fine, Wrong };
  Together together(Point p, const Use& read, bool read_in_from, const Use& write);

  BufferProgram& p_;
  Sharing& sharing_;
  bool pointwise_;
  std::map<Point, std::vector<Placed>> from_;
  std::set<std::pair<Point, EdgeId>> links_;
  std::vector<Point> defining_;  ///< points that write `from`
  std::size_t first_definition_ = ~std::size_t(0);
};

Refusal Check::check_containers() {
  const Data *a = &p_.sdfg.arrays.at(from()), *b = p_.sdfg.arrays.get(to());
  if (!b) return "a member of a structure";
  if (Refusal why = Reroute::check_containers(p_.sdfg, from(), to())) return why;
  for (const Data* data : {a, b})
    if (data->is_view()) return "'" + (data == a ? from() : to()) + "' is a view";
  if (a->lifetime != Lifetime::Scope && a->lifetime != Lifetime::State &&
      a->lifetime != Lifetime::Sdfg)
    return "'" + from() + "' has lifetime " + std::string(to_text(a->lifetime));
  if (b->as_array() && b->as_array()->may_alias) return "'" + to() + "' may be other memory, too";
  if (p_.accesses.is_named(from())) return "'" + from() + "' is read by name";
  return {};
}

/// All uses of `from`, placed; which copies are links.
Refusal Check::collect_from() {
  const Data& data = *p_.sdfg.arrays.get(from());
  for (std::size_t d = 0; d < data.shape.size(); ++d)
    if (!sharing_.placement.carrier(d) && data.shape[d] != Expr(1))
      return "dimension " + std::to_string(d) + " of '" + from() + "' has no place in '" + to() + "'";
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
          placed.link = *placed.box == there || certain(same_points(*placed.box, there, p_.assumptions));
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
  if (from_.size() > 1)
    for (const auto* exprs : {&sharing_.placement.origin, &sharing_.placement.step})
      for (const Expr& e : *exprs)
        for (const std::string& symbol : free_symbols(e))
          if (p_.varying.contains(symbol))
            return "where '" + from() + "' lies in '" + to() + "' depends on '" + symbol +
                   "', which changes between the states that use it";
  for (const auto& [point, list] : from_)
    for (const Placed& use : list)
      if (!use.link)
        if (Refusal why = check_bounds(use, copied)) return why;
  return {};
}

/// A write whose map writes the same to `to` is a link: the two agree behind it.
void Check::find_twin(Point p, Placed& use, std::vector<Subset>& copied) {
  const State& state = *p_.flow.state(p);
  if (use.viewed) return;
  const auto twin = twin_of(state, use.edge, to(), sharing_.placement, p_.assumptions);
  if (!twin) return;
  const NodeId mine = state.target(use.edge), theirs = state.target(*twin);
  Sharing::At stays{p, *twin}, goes{p, use.edge};
  if (order(p).reaches(mine, theirs)) std::swap(stays, goes);
  sharing_.twins.push_back({stays, goes});
  use.link = true;
  links_.insert({{p, use.edge}, {p, *twin}});
  copied.push_back(*use.box);
}

void Check::place(Placed& use) {
  if (!use.box) use.box = Subset::whole(p_.sdfg.arrays.at(from()).shape), use.exact = false;
  use.box = sharing_.placement.map(*use.box);
}

/// What is used of `from` must exist in `to`.
Refusal Check::check_bounds(const Placed& use, const std::vector<Subset>& copied) {
  if (!sharing_.grown.empty()) return {};
  for (const Subset& box : copied)
    if (contains(box, use.box)) return {};
  const Data& data = *p_.sdfg.arrays.get(to());
  if (contains(Subset::whole(data.shape), use.box)) return {};
  // Every use lies within `from`: it is enough that all of that has a place.
  const Subset all = sharing_.placement.map(Subset::whole(p_.sdfg.arrays.get(from())->shape));
  if (contains(Subset::whole(data.shape), all)) return {};
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
  if (grow(all)) return {};
  return "'" + from() + "' is used beyond what is copied: [" + to_text(*use.box) + "] of '" + to() +
         "' may not exist";
}

/// Can `to` get the elements that it lacks, behind its last ones in one dimension? In the others
/// `from` has to fill it, or the box around both would need more memory than both do.
bool Check::grow(const Subset& all) {
  const Data& data = *p_.sdfg.arrays.get(to());
  const Array* array = data.as_array();
  const auto ordered = [&](const Expr& a, const Expr& b) {
    return certain(less_equal(a, b, p_.assumptions));
  };
  if (!array || !data.transient || array->strides != c_strides(data.shape)) return false;
  std::optional<std::size_t> grows;
  for (std::size_t d = 0; d < data.shape.size(); ++d) {
    if (all[d].step != Expr(1) || !ordered(0, all[d].begin)) return false;
    if (all[d] == Range{Expr(0), data.shape[d] - 1, Expr(1)}) continue;
    if (grows || !ordered(data.shape[d], all[d].end + 1)) return false;
    grows = d;
  }
  if (!grows) return false;
  sharing_.grown = data.shape;
  sharing_.grown[*grows] = all[*grows].end + 1;
  return true;
}

// ---- Rule 1: no foreign write into elements that are still read as `from`.

Refusal Check::check_read(Point p, const Placed& read) {
  auto& there = p_.uses(to(), p);
  if (there.why) return there.why;
  if (there.writes.size() > most_uses) return "'" + to() + "' is written too often in one state";
  std::vector<Subset> boxes{*read.box};
  for (const Placed& def : from_[p])
    if (def.write && def.exact && !def.combines && before(p, def, read)) subtract(boxes, *def.box);
  const bool earlier = defined_before(p);
  if (!earlier) boxes.clear();  // what is left was never written
  for (Use& write : there.writes) {
    if (!overlap(write.box, read.box) || is_link(p, write.edge) || !fresh(p, write)) continue;
    if (before(p, read, write)) continue;
    const Together both = together(p, read, true, write);
    if (both == Together::Fine) continue;
    if (both == Together::Apart && !before(p, write, read) && plan(p, read.end, write.begin)) continue;
    for (const Subset& box : boxes)
      if (overlap(write.box, box))
        return "'" + to() + "' is written in " + where(p) + " while '" + from() +
               "' holds what is read there";
    if (Refusal w = define_after(p, write, read)) return w;
  }
  return boxes.empty() ? Refusal() : search_back(p, std::move(boxes));
}

/// The write comes before everything that gives `from` the values read.
Refusal Check::define_after(Point p, const Use& write, const Use& read) {
  for (const Placed& def : from_[p]) {
    if (!def.write || !overlap(def.box, write.box) || before(p, read, def)) continue;
    if (before(p, write, def)) continue;
    if (!before(p, def, write) && plan(p, write.end, def.begin)) continue;
    const auto text = write.box ? "[" + to_text(*write.box) + "]" : std::string();
    return "'" + to() + "'" + text + " is written in " + where(p) + " while '" + from() +
           "' is still read";
  }
  return {};
}

/// Can `from` have been written before this point is reached (again)?
bool Check::defined_before(Point p) const {
  return std::ranges::any_of(defining_, [&](Point d) {
    return d == p ? p_.flow.repeats(p) : p_.flow.rank(d) <= p_.flow.rank(p);
  });
}

Refusal Check::search_back(Point start, std::vector<Subset> boxes) {
  if (std::ranges::any_of(boxes, [&](const Subset& box) { return varies(box); }))
    return "what '" + from() + "' holds in " + where(start) + " is of an earlier state, and where it lies"
           " in '" + to() + "' changes";
  Walk walk;
  const Boxes all = std::make_shared<const std::vector<Subset>>(std::move(boxes));
  for (Point q : p_.flow.previous(start)) walk.add(*this, q, all);
  for (std::size_t visits = 0; !walk.open.empty(); ++visits) {
    const auto [q, set] = walk.next();
    if (p_.flow.rank(q) < first_definition_) continue;
    if (visits > most_visits) return "too many states between the uses of '" + from() + "'";
    const auto here = from_.find(q);
    if (here == from_.end() && !touched(q)) {
      for (Point next : p_.flow.previous(q)) walk.add(*this, next, set);
      continue;
    }
    std::vector<Subset> left = *set;
    auto& there = p_.uses(to(), q);
    if (there.why) return there.why;
    for (Use& write : there.writes) {
      if (is_link(q, write.edge) || !fresh(q, write)) continue;
      for (const Subset& box : left) {
        if (!overlap(abroad(write.box), box)) continue;
        const bool redefined =
            here != from_.end() && std::ranges::any_of(here->second, [&](const Placed& def) {
              return def.write && def.exact && before(q, write, def) &&
                     (contains(abroad(def.box), box) || contains(def.box, write.box));
            });
        if (!redefined)
          return "'" + to() + "' is written in " + where(q) + " while '" + from() +
                 "' is still read";
      }
    }
    if (here != from_.end())
      for (const Placed& def : here->second)
        if (def.write && def.exact && !def.combines && abroad(def.box)) subtract(left, *def.box);
    const Boxes rest = std::make_shared<const std::vector<Subset>>(std::move(left));
    for (Point next : p_.flow.previous(q)) walk.add(*this, next, rest);
  }
  return {};
}

// ---- Rule 2: nobody reads in `to` what a write to `from` now puts there too early.

Refusal Check::check_write(Point p, const Placed& write) {
  if (p_.accesses.is_named(to())) return "'" + to() + "' is read by name";
  auto& there = p_.uses(to(), p);
  if (there.why) return there.why;
  if (there.reads.size() + there.writes.size() > most_uses)
    return "'" + to() + "' is used too often in one state";
  std::vector<Subset> boxes = early(p, write, nullptr);
  for (Use& read : there.reads)
    if (overlap(read.box, write.box) && fresh(p, read))
      if (Refusal why = check_write_and_read(p, write, read)) return why;
  for (Use& other : there.writes) {
    if (!overlap(other.box, write.box) || is_link(p, other.edge) || !fresh(p, other)) continue;
    if (other.combines)
      if (Refusal why = check_write_and_read(p, write, other)) return why;
    if (before(p, other, write) || before(p, write, other)) continue;
    const bool ordered = std::ranges::any_of(sharing_.order, [&](const Sharing::Ordering& o) {
      return o.point == p && o.from == other.end && o.to == write.begin;
    });
    if (!ordered)
      return "'" + from() + "' and '" + to() + "' are written in " + where(p) + " in any order";
  }
  return boxes.empty() ? Refusal() : search_ahead(p, std::move(boxes));
}

/// Is what `write` gave `from` copied by the link before `read` looks at `to` (none: ever)?
bool Check::is_copied(Point p, const Use& write, const Placed& link, const Use* read) {
  if (!link.link || link.write || !before(p, write, link)) return false;
  return !read || (link.edge != read->edge &&
                   order(p).reaches(p_.flow.state(p)->target(link.edge), read->begin));
}

/// The elements of `to` that hold what `write` gave `from` when they should not: it has neither been
/// copied nor overwritten by the time that `read` looks (none: by the end of the state).
std::vector<Subset> Check::early(Point p, const Use& write, const Use* read) {
  std::vector<Subset> boxes{*write.box};
  for (const Placed& link : from_[p])
    if (is_copied(p, write, link, read)) subtract(boxes, *link.box);
  for (Use& other : p_.uses(to(), p).writes) {
    if (boxes.empty()) break;
    if (other.exact && !other.combines && other.box && !is_link(p, other.edge) && fresh(p, other) &&
        before(p, write, other) && (!read || before(p, other, *read)))
      subtract(boxes, *other.box);
  }
  return boxes;
}

Refusal Check::check_write_and_read(Point p, const Use& write, const Use& read) {
  if (before(p, read, write)) return {};
  const Together both = together(p, read, false, write);
  if (both == Together::Fine) return {};
  for (const Placed& link : from_[p])
    if (is_copied(p, write, link, &read) && contains_both(link.box, write.box, read.box))
      return {};
  if (write.box && std::ranges::none_of(early(p, write, &read), [&](const Subset& box) {
        return overlap(box, read.box);
      }))
    return {};
  if (both == Together::Apart && !before(p, write, read) && plan(p, read.end, write.begin)) return {};
  const std::string box = read.box ? "[" + to_text(*read.box) + "]" : "";
  if (both == Together::Wrong)
    return "the node that writes '" + from() + "' reads '" + to() + "'" + box +
           ", not certainly the same elements";
  return "'" + to() + "'" + box + " is read in " + where(p) + " after '" + from() +
         "' is written and before that is copied";
}

Refusal Check::search_ahead(Point start, std::vector<Subset> boxes) {
  const std::string clash = "part of '" + from() + "' is written and not copied to '" + to() + "'";
  if (std::ranges::any_of(boxes, [&](const Subset& box) { return varies(box); }))
    return clash + " in the same state";
  const bool callers = !p_.sdfg.arrays.get(to())->transient;
  Walk walk;
  const Boxes all = std::make_shared<const std::vector<Subset>>(std::move(boxes));
  for (Point q : p_.flow.next(start)) walk.add(*this, q, all);
  for (std::size_t visits = 0; !walk.open.empty(); ++visits) {
    const auto [q, set] = walk.next();
    if (visits > most_visits) return "too many states behind '" + from() + "'";
    if (q == p_.flow.exit()) {
      if (callers) return clash + " on every path, where the caller would see it";
      continue;
    }
    Boxes rest = set;
    if (from_.contains(q) || touched(q)) {
      std::vector<Subset> left = *set;
      if (Refusal why = pass(q, left)) return why;
      rest = std::make_shared<const std::vector<Subset>>(std::move(left));
    }
    for (Point next : p_.flow.next(q)) walk.add(*this, next, rest);
  }
  return {};
}

/// What happens in one state to elements of `to` that hold a value of `from` too early.
Refusal Check::pass(Point p, std::vector<Subset>& boxes) {
  auto& there = p_.uses(to(), p);
  if (there.why) return there.why;
  std::vector<Use*> reads;
  for (Use& use : there.reads)
    if (fresh(p, use)) reads.push_back(&use);
  std::vector<Use*> writes;
  for (Use& use : there.writes) {
    if (!fresh(p, use)) continue;
    writes.push_back(&use);
    if (use.combines) reads.push_back(&use);
  }
  for (const Use* read : reads) {
    for (const Subset& box : boxes) {
      if (!overlap(abroad(read->box), box)) continue;
      const bool renewed = std::ranges::any_of(writes, [&](const Use* w) {
        return w->exact && !w->combines && before(p, *w, *read) &&
               (contains(abroad(w->box), box) || contains(w->box, read->box));
      });
      if (!renewed)
        return "'" + to() + "' is read in " + where(p) + ", where '" + from() +
               "' may have been written and not copied";
    }
  }
  for (const Use* w : writes)
    if (w->exact && !w->combines && abroad(w->box)) subtract(boxes, *w->box);
  if (const auto here = from_.find(p); here != from_.end())
    for (const Placed& w : here->second)
      if (w.write && w.exact && !w.combines && !w.link && abroad(w.box)) subtract(boxes, *w.box);
  return {};
}

// ---- Both.

Check::Together Check::together(Point p, const Use& read, bool read_in_from,
                                const Use& write) {
  const State& state = *p_.flow.state(p);
  const NodeId node = write.begin;
  if (order(p).element(read.end) != node || state[node].is<AccessNode>()) return Together::Apart;
  const Coordinates placed = [&](const Subset& s) { return sharing_.placement.map(s); };
  const Coordinates plain = [](const Subset& s) { return s; };
  const auto same = same_element(p_.sdfg, state, order(p), read, read_in_from ? placed : plain, write,
                                 read_in_from ? plain : placed);
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

/// Plans an empty edge, unless it would close a cycle with the graph and those planned before.
bool Check::plan(Point p, NodeId from, NodeId to) {
  // Edges at library nodes are operands to DaCe, empty ones too.
  const State& state = *p_.flow.state(p);
  if (state[from].is<LibraryNode>() || state[to].is<LibraryNode>()) return false;
  for (const auto& o : sharing_.order)
    if (o.point == p && o.from == from && o.to == to) return true;
  std::vector<NodeId> open{to};
  std::set<std::pair<NodeId, NodeId>> passed;
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    if (order(p).reaches(at, from) || order(p).element(at) == order(p).element(from)) return false;
    for (const auto& o : sharing_.order)
      if (o.point == p && order(p).reaches(at, o.from) && passed.emplace(o.from, o.to).second)
        open.push_back(o.to);
  }
  sharing_.order.push_back({p, from, to});
  return true;
}

/// Everything else at the access nodes must be able to follow.
Refusal Check::check_edges() {
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

}  // namespace

Refusal check_sharing(BufferProgram& program, Sharing& sharing, bool assume_pointwise) {
  return Check(program, sharing, assume_pointwise).run();
}

}  // namespace sdfg
