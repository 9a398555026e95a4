// Quotients, exact and rounded down or up, and remainders, in normal form.

#include "ir/expr_quotient.h"

#include "ir/expr_normal.h"

#include <algorithm>
#include <numeric>

namespace sdfg::detail {
namespace {

/// The smallest product that makes every term of the sum free of denominators. It stays a list of
/// powers, so that a sum among them cancels.
struct Denominator {
  Rational number;
  std::vector<Power> powers;
  bool is_one() const { return powers.empty() && number == Rational{}; }
};
Denominator common_denominator(const Expr& e) {
  Denominator out;
  auto& [number, powers] = out;
  for (const Term& t : terms(e)) {
    const auto l =
        multiply(number, {t.coefficient.den / common_divisor(number.num, t.coefficient.den), 1});
    if (!l) return {};
    number = *l;
    std::vector<Power> own;
    Rational ignored;
    collect_powers(t.monomial, own, ignored);
    for (const Power& p : own) {
      if (p.exponent >= 0 || p.exponent < -1000) continue;
      const auto same =
          std::ranges::find_if(powers, [&](const Power& q) { return q.base == p.base; });
      if (same == powers.end()) powers.push_back({p.base, -p.exponent});
      else same->exponent = std::max(same->exponent, -p.exponent);
    }
  }
  return out;
}

Expr times(const Expr& e, const Denominator& d) {
  std::vector<Term> list;
  for (const Term& t : terms(e)) {
    std::vector<Power> powers = d.powers;
    Rational coefficient = d.number;
    collect_powers(as_expr(t), powers, coefficient);
    std::ranges::move(terms(multiply_all(std::move(powers), coefficient)),
                      std::back_inserter(list));
  }
  return add_terms(std::move(list));
}

/// a / b when it comes out as an integer multiple of an integral monomial.
std::optional<Term> exact_quotient(const Term& a, const Term& b) {
  if (b.coefficient.num == 0) return std::nullopt;
  const auto inverse = rational(b.coefficient.den, b.coefficient.num);
  const auto c = inverse ? multiply(a.coefficient, *inverse) : std::nullopt;
  if (!c || !c->is_integer()) return std::nullopt;
  const Expr m = multiply_normal(a.monomial, power_normal(b.monomial, -1));
  if (!is_integral(m) || m.is(Op::Add)) return std::nullopt;
  const Term t = as_term(m);
  const auto scaled = multiply(*c, t.coefficient);
  if (!scaled || !scaled->is_integer()) return std::nullopt;
  return Term{*scaled, t.monomial};
}

/// Splits a = b * quotient + rest with as much as possible in the quotient, which is integral.
struct Division {
  std::vector<Term> quotient, rest;
};
Division split_division(const Expr& a, const Term& b) {
  Division d;
  const bool constant = is_one(b.monomial);
  for (const Term& t : terms(a)) {
    if (auto q = exact_quotient(t, b)) {
      d.quotient.push_back(*std::move(q));
    } else if (constant && is_one(t.monomial) && t.coefficient.is_integer() &&
               b.coefficient.is_integer()) {
      const std::int64_t k = t.coefficient.num, c = b.coefficient.num;
      const std::int64_t q = floor_quotient(k, c);
      if (q != 0) d.quotient.push_back({{q, 1}, 1});
      d.rest.push_back({{k - q * c, 1}, 1});
    } else {
      d.rest.push_back(t);
    }
  }
  return d;
}

/// The greatest common divisor of the coefficients of integral, non-constant terms; 0 if there is
/// a term of another kind.
std::int64_t content(const std::vector<Term>& list) {
  std::int64_t g = 0;
  for (const Term& t : list) {
    if (is_one(t.monomial) && t.coefficient.is_integer()) continue;
    if (!t.coefficient.is_integer() || !is_integral(t.monomial)) return 0;
    g = common_divisor(g, t.coefficient.num);
  }
  return g;
}

/// The largest monomial that divides all terms and the divisor.
Expr common_factor(const std::vector<Term>& list, const Expr& divisor) {
  std::vector<Power> common;
  Rational ignored;
  collect_powers(divisor, common, ignored);
  for (const Term& t : list) {
    std::vector<Power> own;
    collect_powers(t.monomial, own, ignored = {});
    for (Power& c : common) {
      const auto same = std::ranges::find_if(own, [&](const Power& p) { return p.base == c.base; });
      c.exponent = std::max<std::int64_t>(
          0, std::min(c.exponent, same == own.end() ? 0 : same->exponent));
    }
  }
  std::erase_if(common, [](const Power& p) { return p.exponent <= 0; });
  return multiply_all(std::move(common), {});
}

/// Of a positive divisor.
std::int64_t rounded(std::int64_t a, std::int64_t b, bool up) {
  const std::int64_t q = floor_quotient(a, b);
  return up && a % b != 0 ? q + 1 : q;
}

bool divides(const Expr& factor) {
  if (factor.is(Op::Div)) return true;
  return factor.is(Op::Pow) && factor.arg(1).as_integer().value_or(0) < 0;
}

}  // namespace

Expr rounded_quotient(Expr a, Expr b, bool up) {
  const Op op = up ? Op::CeilDiv : Op::FloorDiv;
  if (is_zero(b) || (b.is(Op::Integer) && !as_rational(b))) return make_normal(op, {a, b});
  if (is_one(b) && is_integral(a)) return a;  // most ranges have step 1
  // Multiplying by a sum may bring other denominators in, hence the repetition.
  for (int round = 0; round < 4; ++round) {
    Denominator d = common_denominator(a);
    if (d.is_one()) d = common_denominator(b);
    if (d.is_one()) break;
    a = times(a, d);
    b = times(b, d);
  }
  if (is_zero(a)) return 0;
  if (a == b) return 1;
  if (b.is(Op::Add)) {
    if (a == negate(b)) return -1;
    return make_normal(op, {std::move(a), std::move(b)});
  }
  Term divisor = as_term(b);
  if (divisor.coefficient.negative()) {
    a = negate(a), b = negate(b);
    divisor = as_term(b);
  }
  if (!divisor.coefficient.is_integer() || (a.is(Op::Integer) && b.is(Op::Integer))) {
    if (a.is(Op::Integer) && b.is(Op::Integer)) return rounded(a.value(), b.value(), up);
    return make_normal(op, {std::move(a), std::move(b)});
  }
  Division d = split_division(a, divisor);
  const Expr quotient = add_terms(std::move(d.quotient));
  Expr rest = add_terms(d.rest);
  if (is_zero(rest)) return quotient;
  // Unfolded constants may leave more than the divisor behind.
  if (!is_zero(quotient) && !(rest == a))
    return add_normal(quotient, rounded_quotient(rest, b, up));
  d.rest = terms(rest);

  if (b.is(Op::Integer)) {
    const std::int64_t c = b.value();
    if (const auto k = rest.as_integer())
      return add_normal(quotient, rounded(*k, c, up));
    const std::int64_t g = common_divisor(content(d.rest), c);
    if (content(d.rest) != 0 && g > 1) {
      for (Term& t : d.rest)
        t.coefficient.num = is_one(t.monomial) ? rounded(t.coefficient.num, g, up)
                                                       : t.coefficient.num / g;
      return add_normal(quotient, rounded_quotient(add_terms(std::move(d.rest)), c / g, up));
    }
    if (rest.is(op) && rest.arg(1).is(Op::Integer) && rest.arg(1).value() > 0)
      if (const auto product = rational(Wide(rest.arg(1).value()) * c, 1))
        return add_normal(quotient, rounded_quotient(rest.arg(0), product->num, up));
  } else {
    const Expr common = common_factor(d.rest, divisor.monomial);
    if (!is_one(common)) {
      const Expr inverse = power_normal(common, -1);
      return add_normal(quotient, rounded_quotient(multiply_normal(rest, inverse),
                                                   multiply_normal(b, inverse), up));
    }
  }
  return add_normal(quotient, make_normal(op, {std::move(rest), std::move(b)}));
}

Expr remainder(const Expr& a, const Expr& b) {
  const bool opaque = is_zero(b) || (b.is(Op::Integer) && !as_rational(b));
  if (opaque || b.is(Op::Add)) {
    if (!opaque && (a == b || is_zero(a))) return 0;
    return make_normal(Op::Mod, {a, b});
  }
  const Term divisor = as_term(b);
  if (!divisor.coefficient.is_integer()) return make_normal(Op::Mod, {a, b});
  // a mod -c == -(-a mod c)
  if (divisor.coefficient.negative()) return negate(remainder(negate(a), negate(b)));
  std::vector<Term> list = split_division(a, divisor).rest;
  const Expr rest = add_terms(list);
  if (!(rest == a)) return remainder(rest, b);
  list = terms(rest);
  if (!b.is(Op::Integer))
    return is_zero(rest) ? Expr(0) : make_normal(Op::Mod, {rest, b});
  const std::int64_t c = b.value();
  if (const auto k = rest.as_integer()) return *k - floor_quotient(*k, c) * c;
  if (rest.is(Op::Mod) && rest.arg(1) == b) return rest;
  const std::int64_t g = common_divisor(content(list), c);
  if (content(list) != 0 && g > 1) {
    // (g r + k) mod (g c) == g ((r + k div g) mod c) + k mod g
    std::int64_t low = 0;
    for (Term& t : list) {
      const bool constant = is_one(t.monomial);
      const std::int64_t k = t.coefficient.num;
      t.coefficient.num = floor_quotient(k, g);
      if (constant) low = k - t.coefficient.num * g;
    }
    return add_normal(scale(remainder(add_terms(std::move(list)), c / g), {g, 1}), low);
  }
  return make_normal(Op::Mod, {rest, b});
}

}  // namespace sdfg::detail

