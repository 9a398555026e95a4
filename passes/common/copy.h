#pragma once

#include <optional>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// What an edge between two access nodes copies: element by element, both sides in row-major order.
struct CopySides {
  Subset src, dst;
};
/// The innermost edge of a path that leads from access node to access node. A side that the memlet
/// leaves out is filled in by the rule of the interpreter: the whole container if that has as many
/// elements, else a box at 0 of the other side's shape. Nothing when that depends on values of
/// symbols, or when the edge copies no elements of arrays (streams, references, structures).
std::optional<CopySides> copy_sides(const Sdfg& sdfg, const State& state, EdgeId edge);

/// Two subsets of a container: do they name the same elements in the same order?
bool same_sequence(const Subset& a, const Subset& b, const Assumptions& assumptions = {});

/// The range in which number `first` is where `at` begins. Where it has no step, its end says
/// nothing, and is its begin.
Range counted_from(const Expr& first, const Range& at);

/// Where the elements of one container lie in another: in dimension d there, index i of dimension
/// `from[d]` is number i of `at[d]` (as `counted_from` makes it); a dimension without `from` has
/// one index. Dimensions of the first container that no dimension of the other carries have one
/// index only.
struct Placement {
  std::vector<std::optional<std::size_t>> from;
  Subset at;

  /// What is read of the first container is the one element of the other.
  static Placement single() { return {{std::nullopt}, Subset::index({Expr(0)})}; }
  Subset map(const Subset& subset) const;
  /// The first dimension of the first container with a range that the other's cannot show: it may
  /// be empty, and no dimension carries it, or it has tiles, and its carrier has a step.
  std::optional<std::size_t> lost(const Subset& subset) const;
  /// Those that say where it is.
  SymbolSet symbols() const;
  /// Does each dimension carry that of the same number, of a first container with `rank` of them?
  bool keeps_rank(std::size_t rank) const;
  /// The dimension that carries one of the first container, if any.
  std::optional<std::size_t> carrier(std::size_t dimension) const;
  bool operator==(const Placement&) const = default;
};

/// The placement under which copying changes nothing: elements of `inner` lie at `outer`. Wide
/// dimensions are matched in order by size; nothing when they do not agree, or when a step inside
/// is not that outside.
std::optional<Placement> placement(const Subset& inner, const Subset& outer,
                                   const Assumptions& assumptions = {});

}  // namespace sdfg
