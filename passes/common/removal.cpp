#include "passes/common/removal.h"

#include <algorithm>
#include <ranges>

#include "ir/analysis/memlet_path.h"
#include "passes/common/order_edge.h"
#include "passes/common/viewed.h"

namespace sdfg {
namespace {

/// How far the question for an order looks in each direction; beyond it the answer is "needed".
constexpr std::size_t horizon = 256;
/// Of more writers of one access node it is not asked what they write.
constexpr std::size_t most_writers = 8;

bool connected(const State& state, NodeId from, NodeId to) {
  if (state.out(from).size() <= state.in(to).size())
    return std::ranges::any_of(state.out(from), [&](EdgeId e) { return state.target(e) == to; });
  return std::ranges::any_of(state.in(to), [&](EdgeId e) { return state.source(e) == from; });
}

/// Is there a path without the nodes that go, as far as a short search tells? A "no" costs a
/// redundant empty memlet.
bool reaches(const State& state, NodeId from, NodeId to, const std::set<NodeId>& gone) {
  std::vector<NodeId> open{to};
  std::set<NodeId> seen{to};
  for (std::size_t at = 0; at < open.size() && at < horizon; ++at) {
    if (open[at] == from) return true;
    for (EdgeId e : state.in(open[at]))
      if (const NodeId next = state.source(e); !gone.contains(next) && seen.insert(next).second)
        open.push_back(next);
  }
  return false;
}

std::vector<EdgeId> writes(const State& state, NodeId access) {
  std::vector<EdgeId> out;
  for (EdgeId e : state.in(access))
    if (!state[e].memlet.empty()) out.push_back(e);
  return out;
}

/// May one of an access node's writers write what another one has written?
bool overwrites(const State& state, NodeId access) {
  const std::vector<EdgeId> all = writes(state, access);
  if (all.size() > most_writers) return true;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = state[all[i]].memlet.dst_subset, &b = state[all[j]].memlet.dst_subset;
      if (!a || !b || intersects(*a, *b) != Truth::No) return true;
    }
  return false;
}

}  // namespace

void Removal::apply() {
  // From the last to the first, so that everything behind a node that goes is there to stay.
  for (NodeId node : order_ | std::views::reverse)
    if (nodes_.contains(node)) bridge(node);
  for (EdgeId edge : edges_)
    if (state_.contains(edge)) drop_edge(edge);
  for (NodeId node : nodes_) {
    for (EdgeId e : state_.in(node)) forget(e);
    for (EdgeId e : state_.out(node)) forget(e);
    state_.erase(node);
  }
  for (const auto& [node, lost] : lost_)
    if (state_.contains(node)) tidy(node);
}

/// Hands on to the nodes behind `node` that they come after those before it.
void Removal::bridge(NodeId node) {
  std::set<NodeId> before, after;
  const NodeId scope = tree_.parent_of(node);
  for (EdgeId e : state_.out(node)) {
    const NodeId to = state_.target(e);
    if (!nodes_.contains(to) && !(state_[to].is_exit() && tree_.parent_of(to) == scope))
      after.insert(to);
  }
  if (after.empty()) return;
  if (state_[node].is_exit()) {
    before.insert(scope);  // its own entry: what is inside waits for that
  } else {
    for (EdgeId e : state_.in(node))
      if (state_.source(e) != scope) before.insert(state_.source(e));
  }
  for (NodeId from : before)
    for (NodeId to : after)
      if (connected(state_, from, to))
        continue;
      else if (nodes_.contains(from))
        state_.connect(from, to, {});  // until it is its turn
      else if (needs_order(from, to))
        order(sdfg_, state_, from, to);
}

void Removal::drop_edge(EdgeId edge) {
  const NodeId from = state_.source(edge), to = state_.target(edge);
  if (nodes_.contains(from) || nodes_.contains(to)) return;  // goes with its node
  forget(edge);
  const bool at_border = tree_.parent_of(to) == from ||
                         (state_[to].is_exit() && tree_.parent_of(to) == tree_.parent_of(from));
  state_.erase(edge);
  if (!at_border && !connected(state_, from, to) && needs_order(from, to))
    order(sdfg_, state_, from, to);
}

void Removal::forget(EdgeId edge) {
  const Edge& e = state_[edge];
  const NodeId from = state_.source(edge), to = state_.target(edge);
  if (!nodes_.contains(from)) lost_[from].out.insert(e.src_connector);
  if (!nodes_.contains(to)) lost_[to].in.insert(e.dst_connector);
}

