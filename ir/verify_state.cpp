#include <algorithm>
#include <map>

#include "ir/analysis/free_symbols.h"
#include "ir/graph_algorithms.h"
#include "ir/verify_context.h"

namespace sdfg::detail {
namespace {

/// "IN_" on one side of a scope node, and what it must match on the other.
void matching(const State& state, NodeId id, Findings& findings) {
  const Node& node = state[id];
  const auto check = [&](const Connectors& here, const Connectors& there, std::string_view prefix,
                         std::string_view side, std::string_view other_side) {
    for (const auto& [name, type] : here) {
      if (!name.starts_with(prefix)) continue;
      const std::string match = matching_connector(name);
      if (!there.contains(match))
        findings.error(Place().node(state, id),
                       std::string(side) + " connector '" + name + "' has no " +
                           std::string(other_side) + " connector '" + match + "'");
    }
  };
  check(node.in_connectors, node.out_connectors, "IN_", "in", "out");
  check(node.out_connectors, node.in_connectors, "OUT_", "out", "in");
}

/// Follows memlet paths for all edges at once, each edge once. Where several edges continue a path,
/// the first counts.
class Paths {
 public:
  explicit Paths(const State& state) : state_(state) {
    for (NodeId n : state.nodes()) {
      if (!state[n].is_entry() && !state[n].is_exit()) continue;
      for (EdgeId e : state.in(n)) into_.emplace(key(n, state[e].dst_connector), e);
      for (EdgeId e : state.out(n)) out_of_.emplace(key(n, state[e].src_connector), e);
    }
  }

  std::vector<NodeId> sources() {
    return ends([&](EdgeId e) { return previous(e); }, [&](EdgeId e) { return state_.source(e); });
  }
  std::vector<NodeId> targets() {
    return ends([&](EdgeId e) { return next(e); }, [&](EdgeId e) { return state_.target(e); });
  }

 private:
  using Key = std::pair<NodeId, std::string_view>;
  static Key key(NodeId node, std::string_view connector) { return {node, connector}; }

  EdgeId previous(EdgeId e) const {
    const std::string_view connector = state_[e].src_connector;
    if (!connector.starts_with("OUT_")) return {};
    const auto found = into_.find(key(state_.source(e), matching_connector(connector)));
    return found == into_.end() ? EdgeId{} : found->second;
  }
  EdgeId next(EdgeId e) const {
    const std::string_view connector = state_[e].dst_connector;
    if (!connector.starts_with("IN_")) return {};
    const auto found = out_of_.find(key(state_.target(e), matching_connector(connector)));
    return found == out_of_.end() ? EdgeId{} : found->second;
  }

  template <class Step, class End>
  std::vector<NodeId> ends(Step step, End end) const {
    std::vector<NodeId> result(state_.edge_id_bound());
    std::vector<EdgeId> path;
    for (EdgeId e : state_.edges()) {
      path.clear();
      EdgeId at = e;
      while (!result[at.value]) {
        path.push_back(at);
        const EdgeId on = step(at);
        if (!on) break;
        at = on;
      }
      const NodeId last = result[at.value] ? result[at.value] : end(at);
      for (EdgeId p : path) result[p.value] = last;
    }
    return result;
  }

