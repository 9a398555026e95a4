#include "passes/buffers/elementwise.h"

#include <algorithm>

#include "ir/replace.h"
#include "passes/common/copy.h"
#include "passes/common/gathers.h"
#include "passes/common/relayout.h"

namespace sdfg {
namespace {

struct Leaf {
  EdgeId edge;
  std::optional<Subset> subset;
  SymbolSet own;  ///< names that scopes between the map and the leaf bind
};

void add_bound_names(const State& state, NodeId entry, SymbolSet& names) {
  for (std::string& name : names_of_scope(state[entry])) names.insert(std::move(name));
}

/// Those that are brought in by `at`, and mean something else in scopes around the leaf, make what
/// it touches unknown.
std::vector<Leaf> leaves(const Sdfg& sdfg, const State& state, const Order& order, NodeId map,
                         const Use& use, const Coordinates& at) {
  std::vector<Leaf> out;
  for (const auto& [edge, leaf] : edges_from(state, use.edge, use.node)) {
    if (!leaf) continue;
    const Memlet& memlet = state[edge].memlet;
    auto subset = use.write ? memlet.dst_subset : memlet.src_subset;
    if (const auto sides = copy_sides(sdfg, state, edge))
      subset = use.write ? sides->dst : sides->src;
    SymbolSet own;
    const NodeId end = use.write ? state.source(edge) : state.target(edge);
    for (NodeId scope = order.scope_of(end); scope && scope != map; scope = order.scope_of(scope))
      add_bound_names(state, scope, own);
    if (subset) {
      SymbolSet bound = own, brought;
      add_bound_names(state, map, bound);
      collect_symbols(at(Subset::index(std::vector<Expr>(subset->rank(), Expr(0)))), brought);
      const bool hidden =
          std::ranges::any_of(brought, [&](const auto& name) { return bound.contains(name); });
      subset = hidden ? std::nullopt : std::optional(at(*subset));
    }
    out.push_back({edge, std::move(subset), std::move(own)});
  }
  return out;
}

/// Do different points of the map always touch different elements?
bool tells_points_apart(const Subset& subset, const MapEntry& map) {
  return std::ranges::all_of(map.params, [&](const std::string& param) {
    return std::ranges::any_of(subset.ranges, [&](const Range& r) {
      if (!r.is_index()) return false;
      const auto affine = match_affine(r.begin, param);
      if (!affine || affine->coefficient.as_integer().value_or(0) == 0) return false;
      return std::ranges::none_of(map.params, [&](const std::string& other) {
        return other != param && uses_symbol(affine->rest, other);
      });
    });
  });
}

bool is_one(const std::optional<Subset>& subset) {
  return subset && num_elements(*subset) == Expr(1);
}

/// Does a tasklet read the value before it writes the other one? Plain values are read before the
/// code runs, and written after it.
bool reads_first(const State& state, EdgeId read, EdgeId write) {
  return !state[read].memlet.dynamic || !state[write].memlet.dynamic;
}

class Map {
 public:
  Map(const Sdfg& sdfg, const State& state, const Order& order, NodeId entry)
      : sdfg_(sdfg), state_(state), order_(order), entry_(entry),
        map_(state.get<MapEntry>(entry)) {}

  SameElement compare(const std::vector<Leaf>& reads, const std::vector<Leaf>& writes) {
    SameElement out{Truth::Yes, {}, {}};
    for (const Leaf& w : writes) {
      if (!w.subset || order_.scope_of(order_.element(state_.source(w.edge))) != entry_)
        return {};
      for (const Leaf& r : reads) {
        if (!r.subset) return {};
        const Distance distance = compare(*r.subset, *w.subset, r.own);
        if (distance == Distance::Disjoint) continue;
        if (distance != Distance::Same) {
          const bool another = distance == Distance::Shifted || gathers(state_, r.edge);
          return {another ? Truth::No : Truth::Unknown, {}, {}};
        }
        if (!tells_points_apart(*w.subset, map_)) return {};
        // No assumption about elements helps where one iteration reads what it has overwritten.
        if (!order_point(r, w, out)) return {Truth::No, {}, {}};
      }
    }
    return out;
  }