namespace sdfg {

bool has_quotient(const Expr& sum) {
  if (sum.is(Op::Add) || sum.is(Op::Sub) || sum.is(Op::Neg) || sum.is(Op::Mul))
    return std::ranges::any_of(sum.args(), has_quotient);
  return detail::divides(sum);
}

Fraction over_one_denominator(const Expr& expr) {
  Fraction out{simplify(expr), 1};
  // Multiplying by a sum may bring other denominators in, hence the repetition.
  for (int round = 0; round < 4; ++round) {
    detail::Denominator d = detail::common_denominator(out.numerator);
    if (d.is_one()) d = detail::common_denominator(out.denominator);
    if (d.is_one()) break;
    out.numerator = detail::times(out.numerator, d);
    out.denominator = detail::times(out.denominator, d);
  }
  return out;
}

Expr rounded_down(const Expr& expr) {
  if (expr.args().empty()) return expr;
  if (has_quotient(expr)) {
    const auto [numerator, denominator] = over_one_denominator(expr);
    return floor_div(numerator, denominator);
  }
  if (expr.is(Op::Pow) || expr.is(Op::Call)) return expr;  // sqrt(N)
  std::vector<Expr> args;  // once one of them is another
  for (std::size_t i = 0; i < expr.args().size(); ++i) {
    Expr arg = rounded_down(expr.arg(i));
    if (arg.same(expr.arg(i))) continue;
    if (args.empty()) args.assign(expr.args().begin(), expr.args().end());
    args[i] = std::move(arg);
  }
  return args.empty() ? expr : simplify(Expr::make(expr.op(), std::move(args), expr.name()));
}

}  // namespace sdfg
