#include "codegen/scope_nodes.h"

#include <algorithm>

namespace sdfg {

std::vector<NodeId> nodes_in_scope(const State& state, const ScopeTree& tree, NodeId entry) {
  // What is in a scope is reached from its entry without passing its exit, and all edges into it
  // come from there: each node is taken at the first of them.
  const NodeId exit = tree.exit_of(entry);
  std::vector<NodeId> found;
  const auto follow = [&](NodeId node) {
    for (EdgeId e : state.out(node))
      if (const NodeId next = state.target(e); next != exit && state.in(next).front() == e)
        found.push_back(next);
  };
  follow(entry);
  for (std::size_t i = 0; i < found.size(); ++i) follow(found[i]);
  if (exit) found.push_back(exit);
  std::ranges::sort(found);
  return found;
}

}  // namespace sdfg
