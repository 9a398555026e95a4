#pragma once

#include <functional>
#include <map>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "passes/common/accesses.h"
#include "passes/common/scope.h"
#include "passes/common/side_effects.h"

namespace sdfg {

/// A second scope with the same body, between the same nodes outside.
struct ScopeCopy {
  NodeId entry, exit;
  std::map<EdgeId, EdgeId> outer_edges;  ///< edges outside the original: those of the copy
};

/// Why a scope cannot be copied: a stream or a reference lives in it, or a node's kind is not
/// known.
Refusal check_copy_scope(const Sdfg& sdfg, const State& state, const Scope& scope);

/// Why iterations of a scope whose outputs nobody reads are of use: they do more than to write what
/// leaves it through its exit.
Refusal check_leave_out(const Sdfg& sdfg, const State& state, const Accesses& accesses,
                        const Scope& scope, SideEffects& effects);

/// Copies a map or consume scope. Containers that only the scope uses get a copy under a fresh
/// name; nested SDFGs are copied whole. In time linear in the scope and the edges around it.
ScopeCopy copy_scope(Sdfg& sdfg, State& state, Accesses& accesses, const Scope& scope);

/// Cuts a map: it takes the first of the ranges, copies of it take the others; memlets around them
/// are those of their own ranges. `tree` learns what propagation needs of the copies, and `cloned`
/// hears of each edge outside and its copy. Relies on check_copy_scope.
void cut_map(Sdfg& sdfg, State& state, Accesses& accesses, ScopeTree& tree, NodeId entry,
             const std::vector<std::vector<Range>>& pieces, const Assumptions& assumptions,
             const std::function<void(EdgeId edge, EdgeId clone)>& cloned = {});

}  // namespace sdfg
