#pragma once

// Parses SDFGs, control flow (parse.cpp) and states (parse_state.cpp). Internal.

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/parse_value.h"

namespace sdfg::detail {

/// Orders of edges at nodes that are not the order of ids: read before the edges are known.
template <class NodeId, class EdgeId>
struct EdgeOrders {
  struct Order {
    std::size_t at;  ///< place in the text
    NodeId node;
    bool in;
    std::vector<EdgeId> edges;
  };
  std::vector<Order> all;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : r_(text) {}
  Result<Sdfg> run();

 private:
  using BlockOrders = EdgeOrders<BlockId, InterstateEdgeId>;
  using NodeOrders = EdgeOrders<NodeId, EdgeId>;
  /// Labels become blocks once all blocks of the region are known.
  struct BlockRef {
    std::size_t at;
    std::string label;
    std::optional<BlockId> id;
  };
  struct PendingTransition {
    BlockRef from, to;
    InterstateEdge edge;
    std::optional<std::uint32_t> id;
  };
  struct PendingRegion {
    Region& region;
    std::vector<PendingTransition> edges{};
    BlockOrders orders{};
    std::unordered_multimap<std::string_view, BlockId> labels{};
  };
  /// What a region's own line says about its start: nothing, none, or a block.
  struct Start {
    bool given = false;
    std::optional<BlockRef> block;
  };

  Sdfg sdfg();
  void sdfg_body(Sdfg& s, const Start& start, std::size_t indent);
  bool declaration(Sdfg& s);
  void region_body(Region& region, const Start& start, std::size_t indent);
  void region_item(PendingRegion& pending);
  void finish_region(PendingRegion& pending, const Start& start);
  void block(PendingRegion& pending, std::string_view keyword);
  /// Reads the trailing list (unknown keys go to `more`), ends the line, reads what is inside.
  template <class F>
  void finish_block(Block& b, std::size_t indent, F&& more);
  void conditional_body(ConditionalBlock& c, std::size_t indent);
  void loop_head(LoopRegion& loop);
  void transition(PendingRegion& pending);
  BlockRef block_ref();
  BlockId resolve(const PendingRegion& pending, const BlockRef& ref);
  bool start_field(std::string_view key, Start& start);

  struct PendingNode {
    NodeId id;
    std::size_t at;
    Node node;
    std::vector<std::string> undeclared_in, undeclared_out;
  };
  struct PendingEdge {
    std::size_t at;
    NodeId from, to;
    Edge edge;
    std::optional<Subset> own, other;
    std::optional<bool> data_is_src;
    bool volume_given = false;
    std::optional<std::uint32_t> id;
  };
  struct PendingState {
    std::vector<PendingNode> nodes;
    std::vector<PendingEdge> edges;
    NodeOrders orders;
  };
  void state_body(State& state, std::size_t indent);
  void finish_state(State& state, PendingState& pending);
  void node(PendingState& pending);
  void node_head(Node& n);
  void connectors(Node& n, PendingNode& pending);
  void edge(PendingState& pending, NodeId from);
  void memlet(PendingEdge& e);
  NodeId node_id();
  std::string optional_label();

  /// The id of the next element of a graph: the given one or the next free, or an error.
  std::uint32_t next_id(std::size_t at, std::size_t bound, std::optional<std::uint32_t> given);
  template <class Graph, class Orders>
  void apply_orders(Graph& graph, const Orders& orders);
  template <class EdgeId, class NodeId>
  bool order_field(std::string_view key, NodeId node, EdgeOrders<NodeId, EdgeId>& orders);

  TextReader r_;
  std::size_t elements_ = 0;  ///< nodes, blocks and edges read so far
};

template <class Graph, class Orders>
void Parser::apply_orders(Graph& graph, const Orders& orders) {
  for (const auto& order : orders.all) {
    const auto edges = order.in ? graph.in(order.node) : graph.out(order.node);
    std::vector now(edges.begin(), edges.end()), wanted = order.edges;
    std::ranges::sort(now);
    std::ranges::sort(wanted);
    if (!r_.ok()) return;
    if (now != wanted) return r_.fail(order.at, "the order must name each edge of the node once");
    // Moving an end of an edge puts it last, so moving all gives the order.
    for (const auto e : order.edges)
      order.in ? graph.set_target(e, order.node) : graph.set_source(e, order.node);
  }
}

template <class EdgeId, class NodeId>
bool Parser::order_field(std::string_view key, NodeId node, EdgeOrders<NodeId, EdgeId>& orders) {
  if (key != "in_order" && key != "out_order") return false;
  auto& order = orders.all.emplace_back();
  order.at = r_.at(), order.node = node, order.in = key == "in_order";
  r_.list("[", "]", [&] { order.edges.push_back({r_.number()}); });
  return true;
}

}  // namespace sdfg::detail
