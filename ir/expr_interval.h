#pragma once

#include "ir/expr_internal.h"

namespace sdfg::detail {

/// Constant bounds of a value; an absent one is unbounded.
struct Interval {
  std::optional<Rational> low, high;
};
/// What the assumptions' constant bounds say of a normal expression. Bounds of symbols that
/// mention other symbols are followed a few levels deep.
Interval interval(const Expr& normal, const Assumptions& assumptions, int depth = 0);

bool less(const Rational& a, const Rational& b);

/// -1, 0 or 1 when the interval lies at or below, is, or lies at or above zero.
std::optional<int> weak_sign(const Interval& i);

}  // namespace sdfg::detail
