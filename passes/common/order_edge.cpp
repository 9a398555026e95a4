#include "passes/common/order_edge.h"

#include "ir/analysis/memlet_path.h"

namespace sdfg {
namespace {

/// The access node that a library node alone reads its first operand from; made if need be. A view
/// cannot be doubled without its viewing edge.
std::optional<NodeId> operand_of(const Sdfg& sdfg, State& state, NodeId library) {
  for (EdgeId e : state.in(library)) {
    const NodeId from = state.source(e);
    if (state[e].memlet.empty() || !state[from].is<AccessNode>()) continue;
    if (state.out(from).size() == 1 && state.in(from).empty()) return from;
    const std::string name = state.get<AccessNode>(from).data;
    if (const Data* data = sdfg.find_data(name); !data || data->role() != Role::Plain) continue;
    const NodeId own = state.add(Node{AccessNode{name}});
    state.connect(from, own, {});
    state.set_source(e, own);
    return own;
  }
  return std::nullopt;
}

/// An access node between a library node and where its first result goes, which waits for others,
/// too; made.
std::optional<NodeId> result_of(const Sdfg& sdfg, State& state, NodeId library) {
  for (EdgeId e : state.out(library)) {
    const NodeId to = state.target(e);
    if (state[e].memlet.empty() || !state[to].is<AccessNode>()) continue;
    const std::string name = state.get<AccessNode>(to).data;
    if (const Data* data = sdfg.find_data(name); !data || data->role() != Role::Plain) continue;
    const NodeId own = state.add(Node{AccessNode{name}});
    state.set_target(e, own);
    state.connect(own, to, {});
    return own;
  }
  return std::nullopt;
}

/// The access node that a view hands on to. Another out-edge would make it unclear which of a
/// view's edges tells what it looks at.
std::optional<NodeId> viewed_behind(const Sdfg& sdfg, const State& state, NodeId node) {
  const auto* access = state[node].as<AccessNode>();
  const Data* data = access ? sdfg.find_data(access->data) : nullptr;
  if (!data || !data->is_view()) return std::nullopt;
  const auto edge = viewed_edge(sdfg, state, node);
  if (!edge || state.source(*edge) != node || !state[state.target(*edge)].is<AccessNode>())
    return std::nullopt;
  return state.target(*edge);
}

}  // namespace

std::optional<NodeId> end_to_wait_for(const State& state, NodeId node) {
  if (!state[node].is<LibraryNode>()) return node;
  std::optional<NodeId> result;
  for (EdgeId e : state.out(node)) {
    if (state[e].memlet.empty()) continue;
    const NodeId to = state.target(e);
    if (result || !state[to].is<AccessNode>() || state.in(to).size() != 1) return std::nullopt;
    result = to;
  }
  return result;
}

void order(const Sdfg& sdfg, State& state, NodeId before, NodeId after) {
  for (std::size_t steps = 0; steps < state.node_count(); ++steps) {
    const auto viewed = viewed_behind(sdfg, state, before);
    if (!viewed) break;
    before = *viewed;  // which may be a view again
  }
  if (const auto end = end_to_wait_for(state, before)) before = *end;
  else before = result_of(sdfg, state, before).value_or(before);
  if (state[after].is<LibraryNode>())
    if (const auto operand = operand_of(sdfg, state, after)) after = *operand;
  if (before != after) state.connect(before, after, {});
}

}  // namespace sdfg
