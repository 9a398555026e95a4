#include "passes/maps/map_expansion.h"

#include "ir/analysis/propagate.h"
#include "passes/common/walk_states.h"
#include "passes/maps/nest.h"

namespace sdfg {
namespace {

/// What only the outermost map has: it is launched once.
MapEntry plain_map(const MapEntry& map, Schedule schedule) {
  MapEntry plain;
  plain.label = map.label;
  plain.schedule = schedule;
  return plain;
}

/// Splits `count` dimensions off. The map itself becomes the innermost.
void expand(State& state, MapEnds ends, std::size_t count, Schedule inner_schedule,
            std::vector<NodeId>& changed) {
  MapEntry original = state.get<MapEntry>(ends.entry);
  const RareOptional<DebugInfo> debuginfo = state[ends.entry].debuginfo;
  const auto first = [&](auto& all, auto& from) {
    all = {from.front()};
    from.erase(from.begin());
  };
  for (std::size_t d = 0; d < count; ++d) {
    MapEntry split = d == 0 ? original : plain_map(original, inner_schedule);
    auto& map = state.get<MapEntry>(ends.entry);
    first(split.params, map.params);
    first(split.ranges, map.ranges);
    split.collapse = 1;
    Node node{std::move(split)};
    node.debuginfo = debuginfo;
    changed.push_back(wrap_map(state, ends, std::move(node)).entry);
  }
  auto& map = state.get<MapEntry>(ends.entry);
  MapEntry rest = plain_map(original, inner_schedule);
  rest.params = std::move(map.params);
  rest.ranges = std::move(map.ranges);
  map = std::move(rest);
  // The outermost one's memlets are those that the map had.
  changed.erase(changed.end() - std::ptrdiff_t(count));
  changed.push_back(ends.entry);
}

}  // namespace

Result<Changed> MapExpansion::run(Sdfg& root, const Options& options, PassContext& context) {
  Changed result = Changed::No;
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    const auto tree = scope_tree(state);
    if (!tree) return;
    std::vector<NodeId> changed;
    for (const MapEnds ends : maps_of(state, *tree, options.maps)) {
      const auto& map = state.get<MapEntry>(ends.entry);
      const Trail here = trail.in(state, ends.entry);
      const std::size_t dimensions = map.params.size();
      if (dimensions < 2) {
        context.refused(here, "the map has one dimension only");
        continue;
      }
      if (!context.may_apply()) break;
      std::size_t count = dimensions - 1;
      if (options.expansion_limit > 0)
        count = std::min(count, std::size_t(options.expansion_limit));
      context.applied(here, "split " + std::to_string(count) + " of " + std::to_string(dimensions) +
                                " dimensions off the map " + describe(map));
      expand(state, ends, count, options.inner_schedule, changed);
      result = Changed::Yes;
    }
    propagate_memlets(sdfg, state, changed);
  });
  return result;
}

}  // namespace sdfg
