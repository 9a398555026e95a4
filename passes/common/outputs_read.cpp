#include "passes/common/outputs_read.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/used_names.h"
#include "ir/walk.h"
#include "passes/common/order_edge.h"
#include "passes/common/private_data.h"
#include "passes/common/scope.h"

namespace sdfg {
namespace {

/// Containers of the SDFG that something reads, but for nested SDFGs at outputs.
NameSet read_inside(const Sdfg& sdfg) {
  NameSet out = containers_read_by_name(sdfg);
  for_each_state(sdfg, [&](const State& state) {
    for (NodeId n : state.nodes_of<AccessNode>())
      if (std::ranges::any_of(state.out(n), [&](EdgeId e) { return !state[e].memlet.empty(); }))
        out.insert(state.get<AccessNode>(n).data);
  });
  return out;
}


/// An edge with data in place of one that only said to wait.
void connect(State& state, NodeId from, NodeId to, Edge edge) {
  for (EdgeId wait : std::vector(state.in(to).begin(), state.in(to).end()))
    if (state.source(wait) == from && state[wait].memlet.empty()) state.erase(wait);
  state.connect(from, to, std::move(edge));
}

/// An access node of the container behind all that the node waits for.
NodeId node_before(const Sdfg& sdfg, State& state, NodeId node, const std::string& container) {
  std::set<NodeId> before, same;
  for (EdgeId e : state.in(node)) before.insert(state.source(e));
  for (NodeId n : before)
    if (const auto* access = state[n].as<AccessNode>(); access && access->data == container)
      same.insert(n);
  if (same.size() == 1) return *same.begin();
  const NodeId added = state.add(Node{AccessNode{container}});
  for (NodeId n : before) order(sdfg, state, n, added);
  return added;
}

/// Leads the container that an output of a nested SDFG goes to into it, too.
void lead_in(const Sdfg& sdfg, State& state, EdgeId output) {
  const std::vector<EdgeId> path = memlet_path(state, output);  // outward
  const auto* end = state[state.target(path.back())].as<AccessNode>();
  const Data* data = end ? sdfg.arrays.get(end->data) : nullptr;
  if (!data || data->role() != Role::Plain || data->is_stream() || data->is_structure()) return;
  const std::string container = end->data;
  for (EdgeId e : path) {
    const Memlet& memlet = state[e].memlet;
    const Node& to = state[state.target(e)];
    if (memlet.wcr || memlet.data != container || !memlet.dst_subset ||
        (to.is_exit() && !to.is<MapExit>()))
      return;
  }
  NodeId to = state.source(output);
  std::string connector = state[output].src_connector;
  state[to].in_connectors.emplace(connector, Type());
  for (EdgeId e : path) {
    Memlet read = Memlet::read(container, *state[e].memlet.dst_subset);
    read.dynamic = state[e].memlet.dynamic;
    if (const auto* exit = state[state.target(e)].as<MapExit>()) {
      const NodeId entry = exit->entry;
      const std::string port = add_port(state[entry], container);
      connect(state, entry, to, Edge{"OUT_" + port, connector, std::move(read)});
      to = entry, connector = "IN_" + port;
      continue;
    }
    connect(state, node_before(sdfg, state, to, container), to,
            Edge{"", connector, std::move(read)});
  }
}

void connect_at(const Sdfg& sdfg, State& state, NodeId node) {
  Sdfg& inner = **state.get<NestedSdfg>(node).sdfg;
  std::vector<EdgeId> outputs;
  for (EdgeId e : state.out(node))
    if (!state[e].memlet.empty() && !state[node].in_connectors.contains(state[e].src_connector))
      outputs.push_back(e);
  if (outputs.empty()) return;
  const NameSet read = read_inside(inner);
  for (EdgeId e : outputs) {
    const std::string name = state[e].src_connector;
    if (read.contains(name) && inner.arrays.contains(name) &&
        !state[node].in_connectors.contains(name) && !written_before_read(inner, inner, name))
      lead_in(sdfg, state, e);
  }
}

/// Nested SDFGs that hand an output on to so many levels are not looked into: they may.
constexpr int most_levels = 8;

bool combines(const State& state, EdgeId edge, int level) {
  if (state[edge].memlet.wcr) return true;
  const auto* nested = state[state.source(edge)].as<NestedSdfg>();
  if (!nested || !nested->sdfg) return false;
  if (level == most_levels) return true;
  const std::string& name = state[edge].src_connector;
  bool found = false;
  for_each_state(**nested->sdfg, [&](const State& inside) {
    for (NodeId n : inside.nodes_of<AccessNode>()) {
      if (found || inside.get<AccessNode>(n).data != name) continue;
      for (EdgeId e : inside.in(n)) found = found || combines(inside, e, level + 1);
    }
  });
  return found;
}

}  // namespace

/// From the inside out: an input is a read of the SDFG around.
void connect_outputs_read(Sdfg& sdfg) {
  for_each_state(sdfg, [&](State& state) {
    const std::vector<NodeId> nodes(state.nodes().begin(), state.nodes().end());
    for (NodeId n : nodes) {
      auto* nested = state[n].as<NestedSdfg>();
      if (!nested || !nested->sdfg) continue;
      connect_outputs_read(**nested->sdfg);
      connect_at(sdfg, state, n);
    }
  });
}

bool combines(const State& state, EdgeId edge) { return combines(state, edge, 0); }

}  // namespace sdfg
