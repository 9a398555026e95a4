#include "ir/graph_algorithms.h"

#include <algorithm>

#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/strong_components.hpp>

#include "ir/graph_bgl.h"
#include "support/id_queue.h"

namespace sdfg {

// Boost's topological_sort fixes no order among ready nodes, so this is Kahn's algorithm with a
// queue by id.
std::optional<std::vector<NodeId>> topological_order(const StateGraph& graph) {
  std::vector<NodeId> order;
  order.reserve(graph.node_count());
  // Most graphs were built in such an order.
  const bool ascending = std::ranges::all_of(
      graph.edges(), [&](EdgeId e) { return graph.source(e).value < graph.target(e).value; });
  if (ascending) {
    order.assign(graph.nodes().begin(), graph.nodes().end());
    return order;
  }
  std::vector<std::uint32_t> waiting(graph.id_bound());
  IdQueue ready(graph.id_bound());
  for (NodeId n : graph.nodes()) {
    waiting[n.value] = std::uint32_t(graph.in(n).size());
    if (waiting[n.value] == 0) ready.push(n.value);
  }
  while (!ready.empty()) {
    const NodeId n{std::uint32_t(ready.pop())};
    order.push_back(n);
    for (EdgeId e : graph.out(n)) {
      const NodeId next = graph.target(e);
      if (--waiting[next.value] == 0) ready.push(next.value);
    }
  }
  if (order.size() != graph.node_count()) return std::nullopt;
  return order;
}

std::vector<NodeId> find_cycle(const StateGraph& graph) {
  enum class Mark : std::uint8_t { New, OnPath, Done };
  std::vector<Mark> mark(graph.id_bound(), Mark::New);
  struct Frame {
    NodeId node;
    std::size_t next = 0;
  };
  std::vector<Frame> path;
  for (NodeId root : graph.nodes()) {
    if (mark[root.value] != Mark::New) continue;
    path.push_back({root});
    mark[root.value] = Mark::OnPath;
    while (!path.empty()) {
      Frame& top = path.back();
      const auto out = graph.out(top.node);
      if (top.next == out.size()) {
        mark[top.node.value] = Mark::Done;
        path.pop_back();
        continue;
      }
      const NodeId next = graph.target(out[top.next++]);
      if (mark[next.value] == Mark::OnPath) {
        std::vector<NodeId> cycle;
        auto from = std::ranges::find(path, next, &Frame::node);
        for (; from != path.end(); ++from) cycle.push_back(from->node);
        return cycle;
      }
      if (mark[next.value] == Mark::New) {
        mark[next.value] = Mark::OnPath;
        path.push_back({next});
      }
    }
  }
  return {};
}

std::optional<BlockId> start(const RegionGraph& graph, std::optional<BlockId> stored) {
  std::optional<BlockId> source;
  bool several = false;
  for (BlockId b : graph.nodes()) {
    if (!graph.in(b).empty()) continue;
    several = several || source.has_value();
    source = b;
  }
  if (source && !several) return source;
  if (stored && graph.contains(*stored)) return stored;
  return std::nullopt;
}
bool is_start(const Region& region, BlockId block) {
  // Others have predecessors and are not stored.
  const bool may_be = region.in(block).empty() || region.start_block == block;
  return may_be && start(region) == block;
}

namespace {
/// Depth-first search from the start; calls `enter` in preorder and `leave` in postorder. Where
/// ways part, arrange(blocks) may put the next blocks, given in the order of edges, in another.
template <class Enter, class Leave, class Arrange>
void depth_first(const Region& region, Enter enter, Leave leave, Arrange arrange) {
  const auto first = start(region);
  if (!first) return;
  std::vector<bool> seen(region.id_bound());
  struct Frame {
    BlockId block;
    std::vector<BlockId> ways;
    std::size_t next = 0;
  };
  std::vector<Frame> path;
  const auto go = [&](BlockId b) {
    seen[b.value] = true;
    enter(b);
    path.push_back({b, {}});
    const auto out = region.out(b);
    if (out.size() < 2) return;
    for (InterstateEdgeId e : out) path.back().ways.push_back(region.target(e));
    arrange(path.back().ways);
  };
  go(*first);
  while (!path.empty()) {
    Frame& top = path.back();
    const auto out = region.out(top.block);
    if (top.next == out.size()) {
      leave(top.block);
      path.pop_back();
      continue;
    }
    const BlockId next = top.ways.empty() ? region.target(out[0]) : top.ways[top.next];
    ++top.next;
    if (!seen[next.value]) go(next);
  }
}
}  // namespace

std::vector<BlockId> reachable_blocks(const Region& region) {
  std::vector<BlockId> order;
  depth_first(region, [&](BlockId b) { order.push_back(b); }, [](BlockId) {}, [](auto&) {});
  return order;
}

std::vector<BlockId> reverse_postorder(const Region& region) {
  // Of the longest way from a block; of ways that lead back, up to there.
  std::vector<std::size_t> length(region.id_bound());
  const auto add_up = [&](BlockId b) {
    for (InterstateEdgeId e : region.out(b))
      length[b.value] = std::max(length[b.value], length[region.target(e).value] + 1);
  };
  depth_first(region, [](BlockId) {}, add_up, [](auto&) {});
  std::vector<BlockId> order;
  // What is visited last comes first.
  const auto longest_first = [&](std::vector<BlockId>& ways) {
    std::ranges::reverse(ways);
    std::ranges::stable_sort(ways, std::greater(), [&](BlockId b) { return length[b.value]; });
  };
  depth_first(region, [](BlockId) {}, [&](BlockId b) { order.push_back(b); }, longest_first);
  std::ranges::reverse(order);
  return order;
}

std::vector<BlockId> immediate_dominators(const Region& region) {
  std::vector<BlockId> dominator(region.id_bound());
  const auto first = start(region);
  if (!first) return dominator;
  const RegionGraph& graph = region;
  const IdIndexMap<RegionTag> index;
  boost::lengauer_tarjan_dominator_tree(
      graph, *first, boost::make_iterator_property_map(dominator.begin(), index));
  return dominator;
}

std::vector<std::size_t> strong_components(const Region& region) {
  std::vector<std::size_t> component(region.id_bound(), ~std::size_t(0));
  const RegionGraph& graph = region;
  const IdIndexMap<RegionTag> index;
  const std::size_t count = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), index),
      boost::vertex_index_map(index));
  // Boost numbers components in reverse topological order.
  for (std::size_t& c : component)
    if (c != ~std::size_t(0)) c = count - 1 - c;
  return component;
}

}  // namespace sdfg
