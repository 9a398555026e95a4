#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/expr.h"
#include "ir/expr_symbols.h"

// Shared by the sources of ir/expr*.cpp; not installed.

namespace sdfg {

namespace detail {

inline bool is_normal(const Expr& e) { return ExprAccess::node(e).normal; }
inline std::uint32_t depth(const Expr& e) { return ExprAccess::node(e).depth; }
/// As Expr::make, for a node that the caller knows to be in normal form.
Expr make_normal(Op op, std::vector<Expr> arguments, std::string name = {});

/// Parsers refuse brackets nested deeper than this, and trees of more levels (a sum of n terms,
/// as written, has n levels), so that every walk over an expression may recurse.
inline constexpr std::uint32_t max_nesting = 500;
inline constexpr std::uint32_t max_depth = 1000;

/// Holds any sum or product of two 64-bit integers.
__extension__ using Wide = __int128;

/// The greatest common divisor, where it fits; else 1, which divides both, too. std::gcd must not
/// be given the smallest integer.
inline std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
  return a == smallest || b == smallest ? 1 : std::gcd(a, b);
}

/// An exact rational: denominator positive, lowest terms; 1 by default. Operations give nothing
/// when a part leaves 64 bits.
struct Rational {
  std::int64_t num = 1, den = 1;
  bool operator==(const Rational&) const = default;
  bool is_integer() const { return den == 1; }
  bool negative() const { return num < 0; }
};
std::optional<Rational> rational(Wide num, Wide den);
std::optional<Rational> add(const Rational& a, const Rational& b);
std::optional<Rational> multiply(const Rational& a, const Rational& b);
/// The value of an Integer or of a Div of two Integers in lowest terms.
std::optional<Rational> as_rational(const Expr& e);
Expr to_expr(const Rational& r);

std::int64_t floor_quotient(std::int64_t a, std::int64_t b);  ///< b != 0, not INT64_MIN / -1

/// One term of a sum in normal form: coefficient times a product of atoms without coefficient
/// (the Integer 1 for the constant term).
struct Term {
  Rational coefficient;
  Expr monomial;
};
/// The terms of a normal expression, in order.
std::vector<Term> terms(const Expr& normal);
/// The inverse; terms in any order, equal monomials allowed. Nothing on overflow.
std::optional<Expr> sum(std::vector<Term> terms);
/// Known to be an integer whenever it has a value (symbols are).
bool is_integral(const Expr& normal);

/// The Op that a function name stands for, when it has that many arguments: "int_floor" with two.
std::optional<Op> op_of_function(std::string_view name, std::size_t arguments);

bool is_comparison(Op op);
bool is_truth(Op op);  ///< gives a truth value: comparisons, And, Or, Not, True, False
Op negated(Op comparison);
Op mirrored(Op comparison);  ///< a op b == b mirrored(op) a

}  // namespace detail
}  // namespace sdfg