void Removal::tidy(NodeId node) {
  Lost& lost = lost_[node];
  for (EdgeId e : state_.in(node)) lost.in.erase(state_[e].dst_connector);
  for (EdgeId e : state_.out(node)) lost.out.erase(state_[e].src_connector);
  for (const std::string& name : lost.in) state_[node].in_connectors.erase(name);
  for (const std::string& name : lost.out) state_[node].out_connectors.erase(name);
  if (state_[node].is<AccessNode>() && state_.in(node).empty() && state_.out(node).empty()) {
    state_.erase(node);
    return;
  }
  if (state_[node].is_entry() && state_.out(node).empty())
    state_.connect(node, tree_.exit_of(node), {});
  if (const NodeId scope = tree_.parent_of(node); scope && state_.in(node).empty())
    state_.connect(scope, node, {});
  const NodeId around =
      state_[node].is_exit() ? tree_.parent_of(tree_.parent_of(node)) : tree_.parent_of(node);
  if (around && state_.out(node).empty()) state_.connect(node, tree_.exit_of(around), {});
}

/// Could anybody tell if `after` ran before `before`?
bool Removal::needs_order(NodeId before, NodeId after) {
  if (shared().empty() || reaches(state_, before, after, nodes_)) return false;
  const auto first = touched(before, true);
  if (first && first->empty()) return false;
  const auto second = touched(after, false);
  if (!first || !second) return true;
  if (second->empty()) return false;
  if (first->contains("") || second->contains("")) return true;
  return std::ranges::any_of(*second, [&](const auto& entry) {
    const auto found = first->find(entry.first);
    return found != first->end() && (entry.second || found->second);
  });
}

/// What is touched from a node on, of what is shared; nothing when that is too far to see.
std::optional<Removal::Touched> Removal::touched(NodeId from, bool backward) {
  Touched out;
  std::vector<NodeId> open{from};
  std::set<NodeId> seen{from};
  for (std::size_t at = 0; at < open.size(); ++at) {
    if (at == horizon) return std::nullopt;
    if (!nodes_.contains(open[at])) add_access(open[at], out);
    // A map writes when it runs, and reads so, whenever the access node's turn is.
    if (backward && !state_[open[at]].is<AccessNode>())
      for (EdgeId e : state_.out(open[at])) add_end(e, path_target(state_, e), true, out);
    if (!backward)
      for (EdgeId e : state_.in(open[at])) add_end(e, path_source(state_, e), false, out);
    for (EdgeId e : backward ? state_.in(open[at]) : state_.out(open[at])) {
      const NodeId next = backward ? state_.source(e) : state_.target(e);
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  std::erase_if(out, [&](const auto& entry) { return !shared().contains(entry.first); });
  return out;
}

void Removal::add_access(NodeId node, Touched& out) {
  if (state_[node].is<AccessNode>())
    add_container(node, !writes(state_, node).empty(), out);
  else if (effects_.of(sdfg_, state_[node]))
    out[""] = true;
}

/// What an edge of a node that is touched reads or writes at its other end.
void Removal::add_end(EdgeId edge, NodeId end, bool written, Touched& out) {
  if (!state_[edge].memlet.empty() && !nodes_.contains(end) && state_[end].is<AccessNode>())
    add_container(end, written, out);
}

void Removal::add_container(NodeId node, bool written, Touched& out) {
  const auto& access = state_.get<AccessNode>(node);
  const auto container = accessed_container(sdfg_, state_, node);
  const Data* data = sdfg_.find_data(access.data);
  bool& known =
      out[container ? group_of(aliases_.of(sdfg_), root_name(*container)) : std::string()];
  known = known || written || !container || access.setzero ||
            (data && data->is_stream());  // reading pops
}

const Removal::Touched& Removal::shared() {
  if (shared_) return *shared_;
  std::map<std::string, std::size_t> touches;
  Touched all;
  for (NodeId node : state_.nodes()) {
    if (nodes_.contains(node)) continue;
    Touched own;
    add_access(node, own);
    const std::size_t turns = state_[node].is<AccessNode>() && overwrites(state_, node) ? 2 : 1;
    for (const auto& [name, written] : own)
      touches[name] += turns, all[name] = all[name] || written;
  }
  // "" may be any container, so one such node is shared with all others.
  std::erase_if(all, [&](const auto& entry) {
    return !entry.second || (touches[entry.first] < 2 && !entry.first.empty());
  });
  return shared_.emplace(std::move(all));
}

}  // namespace sdfg
