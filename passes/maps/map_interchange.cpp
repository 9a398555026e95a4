#include "passes/maps/map_interchange.h"

#include <set>
#include <utility>

#include "ir/analysis/propagate.h"
#include "passes/common/point_order.h"
#include "passes/common/walk_states.h"
#include "passes/maps/nest.h"

namespace sdfg {

namespace {

/// The map inside is outermost then, and where it runs on the host, what ranges need is read there.
Refusal check_reach(const Sdfg& sdfg, const State& state, MapEnds outer, MapEnds inner,
                    const GpuMemory& gpu) {
  if (outer.depth != 0 || may_be_kernel(state[inner.entry])) return {};
  for (EdgeId e : state.in(outer.entry))
    if (is_dynamic_input(state[e].dst_connector) &&
        gpu.is_out_of_reach(sdfg, state[e].memlet.data))
      return "the dynamic range input '" + state[e].dst_connector + "' reads '" +
             state[e].memlet.data + "', which is in GPU memory, and the map inside, which would " +
             "be outermost, runs on the host";
  return {};
}

}  // namespace

Result<Changed> MapInterchange::run(Sdfg& root, const Options& options, PassContext& context) {
  Changed result = Changed::No;
  const GpuMemory gpu(root);
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    const auto tree = scope_tree(state);
    if (!tree) return;
    std::set<NodeId> swapped;
    std::vector<NodeId> changed;
    for (const MapEnds outer : maps_of(state, *tree, options.maps)) {
      const NodeId next = inner_entry(state, outer.entry);
      if (!next || swapped.contains(outer.entry)) continue;
      const MapEnds inner{next, tree->exit_of(next)};
      const Trail here = trail.in(state, outer.entry);
      Refusal why = check_perfect_nest(sdfg, state, outer, inner, gpu);
      if (!why) why = check_reach(sdfg, state, outer, inner, gpu);
      if (!why) why = check_reordering(sdfg, state, outer.entry);
      if (why) {
        context.refused(here, why);
        continue;
      }
      if (!context.may_apply()) break;
      auto& map = state.get<MapEntry>(outer.entry);
      auto& inside = state.get<MapEntry>(inner.entry);
      context.applied(here, "swapped with the map " + describe(inside));
      move_dynamic_inputs_outward(state, outer, inner);
      std::swap(map, inside);
      std::swap(state[outer.entry].debuginfo, state[inner.entry].debuginfo);
      swapped.insert({outer.entry, inner.entry});
      changed.push_back(inner.entry);
    }
    propagate_memlets(sdfg, state, changed);
    if (!changed.empty()) result = Changed::Yes;
  });
  return result;
}

}  // namespace sdfg
