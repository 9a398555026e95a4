#pragma once

#include <map>

#include "passes/common/accesses.h"
#include "passes/common/scope.h"

namespace sdfg {

/// A second scope with the same body, between the same nodes outside.
struct ScopeCopy {
  NodeId entry, exit;
  std::map<EdgeId, EdgeId> outer_edges;  ///< edges outside the original: those of the copy
};

/// Why a scope cannot be copied: a stream or a reference lives in it, or a node's kind is not known.
Refusal check_copy_scope(const Sdfg& sdfg, const State& state, const Scope& scope);

/// Copies a map or consume scope. Containers that only the scope uses get a copy under a fresh name;
/// nested SDFGs are copied whole. In time linear in the scope and the edges around it.
ScopeCopy copy_scope(Sdfg& sdfg, State& state, Accesses& accesses, const Scope& scope);

}  // namespace sdfg
