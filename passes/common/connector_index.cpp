#include "passes/common/connector_index.h"

namespace sdfg {

const std::vector<EdgeId>& ConnectorIndex::behind(EdgeId edge) {
  static const std::vector<EdgeId> nothing;
  const NodeId node = state_.target(edge);
  if (!state_[node].is_entry() && !state_[node].is_exit()) return nothing;
  const std::string onward = matching_connector(state_[edge].dst_connector);
  if (onward.empty()) return nothing;
  const auto [at, first] = out_.try_emplace(node.value);
  if (first)
    for (EdgeId e : state_.out(node)) at->second[state_[e].src_connector].push_back(e);
  const auto found = at->second.find(onward);
  return found == at->second.end() ? nothing : found->second;
}

const std::vector<EdgeId>& ConnectorIndex::before(EdgeId edge) {
  static const std::vector<EdgeId> nothing;
  const NodeId node = state_.source(edge);
  if (!state_[node].is_entry() && !state_[node].is_exit()) return nothing;
  const std::string back = matching_connector(state_[edge].src_connector);
  if (back.empty()) return nothing;
  const auto [at, first] = in_.try_emplace(node.value);
  if (first)
    for (EdgeId e : state_.in(node)) at->second[state_[e].dst_connector].push_back(e);
  const auto found = at->second.find(back);
  return found == at->second.end() ? nothing : found->second;
}

std::vector<EdgeId> ConnectorIndex::leaves(EdgeId edge, bool read) {
  std::vector<EdgeId> open{edge}, out;
  while (!open.empty()) {
    const EdgeId e = open.back();
    open.pop_back();
    const std::vector<EdgeId>& next = read ? behind(e) : before(e);
    if (next.empty()) out.push_back(e);
    open.insert(open.end(), next.begin(), next.end());
  }
  return out;
}

void rename_onward(State& state, ConnectorIndex& index, EdgeId edge, const std::string& from,
                   const std::string& to) {
  index.for_each_onward(edge, [&](EdgeId e) {
    if (state[e].memlet.data == from) state[e].memlet.data = to;
  });
}

}  // namespace sdfg
