#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "support/assert.h"
#include "support/id.h"
#include "support/id_list.h"

namespace sdfg {

/// The ids of those of a graph's elements that `takes` takes, in insertion order. (std::views could
/// say it shorter; every file that walks a graph would pay for that in the compiler.)
template <class IdType, class Slot, class Takes>
class IdRange {
 public:
  class Iterator {
   public:
    using value_type = IdType;
    using reference = value_type;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    Iterator() = default;
    Iterator(const IdRange& range, std::uint32_t at)
        : slots_(range.slots_), at_(at), end_(range.end_), takes_(range.takes_) {
      skip();
    }
    value_type operator*() const { return {at_}; }
    Iterator& operator++() { return ++at_, skip(), *this; }
    Iterator operator++(int) {
      auto old = *this;
      ++*this;
      return old;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void skip() {
      while (at_ < end_ && !takes_((*slots_)[at_])) ++at_;
    }
    const std::vector<Slot>* slots_ = nullptr;
    std::uint32_t at_ = 0, end_ = 0;
    Takes takes_{};
  };

  IdRange(const std::vector<Slot>& slots, Takes takes)
      : slots_(&slots), end_(std::uint32_t(slots.size())), takes_(takes) {}
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, end_}; }
  bool empty() const { return begin() == end(); }

 private:
  const std::vector<Slot>* slots_;
  std::uint32_t end_;
  Takes takes_;
};

/// A directed multigraph that iterates in insertion order and keeps ids and references valid until
/// the element itself is erased. Copying keeps ids. `==` compares ids, payloads and the order of
/// edges at each node.
///
/// N: node payload, E: edge payload, Tag: makes the id types of different graphs different types.
/// A payload with a member `fixed_kind()`, a small number, keeps its kind for as long as it is in
/// the graph; nodes of one kind are then found without a look at the payloads.
template <class N, class E, class Tag>
class Graph {
 public:
  using NodeId = Id<Tag>;
  using EdgeId = Id<EdgeOf<Tag>>;

  Graph();
  Graph(const Graph& other);
  Graph(Graph&&) noexcept;
  Graph& operator=(const Graph& other);
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  NodeId add(N data);
  EdgeId connect(NodeId from, NodeId to, E data);
  /// Erases the edges at the node, too.
  void erase(NodeId id);
  void erase(EdgeId id);
  /// Moves one end of an edge, keeping its id; it becomes the last edge at the new node.
  void set_source(EdgeId id, NodeId from);
  void set_target(EdgeId id, NodeId to);

  /// Live ids in insertion order. Elements may be added or erased while iterating; what is added
  /// is not visited.
  auto nodes() const { return IdRange<NodeId, NodeSlot, Live>(nodes_, {}); }
  auto edges() const { return IdRange<EdgeId, EdgeSlot, Live>(edges_, {}); }
  /// The nodes that were of this kind when they were added.
  auto nodes_of_kind(std::uint8_t kind) const {
    return IdRange<NodeId, NodeSlot, LiveOfKind>(nodes_, {kind});
  }
  std::uint8_t kind_of(NodeId id) const { return slot(id).kind; }
  std::span<const EdgeId> in(NodeId id) const { return slot(id).in.ids(); }
  std::span<const EdgeId> out(NodeId id) const { return slot(id).out.ids(); }
  NodeId source(EdgeId id) const { return slot(id).from; }
  NodeId target(EdgeId id) const { return slot(id).to; }

  bool contains(NodeId id) const { return id.value < nodes_.size() && nodes_[id.value].data; }
  bool contains(EdgeId id) const { return id.value < edges_.size() && edges_[id.value].data; }
  std::size_t node_count() const { return live_nodes_; }
  std::size_t edge_count() const { return live_edges_; }
  /// One past the largest id ever given out: the size of an array indexed by id.
  std::size_t id_bound() const { return nodes_.size(); }
  std::size_t edge_id_bound() const { return edges_.size(); }

  N& operator[](NodeId id) { return *slot(id).data; }
  const N& operator[](NodeId id) const { return *slot(id).data; }
  E& operator[](EdgeId id) { return *slot(id).data; }
  const E& operator[](EdgeId id) const { return *slot(id).data; }

  /// Gives the next added node this id (used by the text parser, which restores ids).
  void skip_node_ids(std::uint32_t next);
  void skip_edge_ids(std::uint32_t next);

  bool operator==(const Graph& other) const;

 private:
  // What says how elements hang together lies side by side, apart from the payloads, which are
  // large: walks over the graph touch little memory.
  struct NodeSlot {
    std::unique_ptr<N> data;  ///< none: erased
    IdList<EdgeId> in, out;
    std::uint8_t kind = 0;  ///< the payload's
    bool operator==(const NodeSlot& b) const {
      return *data == *b.data && in == b.in && out == b.out;
    }
  };
  struct EdgeSlot {
    std::unique_ptr<E> data;  ///< none: erased
    NodeId from, to;
    bool operator==(const EdgeSlot& b) const {
      return from == b.from && to == b.to && *data == *b.data;
    }
  };

  struct Live {
    bool operator()(const auto& slot) const { return slot.data != nullptr; }
  };
  struct LiveOfKind {
    std::uint8_t kind = 0;
    bool operator()(const NodeSlot& slot) const { return slot.kind == kind && slot.data; }
  };

