#include "passes/common/state_trails.h"

#include <algorithm>

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
  const auto found = std::ranges::find(states_, &state, &Entry::state);
  SDFG_ASSERT(found != states_.end()) << "a state of another SDFG";
  return *found->trail;
}

}  // namespace sdfg
