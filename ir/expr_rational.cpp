#include <limits>
#include <numeric>

#include "ir/expr_internal.h"

namespace sdfg::detail {
namespace {

__extension__ using UnsignedWide = unsigned __int128;

UnsignedWide magnitude(Wide v) {
  return v < 0 ? -static_cast<UnsignedWide>(v) : static_cast<UnsignedWide>(v);
}
UnsignedWide gcd(UnsignedWide a, UnsignedWide b) {
  while (b) a = std::exchange(b, a % b);
  return a;
}

}  // namespace

std::optional<Rational> rational(Wide num, Wide den) {
  if (den == 0) return std::nullopt;
  if (den != 1) {
    const auto g = static_cast<Wide>(gcd(magnitude(num), magnitude(den)));
    num /= g, den /= g;
    if (den < 0) num = -num, den = -den;
  }
  // The most negative number is left out, so that negation never overflows.
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  if (num > max || num < -max || den > max) return std::nullopt;
  return Rational{std::int64_t(num), std::int64_t(den)};
}

std::optional<Rational> add(const Rational& a, const Rational& b) {
  const Wide left = Wide(a.num) * b.den, right = Wide(b.num) * a.den;
  Wide num;
  if (__builtin_add_overflow(left, right, &num)) return std::nullopt;
  return rational(num, Wide(a.den) * b.den);
}
std::optional<Rational> multiply(const Rational& a, const Rational& b) {
  return rational(Wide(a.num) * b.num, Wide(a.den) * b.den);
}

std::optional<Rational> as_rational(const Expr& e) {
  if (e.is(Op::Integer)) {
    const std::int64_t value = e.value();
    return value == std::numeric_limits<std::int64_t>::min() ? std::nullopt
                                                             : std::optional(Rational{value, 1});
  }
  if (!e.is(Op::Div) || !e.arg(0).is(Op::Integer) || !e.arg(1).is(Op::Integer))
    return std::nullopt;
  const std::int64_t num = e.arg(0).value(), den = e.arg(1).value();
  const auto r = rational(num, den);
  return r && r->num == num && r->den == den && den != 1 ? r : std::nullopt;
}
Expr to_expr(const Rational& r) {
  if (r.is_integer()) return r.num;
  return make_normal(Op::Div, {r.num, r.den});
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

}  // namespace sdfg::detail
