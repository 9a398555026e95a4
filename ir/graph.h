#pragma once

#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "support/assert.h"
#include "support/id.h"

namespace sdfg {

/// A directed multigraph that iterates in insertion order and keeps ids and references valid until
/// the element itself is erased. Copying keeps ids. `==` compares ids, payloads and the order of
/// edges at each node.
///
/// N: node payload, E: edge payload, Tag: makes the id types of different graphs different types.
template <class N, class E, class Tag>
class Graph {
 public:
  using NodeId = Id<Tag>;
  using EdgeId = Id<EdgeOf<Tag>>;

  Graph() = default;
  Graph(const Graph& other) { copy_from(other); }
  Graph(Graph&&) noexcept = default;
  Graph& operator=(const Graph& other) {
    if (this != &other) {
      nodes_.clear(), edges_.clear();
      copy_from(other);
    }
    return *this;
  }
  Graph& operator=(Graph&&) noexcept = default;
  ~Graph() = default;

  NodeId add(N data) {
    nodes_.push_back(std::make_unique<NodeSlot>(NodeSlot{std::move(data), {}, {}}));
    ++live_nodes_;
    return {std::uint32_t(nodes_.size() - 1)};
  }
  EdgeId connect(NodeId from, NodeId to, E data) {
    edges_.push_back(std::make_unique<EdgeSlot>(EdgeSlot{std::move(data), from, to}));
    const EdgeId id{std::uint32_t(edges_.size() - 1)};
    slot(from).out.push_back(id);
    slot(to).in.push_back(id);
    ++live_edges_;
    return id;
  }
  /// Erases the edges at the node, too.
  void erase(NodeId id) {
    NodeSlot& node = slot(id);
    while (!node.in.empty()) erase(node.in.back());
    while (!node.out.empty()) erase(node.out.back());
    nodes_[id.value].reset();
    --live_nodes_;
  }
  void erase(EdgeId id) {
    EdgeSlot& edge = slot(id);
    std::erase(slot(edge.from).out, id);
    std::erase(slot(edge.to).in, id);
    edges_[id.value].reset();
    --live_edges_;
  }
  /// Moves one end of an edge, keeping its id; it becomes the last edge at the new node.
  void set_source(EdgeId id, NodeId from) {
    EdgeSlot& edge = slot(id);
    std::erase(slot(edge.from).out, id);
    edge.from = from;
    slot(from).out.push_back(id);
  }
  void set_target(EdgeId id, NodeId to) {
    EdgeSlot& edge = slot(id);
    std::erase(slot(edge.to).in, id);
    edge.to = to;
    slot(to).in.push_back(id);
  }

  /// Live ids in insertion order. Elements may be added or erased while iterating; what is added
  /// is not visited.
  auto nodes() const { return live_ids<NodeId>(nodes_); }
  auto edges() const { return live_ids<EdgeId>(edges_); }
  std::span<const EdgeId> in(NodeId id) const { return slot(id).in; }
  std::span<const EdgeId> out(NodeId id) const { return slot(id).out; }
  NodeId source(EdgeId id) const { return slot(id).from; }
  NodeId target(EdgeId id) const { return slot(id).to; }

  bool contains(NodeId id) const { return id.value < nodes_.size() && nodes_[id.value]; }
  bool contains(EdgeId id) const { return id.value < edges_.size() && edges_[id.value]; }
  std::size_t node_count() const { return live_nodes_; }
  std::size_t edge_count() const { return live_edges_; }
  /// One past the largest id ever given out: the size of an array indexed by id.
  std::size_t id_bound() const { return nodes_.size(); }
  std::size_t edge_id_bound() const { return edges_.size(); }

  N& operator[](NodeId id) { return slot(id).data; }
  const N& operator[](NodeId id) const { return slot(id).data; }
  E& operator[](EdgeId id) { return slot(id).data; }
  const E& operator[](EdgeId id) const { return slot(id).data; }

  /// Gives the next added node this id (used by the text parser, which restores ids).
  void skip_node_ids(std::uint32_t next) {
    SDFG_ASSERT(next >= nodes_.size());
    nodes_.resize(next);
  }
  void skip_edge_ids(std::uint32_t next) {
    SDFG_ASSERT(next >= edges_.size());
    edges_.resize(next);
  }

  friend bool operator==(const Graph& a, const Graph& b) {
    if (a.live_nodes_ != b.live_nodes_ || a.live_edges_ != b.live_edges_) return false;
    auto same = [](const auto& x, const auto& y) {
      const std::size_t n = std::max(x.size(), y.size());
      for (std::size_t i = 0; i < n; ++i) {
        const auto* p = i < x.size() ? x[i].get() : nullptr;
        const auto* q = i < y.size() ? y[i].get() : nullptr;
        if (!p != !q || (p && !(*p == *q))) return false;
      }
      return true;
    };
    return same(a.nodes_, b.nodes_) && same(a.edges_, b.edges_);
  }

 private:
  struct NodeSlot {
    N data;
    std::vector<EdgeId> in, out;
    friend bool operator==(const NodeSlot& a, const NodeSlot& b) {
      return a.data == b.data && a.in == b.in && a.out == b.out;
    }
  };
  struct EdgeSlot {
    E data;
    NodeId from, to;
    friend bool operator==(const EdgeSlot& a, const EdgeSlot& b) {
      return a.from == b.from && a.to == b.to && a.data == b.data;
    }
  };

  template <class IdType, class Slots>
  static auto live_ids(const Slots& slots) {
    return std::views::iota(std::uint32_t(0), std::uint32_t(slots.size())) |
           std::views::filter([&slots](std::uint32_t i) { return slots[i] != nullptr; }) |
           std::views::transform([](std::uint32_t i) { return IdType{i}; });
  }
  NodeSlot& slot(NodeId id) {
    SDFG_ASSERT(contains(id)) << "no node with id " << id.value;
    return *nodes_[id.value];
  }
  const NodeSlot& slot(NodeId id) const { return const_cast<Graph*>(this)->slot(id); }
  EdgeSlot& slot(EdgeId id) {
    SDFG_ASSERT(contains(id)) << "no edge with id " << id.value;
    return *edges_[id.value];
  }
  const EdgeSlot& slot(EdgeId id) const { return const_cast<Graph*>(this)->slot(id); }

  void copy_from(const Graph& other) {
    nodes_.reserve(other.nodes_.size());
    edges_.reserve(other.edges_.size());
    for (const auto& n : other.nodes_)
      nodes_.push_back(n ? std::make_unique<NodeSlot>(*n) : nullptr);
    for (const auto& e : other.edges_)
      edges_.push_back(e ? std::make_unique<EdgeSlot>(*e) : nullptr);
    live_nodes_ = other.live_nodes_, live_edges_ = other.live_edges_;
  }

  std::vector<std::unique_ptr<NodeSlot>> nodes_;
  std::vector<std::unique_ptr<EdgeSlot>> edges_;
  std::size_t live_nodes_ = 0, live_edges_ = 0;
};

}  // namespace sdfg
