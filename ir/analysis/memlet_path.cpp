#include "ir/analysis/memlet_path.h"

#include <algorithm>

namespace sdfg {
namespace {

bool is_scope_node(const Node& node) {
  return node.is_entry() || node.is_exit() || node.is<OtherNode>();
}

/// "IN_A" and "OUT_A".
bool are_matching(std::string_view in, std::string_view out) {
  return in.starts_with("IN_") && out.starts_with("OUT_") && in.substr(3) == out.substr(4);
}

/// The first edge that continues `edge` backward or forward through a scope node.
std::optional<EdgeId> previous(const State& state, EdgeId edge) {
  const NodeId node = state.source(edge);
  const std::string& connector = state[edge].src_connector;
  if (!is_scope_node(state[node]) || !connector.starts_with("OUT_")) return std::nullopt;
  for (EdgeId e : state.in(node))
    if (are_matching(state[e].dst_connector, connector)) return e;
  return std::nullopt;
}
std::optional<EdgeId> next(const State& state, EdgeId edge) {
  const NodeId node = state.target(edge);
  const std::string& connector = state[edge].dst_connector;
  if (!is_scope_node(state[node]) || !connector.starts_with("IN_")) return std::nullopt;
  for (EdgeId e : state.out(node))
    if (are_matching(connector, state[e].src_connector)) return e;
  return std::nullopt;
}

}  // namespace

// On a graph with a cycle a path could run in circles; the number of edges bounds it.
std::vector<EdgeId> memlet_path(const State& state, EdgeId edge) {
  std::vector<EdgeId> path{edge};
  while (path.size() <= state.edge_count()) {
    const auto before = previous(state, path.back());
    if (!before) break;
    path.push_back(*before);
  }
  std::ranges::reverse(path);
  while (path.size() <= 2 * state.edge_count()) {
    const auto after = next(state, path.back());
    if (!after) break;
    path.push_back(*after);
  }
  return path;
}

NodeId path_source(const State& state, EdgeId edge) {
  for (std::size_t steps = 0; steps <= state.edge_count(); ++steps) {
    const auto before = previous(state, edge);
    if (!before) break;
    edge = *before;
  }
  return state.source(edge);
}

NodeId path_target(const State& state, EdgeId edge) {
  for (std::size_t steps = 0; steps <= state.edge_count(); ++steps) {
    const auto after = next(state, edge);
    if (!after) break;
    edge = *after;
  }
  return state.target(edge);
}

NodeId popped_by(const State& state, EdgeId edge) {
  for (std::size_t steps = 0; steps <= state.edge_count(); ++steps) {
    const NodeId source = state.source(edge);
    if (state[source].is<ConsumeEntry>() && state[edge].src_connector == "OUT_stream")
      return source;
    const auto before = previous(state, edge);
    if (!before) break;
    edge = *before;
  }
  return {};
}

std::vector<EdgeId> path_leaves(const State& state, EdgeId edge) {
  // Inner edges lie behind an entry on the way down, before an exit on the way up.
  std::vector<EdgeId> leaves, open{edge};
  std::vector<bool> seen(state.edge_id_bound());
  while (!open.empty()) {
    const EdgeId e = open.back();
    open.pop_back();
    if (seen[e.value]) continue;
    seen[e.value] = true;
    const NodeId from = state.source(e), to = state.target(e);
    bool leaf = true;
    if (state[to].is_entry() && state[e].dst_connector.starts_with("IN_")) {
      const std::string wanted = matching_connector(state[e].dst_connector);
      for (EdgeId inner : state.out(to))
        if (state[inner].src_connector == wanted) open.push_back(inner), leaf = false;
    } else if (state[from].is_exit() && state[e].src_connector.starts_with("OUT_")) {
      const std::string wanted = matching_connector(state[e].src_connector);
      for (EdgeId inner : state.in(from))
        if (state[inner].dst_connector == wanted) open.push_back(inner), leaf = false;
    }
    if (leaf) leaves.push_back(e);
  }
  std::ranges::sort(leaves);
  return leaves;
}

const std::optional<Subset>& subset_at(const Memlet& memlet, const std::string& name, bool write) {
  const auto& side = write ? memlet.dst_subset : memlet.src_subset;
  // Memlets of code name the container whichever end they are attached to.
  return !side && memlet.data == name ? memlet.subset() : side;
}
std::optional<Subset>& subset_at(Memlet& memlet, const std::string& name, bool write) {
  return const_cast<std::optional<Subset>&>(subset_at(std::as_const(memlet), name, write));
}

std::optional<EdgeId> viewed_edge(const Sdfg&, const State& state, NodeId view) {
  std::vector<EdgeId> in, out;
  for (EdgeId e : state.in(view))
    if (!state[e].memlet.empty()) in.push_back(e);
  for (EdgeId e : state.out(view)) out.push_back(e);
  const auto leads_to_data = [&](EdgeId e, bool backward) {
    return state[backward ? path_source(state, e) : path_target(state, e)].is<AccessNode>();
  };
  if (in.empty() && out.empty()) return std::nullopt;
  if (in.size() == 1 && out.size() != 1)
    return leads_to_data(in[0], true) ? std::optional(in[0]) : std::nullopt;
  if (out.size() == 1 && in.size() != 1)
    return leads_to_data(out[0], false) ? std::optional(out[0]) : std::nullopt;
  if (in.size() != 1 || out.size() != 1) return std::nullopt;
  const EdgeId i = in[0], o = out[0];
  const bool data_in = leads_to_data(i, true), data_out = leads_to_data(o, false);
  if (!data_in && !data_out) return std::nullopt;
  if (data_in != data_out) return data_in ? i : o;
  if (state[i].dst_connector == "views") return i;
  if (state[o].src_connector == "views") return o;
  const std::string& name = state.get<AccessNode>(view).data;
  const bool in_names_view = state[i].memlet.data == name,
             out_names_view = state[o].memlet.data == name;
  if (in_names_view && out_names_view) return std::nullopt;
  if (in_names_view) return o;
  if (out_names_view) return i;
  // Neither names the view: the side that crosses a scope, else the in-edge.
  if (state[state.source(i)].is_entry()) return i;
  if (state[state.target(o)].is_exit()) return o;
  return i;
}

}  // namespace sdfg
