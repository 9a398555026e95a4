#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/node.h"
#include "support/ordered_map.h"

namespace sdfg {

struct Block;
struct InterstateEdge;
struct RegionTag;
using RegionGraph = Graph<Block, InterstateEdge, RegionTag>;
using BlockId = Id<RegionTag>;
using InterstateEdgeId = Id<EdgeOf<RegionTag>>;

/// Control passes along the first out-edge, in insertion order, whose condition holds; an
/// unconditional edge counts last. The condition sees the old values; then all assignments happen
/// at once. No edge taken: the region ends.
struct InterstateEdge {
  Code condition{"1"};
  OrderedMap<Expr> assignments;  ///< symbol: value, an expression as written (not normal form)
  std::string guid{};
  Extras extras{};
  Origin origin{};

  static constexpr auto properties = property_list(
      property("assignments", &InterstateEdge::assignments, "symbol: Python expression"),
      property("condition", &InterstateEdge::condition, "1: unconditional"),
      property("guid", &InterstateEdge::guid));
  static constexpr std::size_t structural = 2;
  bool operator==(const InterstateEdge&) const = default;
};

/// One acyclic dataflow graph; runs completely before control leaves it.
struct State : StateGraph {
  bool nosync = false;
  Instrumentation instrument = Instrumentation::None;
  DataInstrumentation symbol_instrument = DataInstrumentation::None;
  Rare<Code, TrueCpp> symbol_instrument_condition;
  Rare<ByName<Expr>> location;

  /// The node's kind, which must be K.
  template <class K>
  K& get(NodeId id) {
    K* found = (*this)[id].template as<K>();
    SDFG_ASSERT(found != nullptr) << "node " << id.value << " is not a " << K::kind;
    return *found;
  }
  template <class K>
  const K& get(NodeId id) const {
    return const_cast<State*>(this)->get<K>(id);
  }

  /// The nodes of kind K; the others are not looked at, so this is much faster than to ask each.
  template <class K>
  auto nodes_of() const {
    return nodes_of_kind(Node::number_of<K>);
  }

  static constexpr std::string_view kind = "SDFGState";
  static constexpr auto properties =
      property_list(property("nosync", &State::nosync), property("instrument", &State::instrument),
                    property("symbol_instrument", &State::symbol_instrument),
                    property("symbol_instrument_condition", &State::symbol_instrument_condition),
                    property("location", &State::location));
  bool operator==(const State&) const = default;
};

extern template class Graph<Node, Edge, StateTag>;  // in sdfg.cpp

/// A graph of blocks. It starts at the only block without predecessors, or else at `start_block`.
struct Region : RegionGraph {
  std::optional<BlockId> start_block;  ///< as stored; see start() in graph_algorithms.h
  bool operator==(const Region&) const = default;
};

/// A region inside another. Flavors differ in name only.
struct ControlFlowRegion : Region {
  enum class Flavor : std::uint8_t { Plain, Unstructured, Named, FunctionCall };
  Flavor flavor = Flavor::Plain;
  Rare<std::map<std::string, std::string>> arguments;  ///< of a function call region
  bool operator==(const ControlFlowRegion&) const = default;
};

/// Normal: init; while (condition) { body; update }
/// Inverted: init; do { body; update } while (condition), or, without update_before_condition,
/// init; loop { body; if (!condition) break; update }
struct LoopRegion : Region {
  RareOptional<Code> update_statement, init_statement, loop_condition;
  bool inverted = false;
  bool update_before_condition = true;
  std::string loop_variable;  ///< empty: a while loop
  bool unroll = false;
  std::int64_t unroll_factor = 0;

  static constexpr std::string_view kind = "LoopRegion";
  static constexpr auto properties = property_list(
      property("update_statement", &LoopRegion::update_statement),
      property("init_statement", &LoopRegion::init_statement),
      property("loop_condition", &LoopRegion::loop_condition),
      property("inverted", &LoopRegion::inverted, "the condition is tested after the body"),
      property("update_before_condition", &LoopRegion::update_before_condition),
      property("loop_variable", &LoopRegion::loop_variable),
      property("unroll", &LoopRegion::unroll),
      property("unroll_factor", &LoopRegion::unroll_factor));
  bool operator==(const LoopRegion&) const = default;
};

struct Branch;
/// The first branch whose condition holds runs; a branch without one is the else branch, the last.
struct ConditionalBlock {
  std::vector<Branch> branches;
  bool operator==(const ConditionalBlock&) const;
};

struct BreakBlock {
  bool operator==(const BreakBlock&) const = default;
};
struct ContinueBlock {
  bool operator==(const ContinueBlock&) const = default;
};
struct ReturnBlock {
  bool operator==(const ReturnBlock&) const = default;
};
/// A block of a kind we do not know; its JSON is in Block::extras under the key "".
struct OtherBlock {
  std::string type;
  bool operator==(const OtherBlock&) const = default;
};

/// A block of control flow: what all kinds have in common, around the kind.
struct Block {
  using Kind = std::variant<State, ControlFlowRegion, LoopRegion, ConditionalBlock, BreakBlock,
                            ContinueBlock, ReturnBlock, OtherBlock>;
  std::string label;  ///< unique within its region
  Kind kind;
  bool is_collapsed = false;
  RareOptional<DebugInfo> debuginfo{};
  std::string guid{};
  Extras extras{};
  Origin origin{};

  Block();
  Block(std::string label, Kind kind);
  Block(const Block&);
  Block(Block&&) noexcept;
  Block& operator=(const Block&);
  Block& operator=(Block&&) noexcept;
  ~Block();

  template <class K>
  bool is() const {
    return std::holds_alternative<K>(kind);
  }
  template <class K>
  const K* as() const {
    return std::get_if<K>(&kind);
  }
  template <class K>
  K* as() {
    return std::get_if<K>(&kind);
  }
  /// The region inside a control-flow or loop region, else null.
  const Region* region() const;
  Region* region();
  /// DaCe's class name.
  std::string_view kind_name() const;
  bool operator==(const Block&) const = default;
};

/// One alternative of a conditional. Its region is a Block too, for its label, guid and so on; it
/// always holds a ControlFlowRegion.
struct Branch {
  RareOptional<Code> condition;
  Block block;

  Region& region() { return *block.region(); }
  const Region& region() const { return *block.region(); }
  bool operator==(const Branch&) const = default;
};

extern template class Graph<Block, InterstateEdge, RegionTag>;  // in sdfg.cpp

}  // namespace sdfg
