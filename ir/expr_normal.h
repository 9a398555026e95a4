#pragma once

#include <vector>

#include "ir/expr_internal.h"

// Normal form, in parts; internal to ir/. All expressions that come in and go out are normal.
//
// A sum is a list of terms, a term is a rational coefficient times a monomial, and a monomial is a
// product of powers of atoms. An atom is anything else: a symbol, a quotient that does not come
// out even, a minimum, a call. Lists are sorted by `compare`, so equal polynomials are equal trees.
// Products of sums are multiplied out while the result stays small; a larger product keeps its
// sums as factors. Coefficients are exact; where one would leave 64 bits, the operands stay
// unfolded side by side.

namespace sdfg::detail {

inline bool is_zero(const Expr& e) { return e.is(Op::Integer) && e.value() == 0; }
inline bool is_one(const Expr& e) { return e.is(Op::Integer) && e.value() == 1; }

// ---- Sums and products (expr_polynomial.cpp).

struct Power {
  Expr base;
  std::int64_t exponent;
};

Expr as_expr(const Term& t);
Term as_term(const Expr& e);
Expr unfolded(Op op, std::vector<Expr> args);  ///< sorted, and otherwise as it is
Expr add_terms(std::vector<Term> list);
Expr add_normal(const Expr& a, const Expr& b);
Expr subtract(const Expr& a, const Expr& b);
Expr negate(const Expr& e);
Expr scale(const Expr& e, const Rational& r);
/// Splits a factor into its powers; rational factors go into the coefficient.
void collect_powers(const Expr& factor, std::vector<Power>& powers, Rational& coefficient);
Expr multiply_all(std::vector<Power> powers, Rational coefficient);
Expr multiply_normal(const Expr& a, const Expr& b);
Expr power_normal(const Expr& base, const Expr& exponent);

// ---- Rounded quotients and remainders (expr_quotient.cpp).

Expr rounded_quotient(Expr a, Expr b, bool up);
Expr remainder(const Expr& a, const Expr& b);

// ---- Minimum, maximum, truth values (expr_logic.cpp).

Expr extremum(Op op, std::vector<Expr> args);
Expr comparison(Op op, const Expr& a, const Expr& b);
Expr negation(const Expr& e);
Expr junction(Op op, const std::vector<Expr>& args);  ///< And, Or
Expr selection(const Expr& condition, const Expr& a, const Expr& b);

}  // namespace sdfg::detail
