#include "ir/analysis/races.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/order.h"
#include "ir/analysis/scope_tree.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

constexpr std::size_t most_accesses = 64;

/// Has each iteration of a map elements of its own: is each parameter, but for what is added to it,
/// the index in some dimension?
bool each_has_own(const Subset& subset, const std::vector<std::string>& params) {
  const auto is_index_of = [&](const Range& r, const std::string& param) {
    if (!(r.begin == r.end)) return false;
    SymbolSet rest;
    collect_symbols(simplify(r.begin - Expr::symbol(param)), rest);
    return std::ranges::none_of(params, [&](const auto& p) { return rest.contains(p); });
  };
  return std::ranges::all_of(params, [&](const std::string& param) {
    return std::ranges::any_of(subset.ranges,
                               [&](const Range& r) { return is_index_of(r, param); });
  });
}

class Races {
 public:
  Races(const Sdfg& sdfg, const State& state, RaceIs kind)
      : sdfg_(sdfg), state_(state), possible_(kind == RaceIs::Possible), order_(state) {}

  std::optional<Race> find() {
    for (EdgeId e : state_.edges()) {
      const Memlet& memlet = state_[e].memlet;
      if (memlet.empty() || (memlet.dynamic && !possible_)) continue;
      if (possible_ && (iterations_may_meet(e) || is_at_reference(e)))
        return Race{e, e, memlet.data};
      add(e, false), add(e, true);
    }
    for (const auto& [key, accesses] : accesses_) {
      if (possible_ && accesses.size() == most_accesses)
        return Race{accesses.front().edge, accesses.back().edge, key.second};
      for (std::size_t b = 1; b < accesses.size(); ++b)
        for (std::size_t a = 0; a < b; ++a)
          if (is_race(accesses[a], accesses[b]))
            return Race{accesses[a].edge, accesses[b].edge, key.second};
    }
    return std::nullopt;
  }

 private:
  struct Access {
    EdgeId edge;
    bool write;
    const Subset* subset;
    NodeId begin, end;  ///< elements of the order: what does it runs between these two
  };

  /// Of an access node.
  const Data* data_at(NodeId node) const {
    const auto* access = state_[node].as<AccessNode>();
    return access ? sdfg_.arrays.get(access->data) : nullptr;
  }
  bool is_view(NodeId node) const {
    const Data* data = data_at(node);
    return data && data->is_view();
  }
  bool is_at_reference(EdgeId e) const {
    const Data *from = data_at(state_.source(e)), *to = data_at(state_.target(e));
    return (from && from->is_reference()) || (to && to->is_reference());
  }

  /// The container that the edge writes at its target, or reads at its source, in which part.
  void add(EdgeId e, bool write) {
    const Memlet& memlet = state_[e].memlet;
    const NodeId at = write ? state_.target(e) : state_.source(e);
    const NodeId doer = write ? state_.source(e) : state_.target(e);
    const auto* access = state_[at].as<AccessNode>();
    const bool border = write ? state_[at].is_exit() : state_[at].is_entry();
    // Between a border and an access node the memlet may name either container.
    if (is_view(doer) || (!access && (!border || state_[doer].is<AccessNode>()))) return;
    const std::string& name = access ? access->data : memlet.data;
    const Data* data = sdfg_.arrays.get(name);
    if (!data || data->role() != Role::Plain || data->is_stream()) return;
    const auto& subset = subset_at(memlet, name, write);
    if (!subset) return;
    if (!possible_ && (may_do_nothing(doer, *subset) || may_overstate(e, write, name))) return;
    NodeId begin = order_.element(doer), end = begin;
    if (access && state_[doer].is<AccessNode>())  // a copy runs as soon as its source is ready
      begin = state_.source(e), end = state_.target(e);
    else if (access && (write ? state_[doer].is_entry() : state_[doer].is_exit()) &&
             order_.scope_of(at) == order_.element(doer))
      begin = end = at;  // through the border of the scope around
    auto& list = accesses_[{order_.scope_of(begin), name}];
    if (list.size() < most_accesses) list.push_back({e, write, &*subset, begin, end});
  }

  /// May a map have no points, though the subset has elements then?
  bool may_do_nothing(NodeId node, const Subset& subset) const {
    const auto* map = state_[order_.element(node)].as<MapEntry>();
    if (!map) return false;
    SymbolSet of_subset;
    collect_symbols(subset, of_subset);
    return std::ranges::any_of(map->ranges, [&](const Range& r) {
      if (certain(less_equal(r.begin, r.end))) return false;
      SymbolSet of_range;
      collect_symbols(r.begin, of_range), collect_symbols(r.end, of_range);
      return !std::ranges::includes(of_subset, of_range);
    });
  }

