#pragma once

#include <unordered_map>
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
  /// Does it hold for an entry around the node?
  template <class F>
  bool any_around(NodeId node, const F& holds) const {
    for (NodeId at = parent_of(node); at; at = parent_of(at))
      if (holds(at)) return true;
    return false;
  }
  /// Entries around the node, innermost first.
  std::vector<NodeId> enclosing(NodeId node) const;
};

/// In time linear in the graph. The error names the node whose scope is contradictory (reached
/// from two scopes) or the exit without an entry.
Result<ScopeTree> scope_tree(const State& state);
/// The same for a state that the verifier has accepted.
ScopeTree scope_tree_of(const State& state);

/// How the nodes of a state follow each other (topological_order) and in which scopes they are.
struct Dataflow {
  std::vector<NodeId> order;
  ScopeTree tree;
};
/// In time linear in the graph, with the errors of scope_tree.
Result<Dataflow> dataflow(const State& state);
/// The same for a state that the verifier has accepted.
Dataflow dataflow_of(const State& state);

/// Of all states of an SDFG, those of nested SDFGs included, for who asks several times. Looked up
/// only. Valid while nothing is added to the states or taken away.
using Dataflows = std::unordered_map<const State*, Dataflow>;
Result<Dataflows> dataflows(const Sdfg& sdfg);

/// Direct children of a scope (or, with no entry, of the state) in topological order; the scope's
/// exit is the last. Pass the result of topological_order.
std::vector<NodeId> scope_children(const ScopeTree& tree, const std::vector<NodeId>& order,
                                   NodeId entry);

}  // namespace sdfg
