#pragma once

#include "ir/expr.h"

namespace sdfg {

/// Does a term of the sum, or a factor of one, divide by something? In integers each such term
/// alone would be rounded, where the whole is exact.
bool has_quotient(const Expr& sum);
/// expr = numerator / denominator, neither of which has a quotient: (i - S)/T for i/T - S/T.
/// Normal form; the denominator is 1 where nothing divides. What divides inside of functions
/// stays there, and so does a division by zero.
struct Fraction {
  Expr numerator, denominator;
};
Fraction over_one_denominator(const Expr& expr);
/// What an integer symbol becomes that is given the expression: it drops what quotients leave over,
/// so that they do not cancel afterwards, int_floor(N, 2) for N/2.
Expr rounded_down(const Expr& expr);

}  // namespace sdfg
