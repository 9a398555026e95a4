#include "passes/common/state_trails.h"

#include "support/assert.h"

namespace sdfg {

void StateTrails::add(Region& region, const Trail& trail) {
  for (BlockId b : region.nodes()) add(region[b], trail);
}

void StateTrails::add(Block& block, const Trail& trail) {
  const Trail& here = trails_.emplace_back(trail.in(block));
  if (auto* state = block.as<State>()) states_.push_back({state, &here});
  if (Region* inner = block.region()) add(*inner, here);
  if (auto* conditional = block.as<ConditionalBlock>())
    for (Branch& branch : conditional->branches) add(branch.block, here);
}

const Trail& StateTrails::of(const State& state) const {
  if (trail_of_.empty())
    for (const Entry& entry : states_) trail_of_.emplace(entry.state, entry.trail);
  const auto found = trail_of_.find(&state);
  SDFG_ASSERT(found != trail_of_.end()) << "a state of another SDFG";
  return *found->second;
}

}  // namespace sdfg
