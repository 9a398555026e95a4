#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/analysis/connector_types.h"
#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// What is known of a symbol's value at a point of the control flow: an expression over symbols
/// that have the same values there as where the symbol was assigned.
///
/// Works on demand, symbol by symbol, in static single assignment terms: each assignment, and each
/// place where different assignments meet, is a *version* of the symbol. Blocks get positions in
/// program order, so "was it assigned in here?" is a search among the symbol's few positions, and
/// regions that do not assign it cost nothing. Only in regions that are no chain of blocks,
/// versions flow from block to block, and there only through the *parts* that assign the symbol:
/// regions are cut where all ways go through one block and none leads back.
///
/// Keeps a reference to the SDFG, which must not change meanwhile.
class SymbolValues {
 public:
  /// `entry`: what is known when the SDFG is entered. Values are followed only where types show
  /// that assigning loses nothing: integers into integers at least as wide, conditions into bool.
  SymbolValues(const Sdfg& sdfg, const TypeTable& types, Substitution entry = {});

  using RegionIndex = std::size_t;  ///< 0: the SDFG itself
  RegionIndex child(RegionIndex region, BlockId block, std::size_t branch = 0) const;

  struct Point {
    enum Kind : std::uint8_t {
      Before,  ///< entering a block; a conditional's conditions, a loop's init statement
      After,   ///< on the edges behind a block
      Header,  ///< entering the body of the loop that `region` is; the condition of a normal loop
      Update   ///< that loop's update statement
    };
    Kind kind = Before;
    RegionIndex region = 0;
    BlockId block{};
  };
  bool is_assigned(std::string_view symbol) const { return symbols_.contains(symbol); }
  /// The value of a symbol at a point; nothing when it is not known to be any expression.
  std::optional<Expr> value(std::string_view symbol, const Point& at);
  /// Tells that the symbol is read at a point; then, after all reads have been told, whether an
  /// iteration of the loop that `region` is (or anything behind the loop) may read what an earlier
  /// one assigned.
  void read(std::string_view symbol, const Point& at);
  bool carried(std::string_view symbol, RegionIndex region) const;
  /// Is the symbol's value in the body the same in all iterations of the loop that `region` is?
  bool fixed_in_loop(std::string_view symbol, RegionIndex region) const;

 private:
  using Symbol = std::uint32_t;
  using Version = std::uint32_t;
  using Position = std::uint32_t;
  using Place = std::uint32_t;  ///< in a region's order of blocks

  struct Definition {
    Position position;
    RegionIndex region;
    InterstateEdgeId edge{};  ///< none: a loop's statement
    BlockId block;            ///< the edge's source, or the loop
    bool update = false;
    Expr value;
    bool readable = true;
  };
  struct Element {  ///< of a chain: a block, or the edge behind it
    Position begin, end;
    BlockId block;
    bool is_edge;
  };
  struct RegionInfo {
    const Region* region = nullptr;
    const LoopRegion* loop = nullptr;
    RegionIndex parent = 0;
    BlockId block;  ///< in the parent
    Position begin = 0, end = 0, update_end = 0;
    bool chain = false;
    bool breaks = false, continues = false;
    std::vector<BlockId> order;
    std::vector<Element> elements;        ///< of a chain
    std::vector<Place> places;            ///< by block id: where in `order`
    std::vector<Place> cuts;              ///< where parts begin, and the end; not of a chain
    std::vector<std::pair<Position, Position>> extent;  ///< by block id
    std::vector<std::pair<BlockId, std::vector<RegionIndex>>> children;
  };
  enum class Kind : std::uint8_t { Entry, Assigned, Loop, AfterBody, AfterLoop, Merge, Block, End };
  static constexpr std::uint32_t nowhere = ~std::uint32_t(0);  ///< of End: behind no block
  /// The versions of a symbol in a region that is no chain.
  struct Flow {
    struct Part {
      Place begin, end;
      std::vector<std::optional<Version>> in;  ///< on entering each block
      std::optional<Version> out;              ///< on entering the block behind it
    };
    Version entry;
    std::vector<Part> parts;  ///< those that assign it
    std::optional<Version> at(Place place) const;
  };
  /// Where a version comes from; `region` and `block` as the kind asks.
  struct Origin {
    Kind kind;
    Symbol symbol;
    std::uint32_t region, block;  ///< Assigned: index of the definition
    auto operator<=>(const Origin&) const = default;
  };
  struct Value {
    Expr expr;
    std::vector<std::pair<Symbol, Version>> reads;  ///< assigned symbols in it, and which version
    bool operator==(const Value&) const = default;
  };
  enum class Progress : std::uint8_t { New, Running, Done };

