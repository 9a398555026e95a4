#include <limits>
#include <numeric>

#include "ir/expr_internal.h"

namespace sdfg::detail {
namespace {

unsigned __int128 magnitude(__int128 v) {
  return v < 0 ? -static_cast<unsigned __int128>(v) : static_cast<unsigned __int128>(v);
}
unsigned __int128 gcd(unsigned __int128 a, unsigned __int128 b) {
  while (b) a = std::exchange(b, a % b);
  return a;
}

}  // namespace

std::optional<Rational> rational(__int128 num, __int128 den) {
  if (den == 0) return std::nullopt;
  if (den != 1) {
    const auto g = static_cast<__int128>(gcd(magnitude(num), magnitude(den)));
    num /= g, den /= g;
    if (den < 0) num = -num, den = -den;
  }
  // The most negative number is left out, so that negation never overflows.
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  if (num > max || num < -max || den > max) return std::nullopt;
  return Rational{std::int64_t(num), std::int64_t(den)};
}

std::optional<Rational> add(const Rational& a, const Rational& b) {
  const __int128 left = __int128(a.num) * b.den, right = __int128(b.num) * a.den;
  __int128 num;
  if (__builtin_add_overflow(left, right, &num)) return std::nullopt;
  return rational(num, __int128(a.den) * b.den);
}
std::optional<Rational> multiply(const Rational& a, const Rational& b) {
  return rational(__int128(a.num) * b.num, __int128(a.den) * b.den);
}

std::optional<Rational> as_rational(const Expr& e) {
  if (e.is(Op::Integer)) return rational(e.value(), 1);
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
