#include "codegen/scope_nodes.h"

#include <algorithm>
#include <set>

namespace sdfg {

std::vector<NodeId> nodes_in_scope(const State& state, const ScopeTree& tree, NodeId entry) {
  // What is in a scope is reached from its entry without passing its exit.
  const NodeId exit = tree.exit_of(entry);
  std::set<NodeId> found;
  if (exit) found.insert(exit);
  std::vector<NodeId> open{entry};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    for (EdgeId e : state.out(node))
      if (const NodeId next = state.target(e); found.insert(next).second) open.push_back(next);
  }
  return {found.begin(), found.end()};
}

}  // namespace sdfg