  /// May what a scope touches be less than its memlet says? Not where each parameter of the maps
  /// inside is in one dimension at most, alone but for what is added to it or multiplied with it.
  bool may_overstate(EdgeId e, bool write, const std::string& name) const {
    const NodeId doer = write ? state_.source(e) : state_.target(e);
    if (write ? !state_[doer].is_exit() : !state_[doer].is_entry()) return false;
    return std::ranges::any_of(path_leaves(state_, e), [&](EdgeId leaf) {
      const auto& subset = subset_at(state_[leaf].memlet, name, write);
      if (!subset || state_[leaf].memlet.dynamic) return true;
      SymbolSet params;
      std::vector<Range> ranges;
      const NodeId around = order_.scope_of(order_.element(doer));
      for (NodeId scope = order_.scope_of(write ? state_.source(leaf) : state_.target(leaf));
           scope != around; scope = order_.scope_of(scope)) {
        const auto* map = scope ? state_[scope].as<MapEntry>() : nullptr;
        if (!map) return true;
        params.insert(map->params.begin(), map->params.end());
        ranges.insert(ranges.end(), map->ranges.begin(), map->ranges.end());
      }
      const auto depends = [&](const Range& r) { return !used(r, params).empty(); };
      return std::ranges::any_of(ranges, depends) || !indexes_apart(*subset, params);
    });
  }
  static SymbolSet used(const Range& range, const SymbolSet& names) {
    SymbolSet all;
    collect_symbols(range.begin, all), collect_symbols(range.end, all);
    std::erase_if(all, [&](const auto& name) { return !names.contains(name); });
    return all;
  }
  static bool is_linear(const Expr& e, const SymbolSet& names) {
    if (std::ranges::none_of(names, [&](const auto& name) { return uses_symbol(e, name); }) ||
        e.is(Op::Symbol))
      return true;
    return (e.is(Op::Add) || e.is(Op::Mul)) &&
           std::ranges::all_of(e.args(), [&](const Expr& part) { return is_linear(part, names); });
  }
  static bool indexes_apart(const Subset& subset, const SymbolSet& params) {
    SymbolSet seen;
    return std::ranges::all_of(subset.ranges, [&](const Range& r) {
      const SymbolSet here = used(r, params);
      return here.empty() || (here.size() == 1 && seen.insert(*here.begin()).second &&
                              is_linear(r.begin, here) && is_linear(r.end, here));
    });
  }

  /// Does the edge leave a map with elements that another iteration may write, too?
  bool iterations_may_meet(EdgeId e) const {
    const auto* exit = state_[state_.target(e)].as<MapExit>();
    const Memlet& memlet = state_[e].memlet;
    if (!exit || memlet.wcr) return false;
    const auto& subset = memlet.dst_subset ? memlet.dst_subset : memlet.subset();
    return !subset || !each_has_own(*subset, state_.get<MapEntry>(exit->entry).params);
  }

  bool is_race(const Access& a, const Access& b) const {
    if (a.edge == b.edge || (!a.write && !b.write)) return false;
    if (a.write && b.write && state_[a.edge].memlet.wcr && state_[b.edge].memlet.wcr) return false;
    if (a.subset->rank() != b.subset->rank()) return false;
    const Truth meet = intersects(*a.subset, *b.subset);
    return (possible_ ? meet != Truth::No : meet == Truth::Yes) &&
           !order_.reaches(a.end, b.begin) && !order_.reaches(b.end, a.begin);
  }

  const Sdfg& sdfg_;
  const State& state_;
  bool possible_;
  Order order_;
  std::map<std::pair<NodeId, std::string>, std::vector<Access>> accesses_;
};

}  // namespace

std::optional<Race> find_race(const Sdfg& sdfg, const State& state, RaceIs kind) {
  return Races(sdfg, state, kind).find();
}

namespace {

/// Where a container is used: the scopes around one access node, from the outside in.
struct Use {
  const State* state;
  NodeId node;
  std::vector<NodeId> scopes;
};

bool is_shared(const Use& use, std::size_t common) {
  const State& state = *use.state;
  for (std::size_t at = common; at < use.scopes.size(); ++at) {
    const auto* map = state[use.scopes[at]].as<MapEntry>();
    if (!map || map->schedule == Schedule::Sequential) continue;
    for (EdgeId e : state.in(use.node)) {
      const Memlet& memlet = state[e].memlet;
      if (memlet.empty() || memlet.wcr) continue;
      const auto& subset = subset_at(memlet, state.get<AccessNode>(use.node).data, true);
      if (subset && !each_has_own(*subset, map->params)) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::string> find_shared_transient(const Sdfg& sdfg) {
  ByName<std::vector<Use>> uses;
  for_each_state(sdfg, [&](const State& state) {
    const ScopeTree tree = scope_tree_of(state);
    for (NodeId n : state.nodes_of<AccessNode>()) {
      Use use{&state, n, tree.enclosing(n)};
      std::ranges::reverse(use.scopes);
      uses[state.get<AccessNode>(n).data].push_back(std::move(use));
    }
  });
  for (const auto& [name, all] : uses) {
    const Data* data = sdfg.arrays.get(name);
    if (!data || !data->transient || data->role() != Role::Plain || data->is_stream()) continue;
    std::size_t common = all.front().scopes.size();  // so many scopes are around all uses
    for (const Use& use : all) {
      if (use.state != all.front().state) common = 0;
      const auto apart = std::ranges::mismatch(use.scopes, all.front().scopes);
      common = std::min(common, std::size_t(apart.in1 - use.scopes.begin()));
    }
    for (const Use& use : all)
      if (is_shared(use, common)) return name;
  }
  return std::nullopt;
}

}  // namespace sdfg
