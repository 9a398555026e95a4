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

void rename_onward(State& state, ConnectorIndex& index, EdgeId edge, const std::string& from,
                   const std::string& to) {
  index.for_each_onward(edge, [&](EdgeId e) {
    if (state[e].memlet.data == from) state[e].memlet.data = to;
  });
}

}  // namespace sdfg
