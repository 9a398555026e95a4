#include "passes/maps/map_collapse.h"

#include "passes/common/walk_states.h"
#include "passes/maps/nest.h"

namespace sdfg {
namespace {

Refusal check(const Sdfg& sdfg, const State& state, MapEnds outer, MapEnds inner,
              const MapCollapse::Options& options, const GpuMemory& gpu) {
  const auto& map = state.get<MapEntry>(outer.entry);
  const auto& inside = state.get<MapEntry>(inner.entry);
  if (const Refusal why = check_perfect_nest(sdfg, state, outer, inner, gpu)) return why;
  if (options.permissive) return {};
  if (map.schedule != inside.schedule)
    return "the schedules differ: " + std::string(to_text(map.schedule)) + " and " +
           std::string(to_text(inside.schedule));
  if (inside.instrument != Instrumentation::None)
    return "the inner map '" + inside.label + "' is instrumented";
  return {};
}

void collapse(State& state, MapEnds outer, MapEnds inner) {
  auto& map = state.get<MapEntry>(outer.entry);
  auto& inside = state.get<MapEntry>(inner.entry);
  map.params.insert(map.params.end(), inside.params.begin(), inside.params.end());
  map.ranges.insert(map.ranges.end(), inside.ranges.begin(), inside.ranges.end());
  dissolve_inner_map(state, outer, inner);
}

}  // namespace

Result<Changed> MapCollapse::run(Sdfg& root, const Options& options, PassContext& context) {
  Changed changed = Changed::No;
  const GpuMemory gpu(root);
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    const auto tree = scope_tree(state);
    if (!tree) return;
    for (const MapEnds outer : maps_of(state, *tree, options.maps)) {
      if (!state.contains(outer.entry)) continue;  // went into the map around it
      while (const NodeId next = inner_entry(state, outer.entry)) {
        const MapEnds inner{next, tree->exit_of(next)};
        if (!inner.exit) break;
        const Trail here = trail.in(state, outer.entry);
        if (const Refusal why = check(sdfg, state, outer, inner, options, gpu)) {
          context.refused(here, why);
          break;
        }
        if (!context.may_apply()) return;
        context.applied(here, "took in the map " + describe(state.get<MapEntry>(next)));
        collapse(state, outer, inner);
        changed = Changed::Yes;
      }
    }
  });
  return changed;
}

}  // namespace sdfg
