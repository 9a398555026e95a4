#pragma once

#include <vector>

#include "ir/analysis/scope_tree.h"

namespace sdfg {

/// Nodes inside the scope of an entry, at any depth, by id: its exit included, the entry not. Takes
/// time by the size of the scope, not of the state.
std::vector<NodeId> nodes_in_scope(const State& state, const ScopeTree& tree, NodeId entry);

}  // namespace sdfg
