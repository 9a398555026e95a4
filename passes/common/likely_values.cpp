#include "passes/common/likely_values.h"

#include <algorithm>
#include <optional>

#include "ir/analysis/assigned_symbols.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

/// symbol + offset, or a literal alone.
struct Position {
  std::string symbol;  ///< empty: the literal `offset`
  std::int64_t offset = 0;
  bool is_literal() const { return symbol.empty(); }
  bool operator==(const Position&) const = default;
};

/// begin:end of a dimension of some map.
struct Extent {
  Expr begin, end;
  bool operator==(const Extent&) const = default;
};

/// The arguments of a Min or Max, flat, or the expression itself.
std::vector<Expr> parts(const Expr& e, Op op) {
  if (e.is(op)) return {e.args().begin(), e.args().end()};
  return {e};
}

/// Where a range that begins at a literal ends if it has points: of `0:Max(0, n)` that is n.
Expr end_behind(const Expr& begin, const Expr& end) {
  const auto first = begin.as_integer();
  if (!first || !end.is(Op::Max)) return end;
  std::optional<Expr> out;
  for (const Expr& part : end.args()) {
    if (const auto literal = part.as_integer(); literal && *literal <= *first) continue;
    out = out ? max(*out, part) : part;
  }
  return out.value_or(end);
}

class LikelyValues {
 public:
  LikelyValues(const Sdfg& program, std::int64_t gap)
      : program_(program),
        gap_(gap),
        assigned_(assigned_symbols(program)) {}

  SymbolValues run() {
    for_each_node(program_, [&](const Node& node) {
      const auto* map = node.as<MapEntry>();
      if (!map) return;
      for (const Range& range : map->ranges) {
        const Extent extent{range.begin, end_behind(range.begin, range.end + 1)};
        if (std::ranges::find(extents_, extent) == extents_.end()) extents_.push_back(extent);
      }
    });
    for (const Extent& extent : extents_) {
      if (const auto begin = position(extent.begin)) begins_.push_back(*begin);
      if (const auto end = position(extent.end)) ends_.push_back(*end);
    }
    for (const Extent& extent : extents_) has_points(extent);
    for (const Extent& extent : extents_) {
      cuts(extent.begin, Op::Max, begins_);
      cuts(extent.end, Op::Min, ends_);
    }
    for (const Extent& extent : extents_) {
      clamps(extent.begin, Op::Max);
      clamps(extent.end, Op::Min);
      whole_dimension(extent.end);
    }
    return std::move(values_);
  }

 private:
  std::optional<Position> position(const Expr& e) {
    if (const auto literal = e.as_integer()) return Position{{}, *literal};
    const SymbolSet names = free_symbols(e);
    if (names.size() != 1) return std::nullopt;
    const std::string& name = *names.begin();
    const auto type = program_.symbols.find(name);
    if (type == program_.symbols.end() || !type->second.is_integer() || assigned_.contains(name))
      return std::nullopt;
    const auto offset = (e - Expr::symbol(name)).as_integer();
    if (!offset) return std::nullopt;
    values_.try_emplace(name, 0);
    return Position{name, *offset};
  }
  std::vector<Position> positions(const Expr& e, Op op) {
    std::vector<Position> out;
    for (const Expr& part : parts(e, op))
      if (const auto found = position(part)) out.push_back(*found);
    return out;
  }

  void has_points(const Extent& extent) {
    if (extent.begin.is(Op::Min) && extent.end.is(Op::Max)) {
      // Without offsets: what is read around a point makes no result larger than another.
      for (const Position& begin : positions(extent.begin, Op::Min))
        for (const Position& end : positions(extent.end, Op::Max))
          if (!begin.is_literal() && !end.is_literal()) below({begin.symbol}, {end.symbol});
      return;
    }
    for (const Position& begin : positions(extent.begin, Op::Max))
      for (const Position& end : positions(extent.end, Op::Min)) below(begin, end);
  }
  void cuts(const Expr& e, Op op, const std::vector<Position>& alone) {
    if (!e.is(op)) return;
    const auto is_alone = [&](const Position& p) {
      return std::ranges::find(alone, p) != alone.end();
    };
    const std::vector<Position> all = positions(e, op);
    for (const Position& outer : all)
      for (const Position& cut : all)
        if (is_alone(outer) && !is_alone(cut))
          op == Op::Max ? below(outer, cut) : below(cut, outer);
  }
  void clamps(const Expr& e, Op op) {
    if (!e.is(op)) return;
    const std::vector<Position> all = positions(e, op);
    for (const Position& literal : all)
      for (const Position& other : all)
        if (literal.is_literal() && !other.is_literal())
          op == Op::Max ? below(literal, other) : below(other, literal);
  }
  void whole_dimension(const Expr& end) {
    if (!end.is(Op::Max)) return;
    const std::vector<Position> all = positions(end, Op::Max);
    for (const Position& literal : all)
      for (const Position& other : all)
        if (literal.is_literal() && !other.is_literal())
          values_[other.symbol] = literal.offset - other.offset;
  }

  std::int64_t value(const Position& p) const {
    return p.offset + (p.is_literal() ? 0 : values_.find(p.symbol)->second);
  }
  /// Adds that `low` is below `high`, unless that contradicts what has been added.
  void below(const Position& low, const Position& high) {
    if (low.symbol == high.symbol) return;
    orders_.push_back({low, high});
    SymbolValues before = values_;
    if (settle()) return;
    values_ = std::move(before);
    orders_.pop_back();
  }
  /// Raises values until all orders hold. With n symbols n rounds are enough, unless some go in a
  /// circle.
  bool settle() {
    for (std::size_t round = 0; round <= values_.size(); ++round) {
      bool moved = false;
      for (const auto& [low, high] : orders_) {
        const std::int64_t least = value(low) + gap_;
        if (value(high) >= least) continue;
        if (high.is_literal()) {
          // Below a literal there is room for the start of a dimension, not for a gap.
          if (value(low) < value(high)) continue;
          return false;
        }
        values_[high.symbol] = least - high.offset;
        moved = true;
      }
      if (!moved) return true;
    }
    return false;
  }

  const Sdfg& program_;
  std::int64_t gap_;
  SymbolSet assigned_;
  std::vector<Extent> extents_;
  std::vector<Position> begins_, ends_;  ///< of extents that are not cut there
  std::vector<std::pair<Position, Position>> orders_;
  SymbolValues values_;
};

}  // namespace

SymbolValues likely_values(const Sdfg& program, std::int64_t gap) {
  return LikelyValues(program, gap).run();
}

}  // namespace sdfg
