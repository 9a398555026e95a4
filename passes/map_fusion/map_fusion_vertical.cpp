#include "passes/map_fusion/map_fusion_vertical.h"

#include "passes/map_fusion/fusion_walk.h"

namespace sdfg {

Result<Changed> MapFusionVertical::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  const FusionRules rules{
      .shrink = options.shrink,
      .assume_pointwise = options.assume_pointwise,
      .require_exclusive_intermediates = options.require_exclusive_intermediates,
      .require_all_intermediates = options.require_all_intermediates,
      .assume_always_shared = options.assume_always_shared};
  return walk_scopes(
      sdfg, {options.only_toplevel_maps, options.only_inner_maps},
      {options.never_consolidate_edges, options.consolidate_edges_only_if_not_extending}, context,
      [&](FusionMaps& maps, const std::vector<NodeId>& entries) {
        fuse_with_producers(maps, entries, rules);
      });
}

}  // namespace sdfg
