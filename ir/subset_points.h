#pragma once

#include <cstdint>
#include <optional>

#include "ir/subset.h"

// Internal to ir/: what a range means as a set.

namespace sdfg::detail {

/// The points of one range. With stride 1: first, first + 1, …, last. Otherwise `block` points,
/// fewer than the stride, from each of first, first + stride, …, up to a start of at most `last`.
/// Empty when last < first.
struct Points {
  Expr first, last;
  std::int64_t stride = 1, block = 1;

  /// The last start itself, if the range has a known extent.
  std::optional<Expr> exact_last() const {
    if (stride == 1) return last;
    const auto extent = (last - first).as_integer();
    return extent ? std::optional(first + floor_div(*extent, stride) * stride) : std::nullopt;
  }
  bool is_single() const { return stride == 1 && first == last; }
  /// No point lies behind this.
  Expr upper_bound() const { return stride == 1 ? last : last + (block - 1); }
};

/// Nothing when a symbolic step or tile, or a range that may be empty, leaves it open.
std::optional<Points> points_of(const Range& range, const Assumptions& assumptions);

/// The comparison, Lt, Le, Gt or Ge, without isl.
Truth decide_quickly(Op comparison, const Expr& a, const Expr& b, const Assumptions& assumptions);

}  // namespace sdfg::detail
