#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "ir/sdfg.h"

namespace sdfg {

// Visits of everything of one kind, always in the same order: blocks, edges and nodes by id,
// branches in order, the outer before the inner. A const SDFG gives const elements. Elements may
// be changed while visiting; those added on the way are not visited.
//
// All but the last two stay within one SDFG: they do not enter nested SDFGs. To see everything,
// combine: for_each_sdfg(root, [&](Sdfg& s) { for_each_state(s, …); }).

namespace detail {
/// T as const as Like.
template <class Like, class T>
using Constness = std::conditional_t<std::is_const_v<Like>, const T, T>;
template <class T>
concept RegionLike = std::is_base_of_v<Region, std::remove_const_t<T>>;
/// Calls visit with as many of the arguments, from the first on, as it takes.
template <class F, class A, class... Rest>
void call(F& visit, A& first, Rest&... rest) {
  if constexpr (std::is_invocable_v<F&, A&, Rest&...>)
    std::invoke(visit, first, rest...);
  else
    std::invoke(visit, first);
}
}  // namespace detail

/// visit(block), for the blocks in the region at any depth. The block of a conditional's branch is
/// visited like any other.
template <detail::RegionLike R, class F>
void for_each_block(R& region, F&& visit);

/// The same for one block and what is in it.
template <class B, class F>
requires std::is_same_v<std::remove_const_t<B>, Block>
void for_each_block_in(B& block, F&& visit) {
  std::invoke(visit, block);
  if (auto* inner = block.region()) {
    for_each_block(*inner, visit);
  } else if (auto* conditional = block.template as<ConditionalBlock>()) {
    for (auto& branch : conditional->branches) for_each_block_in(branch.block, visit);
  }
}

template <detail::RegionLike R, class F>
void for_each_block(R& region, F&& visit) {
  for (BlockId id : region.nodes()) for_each_block_in(region[id], visit);
}

/// Is there a loop in the region, at any depth?
inline bool has_loop(const Region& region) {
  bool found = false;
  for_each_block(region, [&](const Block& block) { found = found || block.is<LoopRegion>(); });
  return found;
}

/// visit(region): the region itself, then all in it at any depth, branches included.
template <detail::RegionLike R, class F>
void for_each_region(R& region, F&& visit) {
  std::invoke(visit, static_cast<detail::Constness<R, Region>&>(region));
  for_each_block(region, [&](auto& block) {
    if (auto* inner = block.region()) std::invoke(visit, *inner);
  });
}

/// visit(interstate edge), or visit(edge, region, id).
template <detail::RegionLike R, class F>
void for_each_interstate_edge(R& region, F&& visit) {
  for_each_region(region, [&](auto& inner) {
    for (InterstateEdgeId id : inner.edges()) detail::call(visit, inner[id], inner, id);
  });
}

/// visit(state), or visit(state, block) for its label.
template <detail::RegionLike R, class F>
void for_each_state(R& region, F&& visit) {
  for_each_block(region, [&](auto& block) {
    if (auto* state = block.template as<State>()) detail::call(visit, *state, block);
  });
}

/// visit(node), or visit(node, state, id).
template <detail::RegionLike R, class F>
void for_each_node(R& region, F&& visit) {
  for_each_state(region, [&](auto& state) {
    for (NodeId id : state.nodes()) detail::call(visit, state[id], state, id);
  });
}

/// visit(edge), or visit(edge, state, id), for the edges of states.
template <detail::RegionLike R, class F>
void for_each_edge(R& region, F&& visit) {
  for_each_state(region, [&](auto& state) {
    for (EdgeId id : state.edges()) detail::call(visit, state[id], state, id);
  });
}

/// visit(nested SDFG's node), or visit(nested, state, id): those directly in this SDFG whose SDFG
/// is loaded.
template <detail::RegionLike R, class F>
void for_each_nested_sdfg(R& region, F&& visit) {
  for_each_state(region, [&](auto& state) {
    for (NodeId id : state.template nodes_of<NestedSdfg>())
      if (auto& nested = state.template get<NestedSdfg>(id); nested.sdfg)
        detail::call(visit, nested, state, id);
  });
}

/// visit(sdfg): the SDFG itself, then all nested in it at any depth.
template <class S, class F>
requires std::is_same_v<std::remove_const_t<S>, Sdfg>
void for_each_sdfg(S& sdfg, F&& visit) {
  std::invoke(visit, sdfg);
  for_each_nested_sdfg(sdfg, [&](auto& nested) { for_each_sdfg(**nested.sdfg, visit); });
}

}  // namespace sdfg
