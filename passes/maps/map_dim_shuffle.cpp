#include "passes/maps/map_dim_shuffle.h"

#include <algorithm>

#include "passes/common/point_order.h"
#include "passes/common/walk_states.h"
#include "passes/maps/nest.h"

namespace sdfg {
namespace {

bool same_names(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

std::vector<std::size_t> order_of(const MapEntry& map, const std::vector<std::string>& params) {
  std::vector<std::size_t> order;
  for (const std::string& name : params)
    order.push_back(std::size_t(std::ranges::find(map.params, name) - map.params.begin()));
  return order;
}

}  // namespace

Result<Changed> MapDimShuffle::run(Sdfg& root, const Options& options, PassContext& context) {
  if (options.parameters.empty())
    return Diagnostic{{}, "map-dim-shuffle needs the new order", "write parameters=j,i"};
  Changed changed = Changed::No;
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    const auto tree = scope_tree(state);
    if (!tree) return;
    for (const MapEnds ends : maps_of(state, *tree, options.maps)) {
      auto& map = state.get<MapEntry>(ends.entry);
      if (map.params == options.parameters || !same_names(map.params, options.parameters)) continue;
      const Trail here = trail.in(state, ends.entry);
      const std::vector<std::size_t> order = order_of(map, options.parameters);
      Refusal why = check_dimension_order(map, order);
      if (!why) why = check_reordering(sdfg, state, ends.entry);
      if (why) {
        context.refused(here, why);
        continue;
      }
      if (!context.may_apply()) return;
      context.applied(here, "reordered the map " + describe(map));
      map.params = options.parameters;
      const std::vector<Range> before = map.ranges;
      for (std::size_t d = 0; d < order.size(); ++d) map.ranges[d] = before[order[d]];
      changed = Changed::Yes;
    }
  });
  return changed;
}

}  // namespace sdfg
