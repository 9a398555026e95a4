#pragma once

#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Which scope each node of a state is in.
struct ScopeTree {
  /// By node id: the entry of the innermost scope around the node; none at the top level. The
  /// scope's own exit counts as inside; the entry itself belongs to the surrounding scope.
  std::vector<NodeId> parent;
  /// By node id of an entry: its exit; none for other nodes and for entries without exit.
  std::vector<NodeId> exit;

  NodeId parent_of(NodeId node) const { return parent[node.value]; }
  NodeId exit_of(NodeId entry) const { return exit[entry.value]; }
  /// Is the node inside the scope, at any depth (its exit included, its entry not)?
  bool contains(NodeId entry, NodeId node) const;
  /// Entries around the node, innermost first.
  std::vector<NodeId> enclosing(NodeId node) const;
};

/// In time linear in the graph. The error names the node whose scope is contradictory (reached
/// from two scopes) or the exit without an entry.
Result<ScopeTree> scope_tree(const State& state);
/// The same for a state that the verifier has accepted.
ScopeTree scope_tree_of(const State& state);

/// Direct children of a scope (or, with no entry, of the state) in topological order; the scope's
/// exit is the last. Pass the result of topological_order.
std::vector<NodeId> scope_children(const ScopeTree& tree, const std::vector<NodeId>& order,
                                   NodeId entry);

}  // namespace sdfg
