#include "passes/split/conflict_order.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "ir/analysis/memlet_path.h"
#include "ir/graph_algorithms.h"
#include "passes/common/order_edge.h"
#include "passes/split/container_uses.h"
#include "passes/split/partition.h"

namespace sdfg {
namespace {

/// What does the access at one end of the edge: a copy between access nodes, a scope, or code.
struct Operation {
  NodeId begin, end;
};
Operation operation(const State& state, const std::map<NodeId, NodeId>& exits, EdgeId edge,
                    bool write) {
  const NodeId node = write ? state.source(edge) : state.target(edge);
  // A copy runs as soon as its source is ready.
  if (state[node].is<AccessNode>()) return {state.source(edge), state.target(edge)};
  if (const auto* exit = state[node].as<MapExit>()) return {exit->entry, node};
  if (const auto* exit = state[node].as<ConsumeExit>()) return {exit->entry, node};
  const auto exit = exits.find(node);
  return {node, exit == exits.end() ? node : exit->second};
}
std::map<NodeId, NodeId> exits_of(const State& state) {
  std::map<NodeId, NodeId> out;
  for (NodeId n : state.nodes()) {
    if (const auto* exit = state[n].as<MapExit>()) out[exit->entry] = n;
    if (const auto* exit = state[n].as<ConsumeExit>()) out[exit->entry] = n;
  }
  return out;
}

/// One edge at an access node that touches a container which something else in the state touches,
/// too.
struct Access {
  EdgeId edge;
  bool write;
  std::optional<Subset> subset;  ///< none: possibly everything
  Operation operation;
};

/// Accesses by container, of those whose order paths have to say: what several nodes of the state
/// touch and some node writes, and what several write into one node. Their key is where the
/// operation stands in topological order; that of the access nodes need not be the same.
using AccessLists = std::map<std::string, std::multimap<std::size_t, Access>>;
AccessLists shared_accesses(const Sdfg& sdfg, const State& state,
                            const std::vector<NodeId>& order) {
  std::map<std::string, std::vector<NodeId>> nodes;
  NameSet written;
  for (NodeId n : order) {
    if (!state[n].is<AccessNode>()) continue;
    std::string root = viewed_root(sdfg, state, n);
    if (!state.in(n).empty()) written.insert(root);
    nodes[std::move(root)].push_back(n);
  }
  std::vector<std::size_t> position(state.id_bound());
  for (std::size_t p = 0; p < order.size(); ++p) position[order[p].value] = p;
  const auto exits = exits_of(state);
  AccessLists out;
  for (const auto& [root, list] : nodes) {
    const bool one = list.size() == 1;  // who reads it waits for all who write it
    if (!written.contains(root) || (one && state.in(list.front()).size() < 2)) continue;
    for (NodeId n : list) {
      const std::string& name = state.get<AccessNode>(n).data;
      const auto add = [&](EdgeId e, bool write) {
        const Memlet& memlet = state[e].memlet;
        if (memlet.empty()) return;
        const bool stream = sdfg.find_data(root) && sdfg.find_data(root)->is_stream();
        const Operation does = operation(state, exits, e, write);
        const auto subset = name == root ? subset_at(memlet, name, write) : std::nullopt;
        out[root].emplace(position[does.begin.value], Access{e, write || stream, subset, does});
      };
      for (EdgeId e : state.in(n)) add(e, true);
      if (one) continue;
      for (EdgeId e : state.out(n)) add(e, false);
    }
  }
  return out;
}

/// For pairs of nodes: is there a path? 64 sources at a time walk through the whole graph.
class Reachability {
 public:
  Reachability(const State& state, const std::vector<NodeId>& order)
      : state_(state), order_(order) {}

  std::vector<bool> of(const std::vector<std::pair<NodeId, NodeId>>& pairs) const {
    std::vector<NodeId> sources;
    for (const auto& [from, to] : pairs) sources.push_back(from);
    std::ranges::sort(sources);
    sources.erase(std::ranges::unique(sources).begin(), sources.end());
    std::vector<bool> out(pairs.size());
    std::vector<std::uint64_t> marks(state_.id_bound());
    for (std::size_t first = 0; first < sources.size(); first += 64) {
      const std::size_t last = std::min(sources.size(), first + 64);
      std::ranges::fill(marks, 0);
      for (std::size_t s = first; s < last; ++s) marks[sources[s].value] |= 1ull << (s - first);
      for (NodeId n : order_)
        if (const std::uint64_t mark = marks[n.value])
          for (EdgeId e : state_.out(n)) marks[state_.target(e).value] |= mark;
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        const auto s =
            std::size_t(std::ranges::lower_bound(sources, pairs[p].first) - sources.begin());
        if (s >= first && s < last) out[p] = marks[pairs[p].second.value] >> (s - first) & 1;
      }
    }
    return out;
  }

