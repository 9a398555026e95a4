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

std::vector<Range> reordered(const MapEntry& map, const std::vector<std::string>& order) {
  std::vector<Range> ranges;
  for (const std::string& name : order)
    ranges.push_back(
        map.ranges[std::size_t(std::ranges::find(map.params, name) - map.params.begin())]);
  return ranges;
}

Refusal check(const std::vector<Range>& ranges, const std::vector<std::string>& order) {
  for (std::size_t d = 0; d < order.size(); ++d) {
    SymbolSet used;
    collect_symbols(Subset{{ranges[d]}}, used);
    for (std::size_t later = d; later < order.size(); ++later)
      if (used.contains(order[later]))
        return "the range " + to_text(ranges[d]) + " of '" + order[d] + "' uses '" + order[later] +
               "'";
  }
  return {};
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
      std::vector<Range> ranges = reordered(map, options.parameters);
      Refusal why = check(ranges, options.parameters);
      if (!why) why = check_reordering(sdfg, state, ends.entry);
      if (why) {
        context.refused(here, why);
        continue;
      }
      if (!context.may_apply()) return;
      context.applied(here, "reordered the map " + describe(map));
      map.params = options.parameters;
      map.ranges = std::move(ranges);
      changed = Changed::Yes;
    }
  });
  return changed;
}

}  // namespace sdfg