  RegionIndex add_region(const Region& region, const LoopRegion* loop, RegionIndex parent,
                         BlockId block, RegionIndex innermost_loop);
  void add_block(RegionIndex region, BlockId block, RegionIndex innermost_loop);
  void add_unreachable(RegionIndex region);
  void add_conditional(RegionIndex region, BlockId block, RegionIndex innermost_loop);
  void add_loop(RegionIndex region, BlockId block);
  void add_statement(RegionIndex region, BlockId block, const RareOptional<Code>& code,
                     bool update);
  void define(const std::string& name, Definition definition);
  static void cut(RegionInfo& info);

  bool assigned_in(Symbol s, Position begin, Position end) const;
  const Definition* last_in(Symbol s, Position begin, Position end) const;
  std::span<const Definition> all_in(Symbol s, Position begin, Position end) const;
  bool loop_changes(Symbol s, const RegionInfo& loop) const;
  Version version(const Origin& origin);
  Version assigned(Symbol s, const Definition& definition);

  Version before(Symbol s, RegionIndex region, BlockId block);
  Version after(Symbol s, RegionIndex region, BlockId block);
  std::optional<Version> in_region(Symbol s, RegionIndex region, BlockId block);
  Version after_block(Symbol s, RegionIndex region, BlockId block);
  Version loop_init(Symbol s, RegionIndex loop);
  Version after_body(Symbol s, RegionIndex loop);
  Version end_of(Symbol s, RegionIndex region);
  const Flow& flow(Symbol s, RegionIndex region);
  void flow_through(Symbol s, RegionIndex region, Flow& flow, Place begin, Place end);
  std::optional<Version> meet(Symbol s, RegionIndex region, BlockId block, const Flow& flow);
  std::vector<Version> arrivals(Symbol s, RegionIndex region, BlockId block, const Flow& flow);
  Version at(Symbol s, const Point& point);

  const std::optional<Value>& value_of(Version v);
  std::optional<Value> evaluate(const Origin& origin);
  std::vector<Version> inputs(const Origin& origin);
  std::optional<Value> join(const std::vector<Version>& versions);
  std::optional<Value> resolve(Symbol target, const Definition& definition);
  bool holds_at(const Value& value, const Point& point);
  bool fits(const Expr& value, const std::string& target) const;

  const Sdfg& sdfg_;
  const TypeTable& types_;
  Substitution entry_;
  Position next_ = 0;
  bool unreachable_ = false;  ///< while such blocks are numbered
  std::vector<RegionInfo> regions_;
  ByName<Symbol> symbols_;
  std::vector<std::string> names_;
  std::vector<std::vector<Definition>> definitions_;  ///< by symbol, in order of position
  std::map<Origin, Version> versions_;
  std::vector<Origin> origins_;
  std::vector<std::optional<Value>> values_;  ///< by version
  std::vector<Progress> progress_;
  std::vector<char> read_;  ///< by version: does a read see it?
  std::map<std::pair<RegionIndex, Symbol>, Version> entries_;
  std::map<std::pair<RegionIndex, Symbol>, Flow> flows_;
  std::size_t depth_ = 0;
};

}  // namespace sdfg