 private:
  const State& state_;
  const std::vector<NodeId>& order_;
};

/// After the rewrite: other containers are disjoint parts of what used to be one.
bool still_conflict(const State& state, EdgeId a, bool a_writes, EdgeId b, bool b_writes,
                    const Assumptions& assumptions) {
  const auto name = [&](EdgeId e, bool write) -> const std::string& {
    return state.get<AccessNode>(write ? state.target(e) : state.source(e)).data;
  };
  const std::string& container = name(a, a_writes);
  if (container != name(b, b_writes)) return false;
  const auto& x = subset_at(state[a].memlet, container, a_writes);
  const auto& y = subset_at(state[b].memlet, container, b_writes);
  return !x || !y || intersects(*x, *y, assumptions) != Truth::No;
}

bool conflict(const Access& a, const Access& b, const Assumptions& assumptions) {
  if (!a.write && !b.write) return false;
  return !a.subset || !b.subset || intersects(*a.subset, *b.subset, assumptions) != Truth::No;
}

}  // namespace

std::string viewed_root(const Sdfg& sdfg, const State& state, NodeId node) {
  for (std::set<NodeId> seen; seen.insert(node).second;) {
    const std::string& name = state.get<AccessNode>(node).data;
    const Data* data = sdfg.find_data(name);
    const auto edge = data && data->is_view() ? viewed_edge(sdfg, state, node) : std::nullopt;
    if (!edge) return name.substr(0, name.find('.'));
    const NodeId next = state.source(*edge) == node ? state.target(*edge) : state.source(*edge);
    if (!state[next].is<AccessNode>()) return name;
    node = next;
  }
  return {};
}

ConflictOrder::ConflictOrder(const Sdfg& sdfg, const State& state, const Assumptions& assumptions) {
  const auto order = topological_order(state);
  if (!order) {
    refusal_ = "the state has a cycle";
    return;
  }
  for (NodeId n : *order)
    if (const auto* access = state[n].as<AccessNode>())
      if (const Data* data = sdfg.find_data(access->data); data && data->is_reference()) {
        refusal_ = "the state uses the reference '" + access->data + "'";
        return;
      }
  // A later write of the same elements stands between an access and what comes after the write.
  constexpr std::size_t most = 64;
  std::vector<Pair> candidates;
  std::vector<std::pair<NodeId, NodeId>> ends;  // of each candidate
  for (const auto& [name, list] : shared_accesses(sdfg, state, *order)) {
    std::vector<Access> live;
    for (const auto& [position, b] : list) {
      for (const Access& a : live)
        if (conflict(a, b, assumptions)) {
          candidates.push_back(
              {a.edge, b.edge, a.write, b.write, a.subset.has_value() && b.subset.has_value()});
          ends.emplace_back(a.operation.end, b.operation.begin);
        }
      if (b.write && b.subset)
        std::erase_if(live, [&, &b = b](const Access& a) {
          return a.subset && state.target(a.edge) != state.target(b.edge) &&
                 certain(covers(*b.subset, *a.subset, assumptions));
        });
      live.push_back(b);
      if (live.size() > most) {
        refusal_ = "the state has more than " + std::to_string(most) + " separate accesses of '" +
                   name + "', whose order is not followed";
        return;
      }
    }
  }
  if (candidates.empty()) return;
  const auto ordered = Reachability(state, *order).of(ends);
  for (std::size_t p = 0; p < candidates.size(); ++p)
    if (ordered[p]) pairs_.push_back(candidates[p]);
}

std::size_t ConflictOrder::restore(const Sdfg& sdfg, State& state,
                                   const Assumptions& assumptions) const {
  if (pairs_.empty()) return 0;
  const auto exits = exits_of(state);
  const auto all = [&](EdgeId e) {  // with clones of clones
    std::vector<EdgeId> edges{e};
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (const auto more = clones_.find(edges[i]); more != clones_.end())
        for (EdgeId clone : more->second)
          if (std::ranges::find(edges, clone) == edges.end()) edges.push_back(clone);
    std::erase_if(edges, [&](EdgeId each) { return !state.contains(each); });
    return edges;
  };
  // Edges to library nodes last: they are operands, and others may make them needless.
  std::array<std::vector<std::pair<NodeId, NodeId>>, 2> rounds;
  for (const Pair& p : pairs_)
    for (EdgeId a : all(p.before))
      for (EdgeId b : all(p.after)) {
        if (p.comparable &&
            !still_conflict(state, a, p.before_writes, b, p.after_writes, assumptions))
          continue;
        const NodeId begin = operation(state, exits, b, p.after_writes).begin;
        rounds[state[begin].is<LibraryNode>()].emplace_back(
            operation(state, exits, a, p.before_writes).end, begin);
      }
  std::size_t added = 0;
  for (auto& ends : rounds) {
    if (ends.empty()) continue;
    std::ranges::sort(ends);
    ends.erase(std::ranges::unique(ends).begin(), ends.end());
    const auto sorted = topological_order(state);
    SDFG_ASSERT(sorted) << "the rewrite made a cycle";
    const auto ordered = Reachability(state, *sorted).of(ends);
    for (std::size_t p = 0; p < ends.size(); ++p)
      if (!ordered[p] && ends[p].first != ends[p].second)
        order(sdfg, state, ends[p].first, ends[p].second), ++added;
  }
  return added;
}

}  // namespace sdfg
