#pragma once

#include "ir/sdfg.h"
#include "passes/pass.h"

namespace sdfg {

/// Calls visit(sdfg, state, trail) for each state, with the way to it: an SDFG's states in order,
/// each followed by those of the nested SDFGs that it holds after the visit.
template <class F>
void walk_states(Sdfg& sdfg, const Trail& trail, F&& visit);

namespace detail {
template <class F>
void walk_block(Sdfg& sdfg, Block& block, const Trail& outer, F& visit) {
  const Trail trail = outer.in(block);
  if (Region* inner = block.region())
    for (BlockId b : inner->nodes()) walk_block(sdfg, (*inner)[b], trail, visit);
  if (auto* conditional = block.as<ConditionalBlock>())
    for (Branch& branch : conditional->branches) walk_block(sdfg, branch.block, trail, visit);
  auto* state = block.as<State>();
  if (!state) return;
  visit(sdfg, *state, trail);
  for (NodeId n : state->nodes_of<NestedSdfg>())
    if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
      walk_states(**nested->sdfg, trail.in(*state, n), visit);
}
}  // namespace detail

template <class F>
void walk_states(Sdfg& sdfg, const Trail& trail, F&& visit) {
  for (BlockId b : sdfg.nodes()) detail::walk_block(sdfg, sdfg[b], trail, visit);
}

}  // namespace sdfg
