// Sums, products and powers in normal form.

#include "ir/expr_normal.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

namespace sdfg::detail {
namespace {

/// Terms that multiplying out may make.
constexpr std::size_t max_product_terms = 64;

}  // namespace

namespace {
bool before(const Term& a, const Term& b) { return compare(a.monomial, b.monomial) < 0; }

/// Stable. Most lists are two that are in order each, and short.
void sort(std::vector<Term>& list) {
  constexpr std::size_t short_list = 12;
  if (list.size() > short_list) {
    if (!std::ranges::is_sorted(list, before)) std::ranges::stable_sort(list, before);
    return;
  }
  for (auto at = list.begin(); at != list.end(); ++at)
    if (at != list.begin() && before(*at, *(at - 1)))
      std::rotate(std::upper_bound(list.begin(), at, *at, before), at, at + 1);
}

void append_terms(const Expr& e, std::vector<Term>& out) {
  if (e.is(Op::Add))
    for (const Expr& a : e.args()) out.push_back(as_term(a));
  else if (!is_zero(e))
    out.push_back(as_term(e));
}
std::size_t most_terms(const Expr& e) { return e.is(Op::Add) ? e.args().size() : 1; }
/// Those of both.
std::vector<Term> terms(const Expr& a, const Expr& b) {
  std::vector<Term> out;
  out.reserve(most_terms(a) + most_terms(b));
  append_terms(a, out), append_terms(b, out);
  return out;
}
}  // namespace

Expr as_expr(const Term& t) {
  if (is_one(t.monomial)) return to_expr(t.coefficient);
  if (t.coefficient == Rational{}) return t.monomial;
  const std::span<const Expr> parts =
      t.monomial.is(Op::Mul) ? t.monomial.args() : std::span(&t.monomial, 1);
  std::vector<Expr> factors;
  factors.reserve(parts.size() + 1);
  factors.push_back(to_expr(t.coefficient));
  factors.insert(factors.end(), parts.begin(), parts.end());
  return make_normal(Op::Mul, std::move(factors));
}

Term as_term(const Expr& e) {
  if (const auto r = as_rational(e)) return {*r, 1};
  if (!e.is(Op::Mul) || e.args().empty()) return {{}, e};
  const auto r = as_rational(e.arg(0));
  if (!r) return {{}, e};
  if (e.args().size() == 2) return {*r, e.arg(1)};
  return {*r, make_normal(Op::Mul, {e.args().begin() + 1, e.args().end()})};
}

std::vector<Term> terms(const Expr& e) {
  std::vector<Term> out;
  out.reserve(most_terms(e));
  append_terms(e, out);
  return out;
}

namespace {

/// A number that did not fit into a coefficient before.
bool may_fit_now(const Term& t) { return t.monomial.is(Op::Integer) && !is_one(t.monomial); }

/// Sorts the terms and adds them up; leaves them as they are where the sum overflows.
std::optional<Expr> sum_of(std::vector<Term>& list) {
  sort(list);
  std::vector<Expr> args;
  args.reserve(list.size());
  for (std::size_t i = 0; i < list.size();) {
    const Term& t = list[i];
    // Only the total has to fit, so that the order does not matter.
    Wide num = t.coefficient.num, den = t.coefficient.den;
    const std::size_t first = i;
    for (++i; i < list.size() && list[i].monomial == t.monomial; ++i) {
      const Rational& c = list[i].coefficient;
      if (c.den == den) {
        num += c.num;
        continue;
      }
      const auto so_far = rational(num, den);
      const auto total = so_far ? add(*so_far, c) : std::nullopt;
      if (!total) return std::nullopt;
      num = total->num, den = total->den;
    }
    const auto total = i == first + 1 ? t.coefficient : rational(num, den);
    if (!total) return std::nullopt;
    if (total->num != 0) args.push_back(as_expr({*total, t.monomial}));
  }
  if (args.empty()) return Expr(0);
  if (args.size() == 1) return std::move(args[0]);
  return make_normal(Op::Add, std::move(args));
}

}  // namespace

std::optional<Expr> sum(std::vector<Term> list) {
  for (Term& t : list) {
    const auto value = may_fit_now(t) ? as_rational(t.monomial) : std::nullopt;
    if (const auto c = value ? multiply(t.coefficient, *value) : std::nullopt) t = {*c, 1};
  }
  return sum_of(list);
}

Expr unfolded(Op op, std::vector<Expr> args) {
  std::ranges::sort(args, [](const Expr& a, const Expr& b) { return compare(a, b) < 0; });
  return make_normal(op, std::move(args));
}

Expr add_terms(std::vector<Term> list) {
  if (auto e = std::ranges::any_of(list, may_fit_now) ? sum(list) : sum_of(list))
    return *std::move(e);
  std::vector<Expr> args;
  for (const Term& t : list) args.push_back(as_expr(t));
  return unfolded(Op::Add, std::move(args));
}

namespace {

/// The sum with an integer, whose place is in front, without taking the other terms apart. Nothing
/// where a constant that is no such integer stands there, or the sum leaves 64 bits.
std::optional<Expr> add_integer(const Expr& a, std::int64_t by) {
  const std::span<const Expr> args = a.args();
  const bool sum = a.is(Op::Add) && args.size() > 1;
  const auto constant = as_rational(sum ? args[0] : a);
  if (constant ? !constant->is_integer() : (sum ? args[0] : a).is(Op::Integer)) return std::nullopt;
  const auto total = rational(Wide(constant ? constant->num : 0) + by, 1);
  if (!total || (sum && as_rational(args[1]))) return std::nullopt;
  if (!sum) return constant ? to_expr(*total) : make_normal(Op::Add, {to_expr(*total), a});
  const std::span<const Expr> rest = args.subspan(constant ? 1 : 0);
  if (total->num == 0 && rest.size() == 1) return rest[0];
  std::vector<Expr> terms;
  terms.reserve(rest.size() + 1);
  if (total->num != 0) terms.push_back(to_expr(*total));
  terms.insert(terms.end(), rest.begin(), rest.end());
  return make_normal(Op::Add, std::move(terms));
}

}  // namespace

Expr add_normal(const Expr& a, const Expr& b) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  for (const auto& [number, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (number->is(Op::Integer))
      if (std::optional<Expr> sum = add_integer(*other, number->value())) return *std::move(sum);
  return add_terms(terms(a, b));
}

void collect_powers(const Expr& factor, std::vector<Power>& powers, Rational& coefficient) {
  if (const auto r = as_rational(factor)) {
    if (const auto c = multiply(coefficient, *r)) coefficient = *c;
    else powers.push_back({factor, 1});
  } else if (factor.is(Op::Mul)) {
    for (const Expr& f : factor.args()) collect_powers(f, powers, coefficient);
  } else if (factor.is(Op::Pow) && factor.arg(1).is(Op::Integer)) {
    powers.push_back({factor.arg(0), factor.arg(1).value()});
  } else {
    powers.push_back({factor, 1});
  }
}

namespace {

Expr power_expr(const Power& p) {
  return p.exponent == 1 ? p.base : make_normal(Op::Pow, {p.base, p.exponent});
}

}  // namespace

Expr multiply_normal(const Expr& a, const Expr& b) {
  // Most products have a number on one side.
  if (const auto r = as_rational(a)) return scale(b, *r);
  if (const auto r = as_rational(b)) return scale(a, *r);
  std::vector<Power> powers;
  Rational coefficient;
  collect_powers(a, powers, coefficient);
  collect_powers(b, powers, coefficient);
  return multiply_all(std::move(powers), coefficient);
}

namespace {

/// The number of terms of the product of sums, or too many.
std::size_t expanded_size(const std::vector<Power>& powers) {
  std::size_t size = 1, sums = 0;
  for (const Power& p : powers) {
    if (!p.base.is(Op::Add) || p.exponent <= 0) continue;
    const std::size_t n = p.base.args().size();
    sums += p.exponent == 1 ? 1 : 2;
    if (p.exponent > 6 && n > 1) return ~std::size_t(0);
    for (std::int64_t i = 0; i < p.exponent; ++i) size *= std::min<std::size_t>(n, 1000);
    if (size > 1000000) size = 1000000;
  }
  // One sum alone does not grow.
  return sums == 1 ? 1 : size;
}

/// Where the product of the coefficients leaves 64 bits, as many of the smallest as fit are
/// multiplied, so that the order in which they came does not matter.
void settle_coefficient(std::vector<Power>& powers, Rational& coefficient) {
  std::vector<Rational> numbers;
  std::erase_if(powers, [&](const Power& p) {
    if (!as_rational(p.base)) return false;
    const auto value = as_rational(power_normal(p.base, p.exponent));
    if (value) numbers.push_back(*value);
    return value.has_value();
  });
  if (numbers.empty()) return;
  numbers.push_back(coefficient);
  std::ranges::sort(numbers, [](const Rational& a, const Rational& b) {
    const auto key = [](const Rational& r) { return std::tuple(std::abs(r.num), r.den, r.num); };
    return key(a) < key(b);
  });
  coefficient = {};
  bool fits = true;
  for (const Rational& n : numbers) {
    const auto next = fits ? multiply(coefficient, n) : std::nullopt;
    if (next) coefficient = *next;
    else powers.push_back({to_expr(n), 1});
    fits = next.has_value();
  }
}

}  // namespace

Expr multiply_all(std::vector<Power> powers, Rational coefficient) {
  if (coefficient.num == 0) return 0;
  settle_coefficient(powers, coefficient);
  std::ranges::stable_sort(
      powers, [](const Power& a, const Power& b) { return compare(a.base, b.base) < 0; });
  std::size_t kept = 0;
  bool has_sum = false;
  for (std::size_t i = 0; i < powers.size();) {
    Power p = std::move(powers[i]);
    for (++i; i < powers.size() && powers[i].base == p.base; ++i) {
      if (__builtin_add_overflow(p.exponent, powers[i].exponent, &p.exponent)) {
        // Both stay; the exponents cannot be added.
        p.exponent -= powers[i].exponent;
        break;
      }
    }
    if (p.exponent == 0) continue;
    has_sum |= p.base.is(Op::Add) && p.exponent > 0;
    powers[kept++] = std::move(p);
  }
  powers.resize(kept, {0, 0});

  if (has_sum && expanded_size(powers) <= max_product_terms) {
    std::vector<Power> plain;
    std::vector<Expr> sums;
    for (Power& p : powers) {
      if (p.base.is(Op::Add) && p.exponent > 0)
        sums.insert(sums.end(), std::size_t(p.exponent), p.base);
      else plain.push_back(std::move(p));
    }
    std::vector<Term> product = terms(multiply_all(plain, coefficient));
    bool fits = true;
    for (const Expr& s : sums) {
      std::vector<Term> next;
      for (const Term& a : product)
        for (const Term& b : terms(s)) {
          const auto c = multiply(a.coefficient, b.coefficient);
          fits = fits && c;
          if (!c) break;
          if (is_one(a.monomial) || is_one(b.monomial)) {
            next.push_back({*c, is_one(a.monomial) ? b.monomial : a.monomial});
            continue;
          }
          for (Term& t : terms(multiply_normal(a.monomial, b.monomial))) {
            const auto scaled = multiply(t.coefficient, *c);
            fits = fits && scaled;
            next.push_back({scaled.value_or(Rational{}), std::move(t.monomial)});
          }
        }
      product = std::move(next);
    }
    if (fits) return add_terms(std::move(product));
    std::vector<Expr> args;
    if (coefficient != Rational{}) args.push_back(to_expr(coefficient));
    for (const Power& p : plain) args.push_back(power_expr(p));
    args.insert(args.end(), sums.begin(), sums.end());
    if (args.size() == 1) return args[0];
    return unfolded(Op::Mul, std::move(args));
  }

  std::vector<Expr> args;
  args.reserve(powers.size() + 1);
  if (coefficient != Rational{}) args.push_back(to_expr(coefficient));
  for (const Power& p : powers) args.push_back(power_expr(p));
  if (args.empty()) return 1;
  if (args.size() == 1) return args[0];
  return make_normal(Op::Mul, std::move(args));
}

Expr scale(const Expr& e, const Rational& r) {
  if (r.num == 0) return 0;
  if (r == Rational{}) return e;
  if (e.is(Op::Integer) || e.is(Op::Symbol) || e.is(Op::Add)) {
    std::vector<Term> list = terms(e);
    bool fits = true;
    for (Term& t : list) {
      const auto c = multiply(t.coefficient, r);
      fits = fits && c;
      if (c) t.coefficient = *c;
    }
    if (fits) return add_terms(std::move(list));
  }
  std::vector<Power> powers;
  Rational coefficient;
  collect_powers(e, powers, coefficient);
  collect_powers(to_expr(r), powers, coefficient);
  return multiply_all(std::move(powers), coefficient);
}
Expr negate(const Expr& e) { return scale(e, {-1, 1}); }
Expr subtract(const Expr& a, const Expr& b) {
  if (is_zero(b)) return a;
  if (a.same(b)) return 0;
  if (const auto by = as_rational(b); by && by->is_integer())
    if (std::optional<Expr> difference = add_integer(a, -by->num)) return *std::move(difference);
  if (is_zero(a) || b.is(Op::Mul)) return add_normal(a, negate(b));
  std::vector<Term> list = terms(a, b);
  for (std::size_t i = most_terms(a); i < list.size(); ++i)  // those of b, as a is not 0
    list[i].coefficient.num = -list[i].coefficient.num;      // never the most negative number
  return add_terms(std::move(list));
}

Expr power_normal(const Expr& base, const Expr& exponent) {
  if (!exponent.is(Op::Integer)) return make_normal(Op::Pow, {base, exponent});
  const std::int64_t n = exponent.value();
  if (n == 0) return 1;
  if (n == 1) return base;
  if (const auto r = as_rational(base)) {
    if (r->num == 0) return n > 0 ? Expr(0) : make_normal(Op::Pow, {base, exponent});
    Rational result;
    Rational factor = n > 0 ? *r : *rational(r->den, r->num);
    const bool unit = r->den == 1 && (r->num == 1 || r->num == -1);
    if (unit) return r->num == 1 || n % 2 == 0 ? 1 : -1;
    if (n > 64 || n < -64) return make_normal(Op::Pow, {base, exponent});
    for (std::int64_t i = 0; i < std::abs(n); ++i) {
      const auto next = multiply(result, factor);
      if (!next) return make_normal(Op::Pow, {base, exponent});
      result = *next;
    }
    return to_expr(result);
  }
  std::vector<Power> powers;
  Rational coefficient;
  collect_powers(base, powers, coefficient);
  for (Power& p : powers)
    if (__builtin_mul_overflow(p.exponent, n, &p.exponent))
      return make_normal(Op::Pow, {base, exponent});
  const Expr scaled = power_normal(to_expr(coefficient), exponent);
  collect_powers(scaled, powers, coefficient = {});
  return multiply_all(std::move(powers), coefficient);
}

bool is_integral(const Expr& e) {
  const auto all = [&] { return std::ranges::all_of(e.args(), is_integral); };
  switch (e.op()) {
    case Op::Integer:
    case Op::Symbol:
    case Op::True:
    case Op::False:
    case Op::FloorDiv:
    case Op::CeilDiv: return true;
    case Op::Add:
    case Op::Mul:
    case Op::Min:
    case Op::Max:
    case Op::Mod:
    case Op::LeftShift:
    case Op::RightShift:
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor:
    case Op::Invert: return all();
    case Op::Select: return is_integral(e.arg(1)) && is_integral(e.arg(2));
    case Op::Pow: return e.arg(1).is(Op::Integer) && e.arg(1).value() >= 0 && is_integral(e.arg(0));
    case Op::Call: return e.name() == "abs" && all();
    default: return is_truth(e.op());
  }
}

}  // namespace sdfg::detail