 private:
  enum class Distance : std::uint8_t { Same, Disjoint, Shifted, Unknown };

  /// What one point reads beside what it writes: the same element; elements that no point writes;
  /// the element of another point; or nobody knows. `own`: names that mean something else in `b`.
  Distance compare(const Subset& a, const Subset& b, const SymbolSet& own) const {
    const auto mentions_own = [&](const Range& r) {
      return std::ranges::any_of(own, [&](const auto& name) {
        return uses_symbol(r.begin, name) || uses_symbol(r.end, name);
      });
    };
    if (a == b && std::ranges::none_of(a.ranges, mentions_own)) return Distance::Same;
    bool shifted = false;
    for (std::size_t d = 0; d < std::min(a.rank(), b.rank()); ++d) {
      if (!a[d].is_index() || !b[d].is_index() || mentions_own(a[d])) continue;
      const auto distance = (a[d].begin - b[d].begin).as_integer();
      if (!distance || *distance == 0) continue;
      const bool fixed = std::ranges::none_of(
          map_.params, [&](const std::string& p) { return uses_symbol(b[d].begin, p); });
      if (fixed) return Distance::Disjoint;
      shifted = true;
    }
    return shifted ? Distance::Shifted : Distance::Unknown;
  }

  bool is_view(NodeId node) const {
    const auto* access = state_[node].as<AccessNode>();
    const Data* data = access ? sdfg_.find_data(access->data) : nullptr;
    return access && (!data || data->is_view());
  }

  /// Within one point the reader must be done when the writer begins.
  bool order_point(const Leaf& r, const Leaf& w, SameElement& out) const {
    const NodeId reader = state_.target(r.edge), writer = state_.source(w.edge);
    // Through a view, elements are touched when its neighbour runs.
    if (is_view(reader) || is_view(writer)) return false;
    if (reader == writer)
      return state_[reader].is<AccessNode>() ||
             (state_[reader].is<Tasklet>() && is_one(r.subset) && is_one(w.subset) &&
              reads_first(state_, r.edge, w.edge));
    if (order_.reaches(reader, writer)) return true;
    if (order_.reaches(writer, reader)) return read_early(r, writer, out);
    NodeId done = reader;
    while (order_.scope_of(order_.element(done)) != entry_) {
      if (!order_.scope_of(done)) return false;
      done = order_.scope_of(done);
    }
    if (state_[done].is_entry()) done = order_.exit_of(done);
    // Edges at library nodes are operands to DaCe, empty ones too.
    if (state_[done].is<LibraryNode>() || state_[order_.element(writer)].is<LibraryNode>())
      return false;
    out.order.emplace_back(done, order_.element(writer));
    return true;
  }

  /// A reader behind the writer can read a scalar instead that is filled before.
  bool read_early(const Leaf& r, NodeId writer, SameElement& out) const {
    const Node& reader = state_[state_.target(r.edge)];
    const Memlet& memlet = state_[r.edge].memlet;
    if (state_.source(r.edge) != entry_ || !is_one(r.subset) || memlet.dynamic || memlet.wcr ||
        !memlet.data_is_src || !(reader.is<Tasklet>() || reader.is<AccessNode>()))
      return false;
    out.early.emplace_back(r.edge, order_.element(writer));
    return true;
  }

  const Sdfg& sdfg_;
  const State& state_;
  const Order& order_;
  NodeId entry_;
  const MapEntry& map_;
};

}  // namespace

SameElement same_element(const Sdfg& sdfg, const State& state, const Order& order, const Use& read,
                         const Coordinates& read_at, const Use& write,
                         const Coordinates& write_at) {
  const NodeId both = write.begin;
  if (state[both].is<Tasklet>()) {
    const bool values = is_one(read.box) && is_one(write.box) &&
                        reads_first(state, read.edge, write.edge);
    return {values ? Truth::Yes : Truth::Unknown, {}, {}};
  }
  if (!state[both].is<MapEntry>()) return {};
  return Map(sdfg, state, order, both)
      .compare(leaves(sdfg, state, order, both, read, read_at),
               leaves(sdfg, state, order, both, write, write_at));
}

}  // namespace sdfg
