#include "passes/registry.h"

#include <algorithm>
#include <array>
#include <functional>

#include "passes/buffers/buffer_elimination.h"
#include "passes/buffers/double_write_elimination.h"
#include "passes/buffers/kernel_order.h"
#include "passes/buffers/slice_view_elimination.h"
#include "passes/buffers/transient_reuse.h"
#include "passes/conditionals/conditional_into_maps.h"
#include "passes/conditionals/fuse_conditionals.h"
#include "passes/conditionals/move_before_conditional.h"
#include "passes/conditionals/move_into_if_body.h"
#include "passes/gpu/gpu_transformation.h"
#include "passes/inside_maps/configure_transients.h"
#include "passes/inside_maps/local_double_buffering.h"
#include "passes/inside_maps/loop_blocking.h"
#include "passes/inside_maps/map_iteration_order.h"
#include "passes/inside_maps/move_tasklet_into_map.h"
#include "passes/inside_maps/scalar_copy_elimination.h"
#include "passes/inside_maps/set_strides.h"
#include "passes/inside_maps/tasklet_fusion.h"
#include "passes/loops/loop_peeling.h"
#include "passes/loops/loop_to_map.h"
#include "passes/loops/loop_unrolling.h"
#include "passes/loops/map_to_loop.h"
#include "passes/loops/move_states_into_map.h"
#include "passes/loops/scan_unrolling.h"
#include "passes/map_fusion/complete_writes.h"
#include "passes/map_fusion/inline_fusion.h"
#include "passes/map_fusion/map_fusion_horizontal.h"
#include "passes/map_fusion/map_fusion_into_scan.h"
#include "passes/map_fusion/map_fusion_vertical.h"
#include "passes/map_fusion/map_promotion.h"
#include "passes/map_fusion/recompute_at_reads.h"
#include "passes/map_fusion/trivial_dimension_folding.h"
#include "passes/maps/accumulate_transient.h"
#include "passes/maps/copy_to_map.h"
#include "passes/maps/expand_pointwise.h"
#include "passes/maps/expand_reduce.h"
#include "passes/maps/in_local_storage.h"
#include "passes/maps/map_collapse.h"
#include "passes/maps/map_dim_shuffle.h"
#include "passes/maps/map_expansion.h"
#include "passes/maps/map_fission.h"
#include "passes/maps/map_interchange.h"
#include "passes/maps/map_tiling.h"
#include "passes/maps/map_unroll.h"
#include "passes/maps/out_local_storage.h"
#include "passes/maps/strip_mining.h"
#include "passes/pipelines/auto.h"
#include "passes/pipelines/gt4py.h"
#include "passes/pipelines/simplify.h"
#include "passes/simplify/block_fusion.h"
#include "passes/simplify/consolidate_edges.h"
#include "passes/simplify/continue_to_condition.h"
#include "passes/simplify/control_flow_raising.h"
#include "passes/simplify/dead_dataflow_elimination.h"
#include "passes/simplify/dead_state_elimination.h"
#include "passes/simplify/demote_fields.h"
#include "passes/simplify/empty_loop_elimination.h"
#include "passes/simplify/inline_control_flow_regions.h"
#include "passes/simplify/inline_multistate_sdfg.h"
#include "passes/simplify/inline_sdfg.h"
#include "passes/simplify/lift_trivial_if.h"
#include "passes/simplify/map_to_copy.h"
#include "passes/simplify/merge_access_nodes.h"
#include "passes/simplify/min_max_elimination.h"
#include "passes/simplify/optional_array_inference.h"
#include "passes/simplify/prune_empty_branches.h"
#include "passes/simplify/reference_to_view.h"
#include "passes/simplify/refine_nested_access.h"
#include "passes/simplify/scalar_to_symbol_promotion.h"
#include "passes/simplify/state_fusion.h"
#include "passes/simplify/substitute_symbols.h"
#include "passes/simplify/symbol_propagation.h"
#include "passes/simplify/trivial_map_elimination.h"
#include "passes/simplify/unused_symbol_elimination.h"
#include "passes/simplify/view_nested_access.h"
#include "passes/split/composed_copy_elimination.h"
#include "passes/split/map_dead_range_elimination.h"
#include "passes/split/map_split_horizontal.h"
#include "passes/split/map_split_vertical.h"
#include "passes/split/shrink_transients.h"
#include "passes/split/split_access_nodes.h"
#include "passes/split/split_consumer_memlets.h"

