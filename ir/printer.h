#pragma once

// Prints SDFGs, control flow (print.cpp) and states (print_state.cpp). Internal.

#include <set>
#include <string_view>

#include "ir/print.h"
#include "ir/print_value.h"

namespace sdfg::detail {

class Printer {
 public:
  static constexpr std::size_t step = 2;  ///< indentation per level

  explicit Printer(const PrintOptions& options) { w_.details = options.details; }
  std::string take() { return w_.take(); }
  void sdfg(const Sdfg& s, std::size_t indent);

  /// For messages: on one line, as if its direction were plain.
  void memlet_alone(const Memlet& m) {
    w_.one_line = true;
    const auto scope = w_.trailing();
    memlet(m, m.data_is_src);
  }

 private:
  void region_body(const Region& r, std::size_t indent);
  void block(const Region& r, BlockId id, std::uint32_t next, std::size_t indent);
  template <class F>
  void finish_block(const Block& b, std::size_t indent, F&& more_fields);
  void conditional_body(const ConditionalBlock& c, std::size_t indent);
  void loop_head(const LoopRegion& loop);
  void interstate_edge(const Region& r, InterstateEdgeId id, std::uint32_t next);
  void state_body(const State& s, std::size_t indent);
  void node(const State& s, NodeId id, std::size_t indent);
  void node_head(const Node& n);
  void connectors(const State& s, NodeId id);
  void edge(const State& s, EdgeId id, std::uint32_t next);
  void memlet(const Memlet& m, bool default_is_src);

  void label(std::string_view text) {
    if (!text.empty()) w_.text(" "), w_.name(text);
  }
  void node_id(NodeId id) {
    if (!id) return w_.text("none");
    w_.text("n"), w_.integer(id.value);
  }
  void block_ref(const Region& r, BlockId id) {
    if (r.contains(id) && !ambiguous_.contains(r[id].label)) return w_.name(r[id].label);
    w_.text("#"), w_.integer(id.value);
  }
  void start_block(const Region& r) {
    std::optional<BlockId> first;
    if (r.node_count()) first = *r.nodes().begin();
    if (r.start_block == first) return;
    find_ambiguous(r);
    w_.field("start", [&] { r.start_block ? block_ref(r, *r.start_block) : w_.text("none"); });
  }
  void find_ambiguous(const Region& r) {
    ambiguous_.clear();
    std::set<std::string_view> seen;
    for (BlockId id : r.nodes())
      if (!seen.insert(r[id].label).second) ambiguous_.insert(r[id].label);
  }
  /// The orders of edges at a node, where they are not the order of ids.
  template <class G, class Id>
  void edge_orders(const G& graph, Id id) {
    const auto write = [&](std::string_view key, auto edges) {
      if (std::ranges::is_sorted(edges)) return;
      w_.field(key, [&] { w_.list('[', ']', edges, [&](auto e) { w_.integer(e.value); }); });
    };
    write("in_order", graph.in(id));
    write("out_order", graph.out(id));
  }
  void code_head(const Code& c);
  void code_body(const Code& c, std::size_t indent);

  TextWriter w_;
  std::set<std::string_view> ambiguous_;  // labels that several blocks of the current region have
};

}  // namespace sdfg::detail
