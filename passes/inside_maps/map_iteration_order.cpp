#include "passes/inside_maps/map_iteration_order.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "ir/analysis/scope_tree.h"
#include "passes/common/element_distance.h"
#include "passes/common/point_order.h"
#include "passes/common/walk_states.h"
#include "passes/maps/nest.h"

namespace sdfg {

bool is_of_kind(std::string_view parameter, DimensionKind kind) {
  if (kind == DimensionKind::Unspecified) return false;
  const std::string word(names<DimensionKind>[std::size_t(kind)]);
  return parameter.ends_with("_" + word) || parameter.ends_with("_" + word + "dim");
}

namespace {

using Order = std::vector<std::size_t>;  ///< old dimensions in new order

/// How many accesses inside a map go to the neighbouring element when a parameter grows by one.
using Counts = std::map<NodeId, std::vector<std::size_t>>;

class Counter {
 public:
  Counter(const Sdfg& sdfg, const State& state, const ScopeTree& tree)
      : sdfg_(sdfg), state_(state), tree_(tree) {
    for (EdgeId e : state.edges()) count(e);
  }
  const Counts& counts() const { return counts_; }

 private:
  void count(EdgeId e) {
    const NodeId from = state_.source(e), to = state_.target(e);
    // Edges between scope nodes repeat what the innermost edge says.
    if (state_[to].is_entry() || state_[from].is_exit() || state_[e].memlet.empty()) return;
    const NodeId inner = state_[from].is_entry() ? from : tree_.parent_of(from);
    if (inner == NodeId{}) return;
    const Memlet& memlet = state_[e].memlet;
    const Data* data = sdfg_.find_data(memlet.data);
    const Array* array = data ? data->as_array() : nullptr;
    if (!array || !memlet.subset() || memlet.subset()->rank() != array->strides.size()) return;
    for (NodeId scope = inner; scope != NodeId{}; scope = tree_.parent_of(scope)) {
      const auto* map = state_[scope].as<MapEntry>();
      if (!map) continue;
      auto& counts = counts_[scope];
      counts.resize(map->params.size());
      for (std::size_t p = 0; p < map->params.size(); ++p)
        if (element_distance(*memlet.subset(), *array, map->params[p]) == Expr(1)) ++counts[p];
    }
  }

  const Sdfg& sdfg_;
  const State& state_;
  const ScopeTree& tree_;
  Counts counts_;
};

/// The order that puts these dimensions last, the others first as they were.
Order with_last(std::size_t dimensions, const Order& last) {
  Order order;
  for (std::size_t d = 0; d < dimensions; ++d)
    if (std::ranges::find(last, d) == last.end()) order.push_back(d);
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

Order order_by_options(const MapEntry& map, const MapIterationOrder::Options& options) {
  Order last;
  if (options.unit_strides_kind != DimensionKind::Unspecified) {
    for (std::size_t d = 0; d < map.params.size(); ++d)
      if (is_of_kind(map.params[d], options.unit_strides_kind)) last.push_back(d);
    return with_last(map.params.size(), last);
  }
  const auto matches = [](const std::string& parameter, const std::string& wanted) {
    return parameter == wanted || parameter.starts_with("i_" + wanted + "_gtx_");
  };
  for (std::size_t w = options.unit_strides_dims.size(); w-- > 0;)
    for (std::size_t d = 0; d < map.params.size(); ++d)
      if (matches(map.params[d], options.unit_strides_dims[w])) last.push_back(d);
  return with_last(map.params.size(), last);
}

Order order_by_accesses(const std::vector<std::size_t>& counts) {
  const std::size_t innermost = counts.size() - 1;
  std::size_t best = innermost;
  for (std::size_t d = 0; d < counts.size(); ++d)
    if (counts[d] > counts[best]) best = d;
  return with_last(counts.size(), {best});
}

std::string text(const std::vector<std::string>& params) {
  std::string out;
  for (const std::string& p : params) out += (out.empty() ? "" : ", ") + p;
  return out;
}

}  // namespace

Result<Changed> MapIterationOrder::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  const bool by_options =
      options.unit_strides_kind != DimensionKind::Unspecified || !options.unit_strides_dims.empty();
  if (options.unit_strides_kind != DimensionKind::Unspecified && !options.unit_strides_dims.empty())
    return Diagnostic{{}, "'unit_strides_kind' and 'unit_strides_dims' exclude each other",
                      "leave one of them out"};
  Changed changed = Changed::No;
  const auto on_state = [&](Sdfg& s, State& state, const Trail& trail) {
    const bool any = std::ranges::any_of(state.nodes(), [&](NodeId n) {
      const auto* map = state[n].as<MapEntry>();
      return map && map->params.size() > 1;
    });
    if (!any) return;
    const auto tree = scope_tree(state);
    if (!tree) return context.refused(trail, tree.error().message);
    Counts counts;
    if (!by_options) counts = Counter(s, state, *tree).counts();
    for (NodeId n : state.nodes_of<MapEntry>()) {
      auto* map = state[n].as<MapEntry>();
      if (map->params.size() < 2 || map->params.size() != map->ranges.size()) continue;
      auto& accesses = counts[n];
      accesses.resize(map->params.size());
      const Order order =
          by_options ? order_by_options(*map, options) : order_by_accesses(accesses);
      if (std::ranges::is_sorted(order)) continue;
      const Trail here = trail.in(state, n);
      Refusal why = check_dimension_order(*map, order);
      if (!why) why = check_reordering(s, state, n);
      if (why) {
        context.refused(here, why);
        continue;
      }
      if (!context.may_apply()) return;
      const MapEntry before = *map;
      for (std::size_t d = 0; d < order.size(); ++d) {
        map->params[d] = before.params[order[d]];
        map->ranges[d] = before.ranges[order[d]];
      }
      context.applied(here, "(" + text(before.params) + ") is (" + text(map->params) + ") now");
      changed = Changed::Yes;
    }
  };
  walk_states(sdfg, {}, on_state);
  return changed;
}

}  // namespace sdfg