namespace sdfg {
namespace {

constexpr std::array registered{
    entry<AccessNodeCopyElimination>(),
    entry<AccumulateTransient>(),
    entry<Auto>(),
    entry<BlockFusion>(),
    entry<CompleteWrites>(),
    entry<ComposedCopyElimination>(),
    entry<ConditionalIntoMaps>(),
    entry<ConfigureTransients>(),
    entry<ConsolidateEdges>(),
    entry<ConstantPropagation>(),
    entry<ContinueToCondition>(),
    entry<ControlFlowRaising>(),
    entry<CopyChainElimination>(),
    entry<CopyToMap>(),
    entry<DeadDataflowElimination>(),
    entry<DeadStateElimination>(),
    entry<DemoteFields>(),
    entry<DistributedBufferRelocation>(),
    entry<DoubleWriteElimination>(),
    entry<EmptyLoopElimination>(),
    entry<ExpandPointwise>(),
    entry<ExpandReduce>(),
    entry<FuseConditionals>(),
    entry<GpuTransformation>(),
    entry<Gt4py>(),
    entry<InLocalStorage>(),
    entry<InlineControlFlowRegions>(),
    entry<InlineFusion>(),
    entry<InlineMultistateSdfg>(),
    entry<InlineSdfg>(),
    entry<KernelOrder>(),
    entry<LiftTrivialIf>(),
    entry<LocalDoubleBuffering>(),
    entry<LoopBlocking>(),
    entry<LoopPeeling>(),
    entry<LoopToMap>(),
    entry<LoopUnrolling>(),
    entry<MapBufferElimination>(),
    entry<MapCollapse>(),
    entry<MapDeadRangeElimination>(),
    entry<MapDimShuffle>(),
    entry<MapExpansion>(),
    entry<MapFission>(),
    entry<MapFusionHorizontal>(),
    entry<MapFusionIntoScan>(),
    entry<MapFusionVertical>(),
    entry<MapInterchange>(),
    entry<MapIterationOrder>(),
    entry<MapPromotion>(),
    entry<MapSplitHorizontal>(),
    entry<MapSplitVertical>(),
    entry<MapTiling>(),
    entry<MapToCopy>(),
    entry<MapToLoop>(),
    entry<MapUnroll>(),
    entry<MergeAccessNodes>(),
    entry<MinMaxElimination>(),
    entry<MoveBeforeConditional>(),
    entry<MoveIntoIfBody>(),
    entry<MoveLoopIntoMap>(),
    entry<MoveStatesIntoMap>(),
    entry<MoveTaskletIntoMap>(),
    entry<OptionalArrayInference>(),
    entry<OutLocalStorage>(),
    entry<PruneEmptyBranches>(),
    entry<RecomputeAtReads>(),
    entry<RedundantArrayElimination>(),
    entry<ReferenceToView>(),
    entry<RefineNestedAccess>(),
    entry<RestoreFields>(),
    entry<ScalarCopyElimination>(),
    entry<ScalarToSymbolPromotion>(),
    entry<ScanUnrolling>(),
    entry<SelfCopyElimination>(),
    entry<SetStrides>(),
    entry<ShrinkTransients>(),
    entry<Simplify>(),
    entry<SliceViewElimination>(),
    entry<SplitAccessNodes>(),
    entry<SplitConsumerMemlets>(),
    entry<StateFusion>(),
    entry<StripMining>(),
    entry<SubstituteSymbols>(),
    entry<SymbolPropagation>(),
    entry<TaskletFusion>(),
    entry<TransientReuse>(),
    entry<TrivialDimensionFolding>(),
    entry<TrivialMapElimination>(),
    entry<UnusedSymbolElimination>(),
    entry<ViewNestedAccess>(),
    entry<WriteBackElimination>(),
};
static_assert(std::ranges::adjacent_find(registered, std::ranges::greater_equal{},
                                         &Registered::name) == registered.end(),
              "keep the list sorted and the names unique");

}  // namespace

std::string print(const std::vector<PlannedStep>& steps) {
  std::string out;
  for (const PlannedStep& step : steps) {
    if (!out.empty()) out += ',';
    out += step.text;
    if (!step.repeated.empty()) out += '{' + print(step.repeated) + '}';
  }
  return out;
}

std::span<const Registered> all_passes() { return registered; }

std::vector<Registered> all_passes_and(const std::vector<Registered>& others) {
  std::vector<Registered> all(registered.begin(), registered.end());
  all.insert(all.end(), others.begin(), others.end());
  std::ranges::sort(all, {}, &Registered::name);
  return all;
}

const Registered* find_pass(std::span<const Registered> passes, std::string_view name) {
  const auto found = std::ranges::find(passes, name, &Registered::name);
  return found == passes.end() ? nullptr : &*found;
}

}  // namespace sdfg
