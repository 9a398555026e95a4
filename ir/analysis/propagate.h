#pragma once

#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"

namespace sdfg {

// Memlet propagation: what a scope as a whole reads and writes, from what is read and written
// inside. Always sound: the memlet outside names every element that some iteration touches.
//
// - Each dimension is the image of the inner one under the map (ir/subset.h); where it cannot be
//   bounded, or mentions what is not known outside, it becomes the container's whole extent.
// - Several inner memlets of one connector give their bounding box.
// - The volume is the sum of the inner volumes times the iterations; dynamic when an inner one is,
//   and dynamic 0 (unknown) when it depends on the iteration.
// - A consume scope touches an unknown part of the whole container.
// - Write-conflict resolution is carried outward; a subset of the other end is dropped.
//
// Memlets at nested SDFGs stay as they are: they say where the inner containers begin.

/// All elements of a container in its own coordinates, which its offset may make negative.
Subset all_elements(const Data& data);

/// The memlets around one map or consume scope, from those directly inside. `assumptions` are about
/// symbols; the ranges of scopes around this one are added to them.
void propagate_memlets(const Sdfg& sdfg, State& state, NodeId entry,
                       const Assumptions& assumptions = {});
/// The same for who has the tree at hand, in time linear in the memlets of the scope.
void propagate_memlets(const Sdfg& sdfg, State& state, const ScopeTree& tree, NodeId entry,
                       const Assumptions& assumptions = {});
/// The same for several entries of one state, the innermost first; in time linear in the state and
/// the scopes.
void propagate_memlets(const Sdfg& sdfg, State& state, const std::vector<NodeId>& entries,
                       const Assumptions& assumptions = {});
/// All scopes of the state, the innermost first. A state whose scopes are contradictory is left
/// alone.
void propagate_memlets(const Sdfg& sdfg, State& state, const Assumptions& assumptions = {});
/// All states, those of nested SDFGs included.
void propagate_memlets(Sdfg& sdfg, const Assumptions& assumptions = {});

}  // namespace sdfg
