#include "passes/common/split_state.h"

#include <algorithm>
#include <map>
#include <vector>

#include "passes/common/tidy.h"

namespace sdfg {

StateCut::StateCut(const Sdfg& sdfg, const State& state, NodeId node)
    : sdfg_(sdfg), state_(state), node_(node) {
  std::vector<NodeId> open{node};
  while (!open.empty()) {
    const NodeId n = open.back();
    open.pop_back();
    for (EdgeId e : state.out(n))
      if (after_.insert(state.target(e)).second) open.push_back(state.target(e));
  }
}

Refusal StateCut::check() const {
  for (NodeId n : after_)
    for (EdgeId e : state_.in(n))
      if (state_.source(e) != node_ && !after_.contains(state_.source(e)))
        if (Refusal why = check_edge(e)) return why;
  return {};
}

/// Of an edge from the first to the second part.
Refusal StateCut::check_edge(EdgeId edge) const {
  const Edge& e = state_[edge];
  if (e.memlet.empty() && e.src_connector.empty()) return {};
  const NodeId from = state_.source(edge), to = state_.target(edge);
  const auto plain = [&](NodeId n) {
    const auto* access = state_[n].as<AccessNode>();
    const Data* data = access ? sdfg_.find_data(access->data) : nullptr;
    return data && data->role() == Role::Plain && !data->is_stream() && !access->setzero;
  };
  // An access node can stand on both sides: in front as what is written, or behind as what is read.
  if (plain(from)) {
    const auto* view = state_[to].as<AccessNode>();
    const Data* data = view ? sdfg_.find_data(view->data) : nullptr;
    if (!data || data->role() == Role::Plain) return {};
    return "what view or reference '" + view->data + "' looks at comes before the node";
  }
  if (plain(to) && !state_[from].is<AccessNode>()) return {};
  return "the state cannot be cut between '" + std::string(state_[from].label()) + "' and '" +
         std::string(state_[to].label()) + "'";
}

void StateCut::apply(State& state, State& second) const {
  std::map<NodeId, NodeId> moved, read_again, written_here;
  std::set<NodeId> crossed;  // nodes here with edges across the cut
  std::vector<EdgeId> edges;
  for (NodeId n : after_) {
    // What crosses the cut looks at the node here first.
    for (EdgeId e : state.in(n)) edges.push_back(e);
    moved[n] = second.add(state[n]);
  }
  for (const auto& [old, n] : moved) {
    Node& node = second[n];
    if (auto* exit = node.as<MapExit>()) exit->entry = moved.at(exit->entry);
    if (auto* exit = node.as<ConsumeExit>()) exit->entry = moved.at(exit->entry);
  }
  std::ranges::sort(edges);
  for (EdgeId e : edges) {
    const NodeId from = state.source(e), to = state.target(e);
    if (const auto source = moved.find(from); source != moved.end()) {
      second.connect(source->second, moved.at(to), std::move(state[e]));
      continue;
    }
    if (from == node_) continue;
    crossed.insert(from);
    if (state[e].memlet.empty() && state[e].src_connector.empty()) continue;
    if (state[from].is<AccessNode>()) {
      NodeId& again = read_again[from];
      if (!again) again = second.add(Node{AccessNode{state.get<AccessNode>(from).data}});
      second.connect(again, moved.at(to), std::move(state[e]));
    } else {
      NodeId& here = written_here[to];
      if (!here) here = state.add(Node{AccessNode{state.get<AccessNode>(to).data}});
      state.set_target(e, here);
    }
  }
  for (NodeId n : after_) state.erase(n);
  for (NodeId n : crossed) drop_if_loose(state, n);
  for (const auto& [old, n] : moved) drop_if_loose(second, n);
}

}  // namespace sdfg