  static std::uint8_t kind_of(const N& data) {
    if constexpr (requires { data.fixed_kind(); })
      return data.fixed_kind();
    else
      return 0;
  }
  NodeSlot& slot(NodeId id) {
    SDFG_ASSERT(contains(id)) << "no node with id " << id.value;
    return nodes_[id.value];
  }
  const NodeSlot& slot(NodeId id) const { return const_cast<Graph*>(this)->slot(id); }
  EdgeSlot& slot(EdgeId id) {
    SDFG_ASSERT(contains(id)) << "no edge with id " << id.value;
    return edges_[id.value];
  }
  const EdgeSlot& slot(EdgeId id) const { return const_cast<Graph*>(this)->slot(id); }

  void copy_from(const Graph& other);

  std::vector<NodeSlot> nodes_;
  std::vector<EdgeSlot> edges_;
  std::size_t live_nodes_ = 0, live_edges_ = 0;
};

// ---- What copies, destroys or moves payloads is no inline function: `extern template` then keeps
// it in one place for the two graphs of an SDFG, whose payloads are large.

template <class N, class E, class Tag>
Graph<N, E, Tag>::Graph() = default;
template <class N, class E, class Tag>
Graph<N, E, Tag>::Graph(const Graph& other) {
  copy_from(other);
}
template <class N, class E, class Tag>
Graph<N, E, Tag>::Graph(Graph&&) noexcept = default;
template <class N, class E, class Tag>
Graph<N, E, Tag>& Graph<N, E, Tag>::operator=(const Graph& other) {
  if (this != &other) {
    nodes_.clear(), edges_.clear();
    copy_from(other);
  }
  return *this;
}
template <class N, class E, class Tag>
Graph<N, E, Tag>& Graph<N, E, Tag>::operator=(Graph&&) noexcept = default;
template <class N, class E, class Tag>
Graph<N, E, Tag>::~Graph() = default;

template <class N, class E, class Tag>
Id<Tag> Graph<N, E, Tag>::add(N data) {
  const std::uint8_t kind = kind_of(data);
  nodes_.push_back({std::make_unique<N>(std::move(data)), {}, {}, kind});
  ++live_nodes_;
  return {std::uint32_t(nodes_.size() - 1)};
}

template <class N, class E, class Tag>
Id<EdgeOf<Tag>> Graph<N, E, Tag>::connect(NodeId from, NodeId to, E data) {
  edges_.push_back({std::make_unique<E>(std::move(data)), from, to});
  const EdgeId id{std::uint32_t(edges_.size() - 1)};
  slot(from).out.push_back(id);
  slot(to).in.push_back(id);
  ++live_edges_;
  return id;
}

template <class N, class E, class Tag>
void Graph<N, E, Tag>::erase(NodeId id) {
  NodeSlot& node = slot(id);
  while (!node.in.empty()) erase(node.in.ids().back());
  while (!node.out.empty()) erase(node.out.ids().back());
  node.data.reset();
  --live_nodes_;
}

template <class N, class E, class Tag>
void Graph<N, E, Tag>::erase(EdgeId id) {
  EdgeSlot& edge = slot(id);
  slot(edge.from).out.erase(id);
  slot(edge.to).in.erase(id);
  edge.data.reset();
  --live_edges_;
}

template <class N, class E, class Tag>
void Graph<N, E, Tag>::set_source(EdgeId id, NodeId from) {
  EdgeSlot& edge = slot(id);
  slot(edge.from).out.erase(id);
  edge.from = from;
  slot(from).out.push_back(id);
}

template <class N, class E, class Tag>
void Graph<N, E, Tag>::set_target(EdgeId id, NodeId to) {
  EdgeSlot& edge = slot(id);
  slot(edge.to).in.erase(id);
  edge.to = to;
  slot(to).in.push_back(id);
}

template <class N, class E, class Tag>
void Graph<N, E, Tag>::skip_node_ids(std::uint32_t next) {
  SDFG_ASSERT(next >= nodes_.size());
  nodes_.resize(next);
}

template <class N, class E, class Tag>
void Graph<N, E, Tag>::skip_edge_ids(std::uint32_t next) {
  SDFG_ASSERT(next >= edges_.size());
  edges_.resize(next);
}

template <class N, class E, class Tag>
bool Graph<N, E, Tag>::operator==(const Graph& other) const {
  if (live_nodes_ != other.live_nodes_ || live_edges_ != other.live_edges_) return false;
  const auto same = [](const auto& x, const auto& y) {
    const std::size_t n = std::max(x.size(), y.size());
    for (std::size_t i = 0; i < n; ++i) {
      const bool here = i < x.size() && x[i].data;
      if (here != (i < y.size() && y[i].data)) return false;
      if (here && !(x[i] == y[i])) return false;
    }
    return true;
  };
  return same(nodes_, other.nodes_) && same(edges_, other.edges_);
}

template <class N, class E, class Tag>
void Graph<N, E, Tag>::copy_from(const Graph& other) {
  nodes_.reserve(other.nodes_.size());
  edges_.reserve(other.edges_.size());
  const auto copy = []<class T>(const std::unique_ptr<T>& data) {
    return data ? std::make_unique<T>(*data) : nullptr;
  };
  for (const NodeSlot& n : other.nodes_) nodes_.push_back({copy(n.data), n.in, n.out, n.kind});
  for (const EdgeSlot& e : other.edges_) edges_.push_back({copy(e.data), e.from, e.to});
  live_nodes_ = other.live_nodes_, live_edges_ = other.live_edges_;
}

}  // namespace sdfg
