#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// What stands for the symbols inside of a nested SDFG that is loaded, in outer ones: integers are
/// rounded down.
Substitution mapped_values(const NestedSdfg& nested);

/// How a nested SDFG's container lies in the container behind its connector: element 0 inside is
/// the first element of the outer memlet's subset, and each wide dimension inside follows one
/// dimension outside, in order, because it has the same stride.
struct Window {
  Subset subset;                               ///< outer, of the memlet at the connector
  std::vector<std::optional<std::size_t>> inner;  ///< by outer dimension: the inner one it carries
  /// By outer dimension that carries none: an inner one of a single element. A range there may be
  /// empty.
  std::vector<std::optional<std::size_t>> single;
  std::vector<Expr> offset;                    ///< of the inner container, by inner dimension

  /// Inner coordinates to outer ones.
  Subset to_outer(const Subset& inside) const;
  /// The first inner dimension with a range that the outer coordinates cannot show: it may be
  /// empty, and no dimension carries it, or it has tiles, and the outer dimension has a step.
  std::optional<std::size_t> lost(const Subset& inside) const;
  /// Does it leave coordinates as they are?
  bool is_identity() const;
};

/// The window, or why there is none. `inside` is the nested container with its symbols already
/// expressed in outer ones.
Result<Window> window(const Data& inside, const Data& outside, const Subset& subset);
/// Is `inside` (its symbols expressed in outer ones) certainly the subset, no more and no less?
bool is_all_inside(const Data& inside, const Subset& subset, const Data& outside);
/// Is the nested SDFG's container certainly the subset of the memlet at its connector, no more and
/// no less?
bool is_all_inside(const NestedSdfg& nested, const std::string& connector, const Subset& subset,
                   const Data& outside);

}  // namespace sdfg
