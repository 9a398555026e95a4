#include "passes/common/each_state.h"

namespace sdfg {
namespace {

void on_region(Sdfg& sdfg, Region& region, const Trail& outer, const VisitState& visit);

void on_block(Sdfg& sdfg, Block& block, const Trail& outer, const VisitState& visit) {
  const Trail trail = outer.in(block);
  if (Region* inner = block.region()) return on_region(sdfg, *inner, trail, visit);
  if (auto* conditional = block.as<ConditionalBlock>())
    for (Branch& branch : conditional->branches) on_block(sdfg, branch.block, trail, visit);
  auto* state = block.as<State>();
  if (!state) return;
  visit(sdfg, *state, trail);
  for (NodeId id : state->nodes())
    if (auto* nested = (*state)[id].as<NestedSdfg>(); nested && nested->sdfg)
      on_region(**nested->sdfg, **nested->sdfg, trail.in(*state, id), visit);
}

void on_region(Sdfg& sdfg, Region& region, const Trail& trail, const VisitState& visit) {
  for (BlockId id : region.nodes()) on_block(sdfg, region[id], trail, visit);
}

}  // namespace

void for_each_state_below(Sdfg& root, const VisitState& visit) { on_region(root, root, {}, visit); }

}  // namespace sdfg
