#pragma once

// Models Boost.Graph's BidirectionalGraph, VertexListGraph and EdgeListGraph concepts for Graph.
// Include this only where a Boost algorithm is called (graph_algorithms.cpp); callers use the
// functions of graph_algorithms.h.
//
// Hazard: num_vertices() is id_bound(), because Boost sizes arrays with it and indexes them by id.

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/property_map/property_map.hpp>

#include "ir/graph.h"

namespace sdfg {

/// One edge as Boost wants it: with its ends inside.
template <class G>
struct BglEdge {
  typename G::EdgeId id;
  typename G::NodeId from, to;
  friend auto operator<=>(const BglEdge&, const BglEdge&) = default;
};

namespace detail {
/// An iterator over the edges at one node that makes the descriptors on the way.
template <class G>
class BglEdgeIterator {
 public:
  using value_type = BglEdge<G>;
  using reference = value_type;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::forward_iterator_tag;
  BglEdgeIterator() = default;
  BglEdgeIterator(const G* g, const typename G::EdgeId* at) : g_(g), at_(at) {}
  value_type operator*() const { return {*at_, g_->source(*at_), g_->target(*at_)}; }
  BglEdgeIterator& operator++() { return ++at_, *this; }
  BglEdgeIterator operator++(int) { return {g_, at_++}; }
  bool operator==(const BglEdgeIterator& other) const { return at_ == other.at_; }

 private:
  const G* g_ = nullptr;
  const typename G::EdgeId* at_ = nullptr;
};
}  // namespace detail
}  // namespace sdfg

namespace boost {
template <class N, class E, class Tag>
struct graph_traits<sdfg::Graph<N, E, Tag>> {
  using G = sdfg::Graph<N, E, Tag>;
  using vertex_descriptor = typename G::NodeId;
  using edge_descriptor = sdfg::BglEdge<G>;
  using directed_category = bidirectional_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  struct traversal_category : bidirectional_graph_tag, vertex_list_graph_tag {};
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using vertex_iterator = decltype(std::declval<const G&>().nodes().begin());
  using out_edge_iterator = sdfg::detail::BglEdgeIterator<G>;
  using in_edge_iterator = out_edge_iterator;
  static vertex_descriptor null_vertex() { return {}; }
};
}  // namespace boost

namespace sdfg {
template <class N, class E, class T>
auto vertices(const Graph<N, E, T>& g) {
  const auto ids = g.nodes();
  return std::pair(ids.begin(), ids.end());
}
template <class N, class E, class T>
std::size_t num_vertices(const Graph<N, E, T>& g) {
  return g.id_bound();
}
template <class N, class E, class T>
auto out_edges(Id<T> v, const Graph<N, E, T>& g) {
  using It = detail::BglEdgeIterator<Graph<N, E, T>>;
  const auto s = g.out(v);
  return std::pair(It(&g, s.data()), It(&g, s.data() + s.size()));
}
template <class N, class E, class T>
auto in_edges(Id<T> v, const Graph<N, E, T>& g) {
  using It = detail::BglEdgeIterator<Graph<N, E, T>>;
  const auto s = g.in(v);
  return std::pair(It(&g, s.data()), It(&g, s.data() + s.size()));
}
template <class N, class E, class T>
std::size_t out_degree(Id<T> v, const Graph<N, E, T>& g) {
  return g.out(v).size();
}
template <class N, class E, class T>
std::size_t in_degree(Id<T> v, const Graph<N, E, T>& g) {
  return g.in(v).size();
}
template <class N, class E, class T>
std::size_t degree(Id<T> v, const Graph<N, E, T>& g) {
  return g.in(v).size() + g.out(v).size();
}
template <class N, class E, class T>
Id<T> source(const BglEdge<Graph<N, E, T>>& e, const Graph<N, E, T>&) {
  return e.from;
}
template <class N, class E, class T>
Id<T> target(const BglEdge<Graph<N, E, T>>& e, const Graph<N, E, T>&) {
  return e.to;
}
/// Positions of vertices in arrays: their ids.
template <class Tag>
struct IdIndexMap {
  using key_type = Id<Tag>;
  using value_type = std::size_t;
  using reference = std::size_t;
  using category = boost::readable_property_map_tag;
  friend std::size_t get(IdIndexMap, Id<Tag> id) { return id.value; }
};
template <class N, class E, class T>
IdIndexMap<T> get(boost::vertex_index_t, const Graph<N, E, T>&) {
  return {};
}
}  // namespace sdfg

namespace boost {
template <class N, class E, class Tag>
struct property_map<sdfg::Graph<N, E, Tag>, vertex_index_t> {
  using type = sdfg::IdIndexMap<Tag>;
  using const_type = type;
};
}  // namespace boost
