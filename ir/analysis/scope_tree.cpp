#include "ir/analysis/scope_tree.h"

#include <algorithm>

#include "ir/graph_algorithms.h"
#include "ir/place.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

/// Only these say anything about scopes; the others are not looked at.
bool may_bound_scope(const State& state, NodeId id) {
  const std::uint8_t kind = state.kind_of(id);
  return kind != Node::number_of<AccessNode> && kind != Node::number_of<Tasklet> &&
         kind != Node::number_of<NestedSdfg> && kind != Node::number_of<LibraryNode>;
}

NodeId entry_of_exit(const Node& node) {
  if (const auto* e = node.as<MapExit>()) return e->entry;
  if (const auto* e = node.as<ConsumeExit>()) return e->entry;
  if (const auto* o = node.as<OtherNode>(); o && o->entry) return *o->entry;
  return {};
}

}  // namespace

bool ScopeTree::contains(NodeId entry, NodeId node) const {
  return any_around(node, [&](NodeId at) { return at == entry; });
}

std::vector<NodeId> ScopeTree::enclosing(NodeId node) const {
  std::vector<NodeId> entries;
  for (NodeId at = parent_of(node); at; at = parent_of(at)) entries.push_back(at);
  return entries;
}

// A node's scope follows from any predecessor: inside of an entry, outside of an exit, beside
// everything else. All predecessors must agree.
Result<Dataflow> dataflow(const State& state) {
  auto order = topological_order(state);
  if (!order) return Diagnostic{"", "the dataflow graph has a cycle, so its scopes are undefined"};
  Dataflow flow{*std::move(order), {}};
  ScopeTree& tree = flow.tree;
  tree.parent.resize(state.id_bound());
  tree.exit.resize(state.id_bound());
  const auto bounds_scope = [&](NodeId n) { return may_bound_scope(state, n); };
  if (std::ranges::none_of(state.nodes(), bounds_scope)) return flow;
  std::vector<bool> opens(state.id_bound());
  std::vector<NodeId> closes(state.id_bound());  // of an exit: its entry
  const auto entry_name = [&](NodeId scope) {
    return scope ? Place().node(state, scope).text() : std::string("the top level");
  };
  for (NodeId n : state.nodes()) {
    if (!bounds_scope(n)) continue;
    const NodeId entry = entry_of_exit(state[n]);
    closes[n.value] = entry;
    if (state[n].is_entry()) opens[n.value] = true;
    if (!entry) {
      if (state[n].is_exit())
        return Diagnostic{Place().node(state, n).text(), "the exit names no entry"};
      continue;
    }
    if (!state.contains(entry) || !state[entry].is_entry())
      return Diagnostic{
          Place().node(state, n).text(),
          "the exit names entry " + std::to_string(entry.value) + ", which " +
              (state.contains(entry) ? "is none" : "does not exist")};
    if (tree.exit[entry.value])
      return Diagnostic{Place().node(state, n).text(),
                        "the entry has another exit already: node " +
                            std::to_string(tree.exit[entry.value].value)};
    opens[entry.value] = true;
    tree.exit[entry.value] = n;
  }
  for (NodeId n : flow.order) {
    const NodeId own_entry = closes[n.value];
    bool first = true;
    NodeId scope;
    for (EdgeId e : state.in(n)) {
      const NodeId from = state.source(e);
      NodeId here = tree.parent[from.value];
      if (opens[from.value]) here = from;
      if (const NodeId closed = closes[from.value]) here = tree.parent[closed.value];
      if (first)
        scope = here;
      else if (here != scope)
        return Diagnostic{
            Place().node(state, n).text(),
            "is reached from two scopes: " + entry_name(scope) + " and " + entry_name(here)};
      first = false;
    }
    if (own_entry) {
      if (first) scope = own_entry;  // an exit without in-edges still closes its scope
      if (scope != own_entry)
        return Diagnostic{Place().node(state, n).text(),
                          "closes " + entry_name(own_entry) + " but lies in " + entry_name(scope)};
    }
    tree.parent[n.value] = scope;
  }
  return flow;
}

Result<ScopeTree> scope_tree(const State& state) {
  SDFG_TRY(Dataflow flow, dataflow(state));
  return std::move(flow.tree);
}

namespace {

Status add_dataflows(const Sdfg& sdfg, Dataflows& out) {
  Status status = Ok{};
  for_each_state(sdfg, [&](const State& state, const Block& block) {
    if (!status) return;
    const Place place = Place().block(block);
    auto flow = dataflow(state);
    if (!flow) {
      status = inside(place, flow.error());
      return;
    }
    out.emplace(&state, *std::move(flow));
    for (NodeId id : state.nodes_of<NestedSdfg>())
      if (const auto& nested = state.get<NestedSdfg>(id).sdfg; nested && status)
        if (auto inner = add_dataflows(**nested, out); !inner)
          status = inside(place.node(state, id), inner.error());
  });
  return status;
}

}  // namespace

Result<Dataflows> dataflows(const Sdfg& sdfg) {
  Dataflows all;
  if (auto status = add_dataflows(sdfg, all); !status) return status.error();
  return all;
}

Dataflow dataflow_of(const State& state) { return *dataflow(state); }

ScopeTree scope_tree_of(const State& state) { return dataflow_of(state).tree; }

std::vector<NodeId> scope_children(const ScopeTree& tree, const std::vector<NodeId>& order,
                                   NodeId entry) {
  std::vector<NodeId> children;
  NodeId exit;
  for (NodeId n : order) {
    if (tree.parent_of(n) != entry) continue;
    if (entry && tree.exit_of(entry) == n)
      exit = n;
    else
      children.push_back(n);
  }
  if (exit) children.push_back(exit);
  return children;
}

}  // namespace sdfg