  const State& state_;
  std::map<Key, EdgeId> into_, out_of_;
};

void verify_scopes(const StateScope& s, EdgeId e, Findings& findings) {
  const NodeId from = s.path_source[e.value], to = s.path_target[e.value];
  const NodeId outer_from = s.tree.parent_of(from), outer_to = s.tree.parent_of(to);
  if (outer_from == outer_to || from == outer_to) return;
  if (!outer_from || s.tree.contains(outer_from, to)) return;  // into a scope
  const Place where = Place().edge(s.state, e);
  const bool out = !outer_to || s.tree.contains(outer_to, from);
  if (!out)
    findings.error(where, "connects two scopes neither of which contains the other");
  else if (!s.state[to].is<AccessNode>() && !s.state[e].memlet.empty())
    findings.error(where, "leaves a scope towards " + Place().node(s.state, to).text() +
                              ", but only an access node can take data there");
}

}  // namespace

void verify_connectors(const SdfgScope& scope, const State& state, NodeId id, Findings& findings) {
  const Node& node = state[id];
  const Sdfg& sdfg = scope.sdfg;
  const auto where = [&] { return Place().node(state, id); };
  if (node.is_entry() || node.is_exit()) matching(state, id, findings);
  const bool passes_containers = node.is<NestedSdfg>() || node.is<LibraryNode>();
  if (!passes_containers) {
    for (const auto& [name, type] : node.in_connectors)
      if (node.out_connectors.contains(name))
        findings.error(where(), "connector '" + name + "' is both an in and an out connector",
                       "rename one of them");
    if (!node.is_entry())
      for (const auto* connectors : {&node.in_connectors, &node.out_connectors})
        for (const auto& [name, type] : *connectors)
          if (sdfg.symbols.contains(name) || sdfg.arrays.contains(name) ||
              scope.constants->contains(name))
            findings.error(where(),
                           "connector '" + name + "' has the name of a " +
                               (sdfg.arrays.contains(name)    ? "container"
                                : sdfg.symbols.contains(name) ? "symbol"
                                                              : "constant"),
                           "rename the connector");
  }
  const auto edges = [&](const Connectors& connectors, std::span<const EdgeId> list, bool in) {
    std::map<std::string_view, std::size_t> count;
    for (EdgeId e : list) {
      const std::string& name = in ? state[e].dst_connector : state[e].src_connector;
      if (name.empty()) continue;
      // At an access node, the edge's word suffices.
      if (!connectors.contains(name) && !node.is<AccessNode>())
        findings.error(Place().edge(state, e),
                       (in ? "ends at connector '" : "starts at connector '") + name + "', which " +
                           where().text() + " does not have");
      ++count[name];
    }
    const bool one = in ? !node.is_exit() : node.is_exit() || node.is_code();
    for (const auto& [name, type] : connectors) {
      const auto found = count.find(name);
      const std::size_t n = found == count.end() ? 0 : found->second;
      if (n == 1 || (n > 1 && !one)) continue;
      const std::string connector = std::string(in ? "in" : "out") + " connector '" + name + "' ";
      if (n == 0)
        findings.error(where(), connector + "has no edge", "remove the connector or connect it");
      else
        findings.error(where(), connector + "must have one edge, found " + std::to_string(n));
    }
  };
  edges(node.in_connectors, state.in(id), true);
  edges(node.out_connectors, state.out(id), false);
}

void verify_state(const SdfgScope& scope, const State& state, const SymbolFlow::Point& point,
                  Findings& findings) {
  if (const std::vector<NodeId> cycle = find_cycle(state); !cycle.empty()) {
    std::string text;
    for (std::size_t i = 0; i < cycle.size() && i < 8; ++i)
      text += (i ? " -> " : "") + std::string("n") + std::to_string(cycle[i].value);
    text += cycle.size() > 8 ? " -> ..." : " -> n" + std::to_string(cycle.front().value);
    findings.error(
        {}, "the dataflow has a cycle: " + text,
        "a state must be acyclic; use another access node for the second version of the data");
    for (NodeId n : state.nodes()) verify_connectors(scope, state, n, findings);
    return;
  }
  auto tree = scope_tree(state);
  if (!tree) {
    findings.error(Place().in(tree.error().place), tree.error().message, tree.error().hint);
    for (NodeId n : state.nodes()) verify_connectors(scope, state, n, findings);
    return;
  }
  StateScope s{scope, state, point, *std::move(tree), {}, {}, {}, {}};
  s.range_hash.resize(state.id_bound());
  Paths paths(state);
  s.path_source = paths.sources();
  s.path_target = paths.targets();
  for (NodeId n : state.nodes()) {
    if (state.in(n).empty() && state.out(n).empty() && !state[n].is_code())
      findings.error(Place().node(state, n), "has no edges", "remove the node");
    verify_node(s, n, findings);
    verify_connectors(scope, state, n, findings);
  }
  for (EdgeId e : state.edges()) {
    verify_memlet(s, e, findings);
    verify_scopes(s, e, findings);
  }
}

}  // namespace sdfg::detail
