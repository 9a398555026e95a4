#include "passes/maps/map_body.h"

#include <algorithm>

#include "passes/common/order_edge.h"

namespace sdfg {

void MapBody::number(const State& state, const ScopeTree& tree, const std::vector<NodeId>& nodes,
                     const std::set<EdgeId>& cut) {
  std::map<NodeId, NodeId> first;  // a node of the same computation with a smaller id, or itself
  const auto find = [&](NodeId n) {
    while (first.at(n) != n) n = first[n] = first.at(first.at(n));
    return n;
  };
  const auto join = [&](NodeId a, NodeId b) {
    a = find(a), b = find(b);
    first[std::max(a, b)] = std::min(a, b);
  };
  for (NodeId n : nodes) first.emplace(n, n);
  for (NodeId n : nodes) {
    if (state[n].is_entry()) join(n, tree.exit_of(n));
    for (EdgeId e : state.out(n))
      if (carries_data(state[e]) && first.contains(state.target(e)) && !cut.contains(e))
        join(n, state.target(e));
  }
  for (NodeId n : nodes) {
    const NodeId root = find(n);
    if (root == n)
      part_of[n] = parts++;
    else
      part_of[n] = part_of.at(root);
  }
}

bool has_cycle(const State& state, const MapBody& body) {
  // Computations, then access nodes.
  std::map<NodeId, std::size_t> number = body.part_of;
  for (NodeId n : body.access) number.emplace(n, number.size() + body.parts);
  std::map<std::size_t, std::set<std::size_t>> next;
  std::map<std::size_t, std::size_t> waits;
  for (const auto& [node, from] : number) {
    next[from];
    for (EdgeId e : state.out(node)) {
      const auto to = number.find(state.target(e));
      if (to != number.end() && to->second != from && next[from].insert(to->second).second)
        ++waits[to->second];
    }
  }
  std::vector<std::size_t> ready;
  for (const auto& [at, successors] : next)
    if (!waits.contains(at)) ready.push_back(at);
  std::size_t done = 0;
  for (; done < ready.size(); ++done)
    for (std::size_t to : next.at(ready[done]))
      if (--waits.at(to) == 0) ready.push_back(to);
  return done < next.size();
}

std::vector<EdgeId> edges_inward(const State& state, EdgeId from, bool reads) {
  std::vector<EdgeId> found, todo{from};
  while (!todo.empty()) {
    const EdgeId e = todo.back();
    todo.pop_back();
    found.push_back(e);
    const NodeId end = reads ? state.target(e) : state.source(e);
    const std::string& connector = reads ? state[e].dst_connector : state[e].src_connector;
    if (reads ? !state[end].is_entry() || !connector.starts_with("IN_") : !state[end].is_exit())
      continue;
    const std::string onward = matching_connector(connector);
    for (EdgeId next : reads ? state.out(end) : state.in(end))
      if ((reads ? state[next].src_connector : state[next].dst_connector) == onward)
        todo.push_back(next);
  }
  return found;
}

}  // namespace sdfg
