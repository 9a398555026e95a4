#include "passes/maps/strip_mining.h"

#include "ir/analysis/propagate.h"
#include "passes/common/walk_states.h"

namespace sdfg {

Result<Changed> StripMining::run(Sdfg& root, const Options& options, PassContext& context) {
  if (options.tile_size < 1)
    return Diagnostic{{},
                      "tile_size is " + std::to_string(options.tile_size),
                      "it is the number of points in a tile, 1 or more"};
  Changed result = Changed::No;
  AssignedNames assigned;
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    const auto tree = scope_tree(state);
    if (!tree) return;
    ScopeNames names(sdfg, state, assigned);
    std::vector<NodeId> changed;
    for (const MapEnds ends : maps_of(state, *tree, options.maps)) {
      const auto& map = state.get<MapEntry>(ends.entry);
      const Trail here = trail.in(state, ends.entry);
      const auto dimensions = std::int64_t(map.params.size());
      const std::int64_t at = options.dim_idx < 0 ? options.dim_idx + dimensions : options.dim_idx;
      if (at < 0 || at >= dimensions) {
        context.refused(here, "the map has " + std::to_string(dimensions) + " dimensions only");
        continue;
      }
      const std::vector<DimensionTiling> tilings{{std::size_t(at), options.tile_size,
                                                  options.tiling_type, options.divides_evenly,
                                                  options.strided, options.skew}};
      if (const Refusal why = check_tiling(sdfg, state, ends, tilings)) {
        context.refused(here, why);
        continue;
      }
      if (!context.may_apply()) break;
      context.applied(here,
                      "split '" + map.params[std::size_t(at)] + "' of the map " + describe(map));
      tile_map(state, ends, tilings, {}, options.new_dim_prefix, names);
      changed.push_back(ends.entry);
    }
    propagate_memlets(sdfg, state, changed);
    if (!changed.empty()) result = Changed::Yes;
  });
  return result;
}

}  // namespace sdfg
