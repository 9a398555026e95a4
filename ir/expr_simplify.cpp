// Normal form.
//
// A sum is a list of terms, a term is a rational coefficient times a monomial, and a monomial is a
// product of powers of atoms. An atom is anything else: a symbol, a quotient that does not come
// out even, a minimum, a call. Lists are sorted by `compare`, so equal polynomials are equal trees.
// Products of sums are multiplied out while the result stays small; a larger product keeps its
// sums as factors. Coefficients are exact; where one would leave 64 bits, the operands stay
// unfolded side by side.

#include <algorithm>
#include <numeric>

#include "ir/expr_interval.h"
#include "support/assert.h"

namespace sdfg {
namespace detail {
namespace {

/// Terms that multiplying out may make.
constexpr std::size_t max_product_terms = 64;

struct Power {
  Expr base;
  std::int64_t exponent;
};

bool is_zero(const Expr& e) { return e.is(Op::Integer) && e.value() == 0; }
bool is_one(const Expr& e) { return e.is(Op::Integer) && e.value() == 1; }

Expr as_expr(const Term& t) {
  if (is_one(t.monomial)) return to_expr(t.coefficient);
  if (t.coefficient == Rational{}) return t.monomial;
  std::vector<Expr> factors{to_expr(t.coefficient)};
  if (t.monomial.is(Op::Mul))
    factors.insert(factors.end(), t.monomial.args().begin(), t.monomial.args().end());
  else
    factors.push_back(t.monomial);
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

}  // namespace

std::vector<Term> terms(const Expr& e) {
  std::vector<Term> out;
  if (is_zero(e)) return out;
  if (!e.is(Op::Add)) return {as_term(e)};
  out.reserve(e.args().size());
  for (const Expr& a : e.args()) out.push_back(as_term(a));
  return out;
}

std::optional<Expr> sum(std::vector<Term> list) {
  for (Term& t : list) {
    // What did not fit into a coefficient before may fit now.
    if (t.monomial.op() != Op::Integer || is_one(t.monomial)) continue;
    const auto value = as_rational(t.monomial);
    if (const auto c = value ? multiply(t.coefficient, *value) : std::nullopt) t = {*c, 1};
  }
  const auto before = [](const Term& a, const Term& b) { return compare(a.monomial, b.monomial) < 0; };
  if (!std::ranges::is_sorted(list, before)) std::stable_sort(list.begin(), list.end(), before);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size();) {
    Term t = std::move(list[i]);
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
    if (i > first + 1) {
      const auto total = rational(num, den);
      if (!total) return std::nullopt;
      t.coefficient = *total;
    }
    if (t.coefficient.num != 0) list[kept++] = std::move(t);
  }
  if (kept == 0) return Expr(0);
  if (kept == 1) return as_expr(list[0]);
  std::vector<Expr> args;
  args.reserve(kept);
  for (std::size_t i = 0; i < kept; ++i) args.push_back(as_expr(list[i]));
  return make_normal(Op::Add, std::move(args));
}

namespace {

Expr unfolded(Op op, std::vector<Expr> args) {
  std::ranges::sort(args, [](const Expr& a, const Expr& b) { return compare(a, b) < 0; });
  return make_normal(op, std::move(args));
}

Expr add_terms(std::vector<Term> list) {
  if (auto e = sum(list)) return *std::move(e);
  std::vector<Expr> args;
  for (const Term& t : list) args.push_back(as_expr(t));
  return unfolded(Op::Add, std::move(args));
}

Expr add_normal(const Expr& a, const Expr& b) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  std::vector<Term> list = terms(a);
  for (Term& t : terms(b)) list.push_back(std::move(t));
  return add_terms(std::move(list));
}

/// Splits a factor into its powers; rational factors go into the coefficient.
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

Expr power_expr(const Power& p) {
  return p.exponent == 1 ? p.base : make_normal(Op::Pow, {p.base, p.exponent});
}

Expr multiply_all(std::vector<Power> powers, Rational coefficient);
Expr power_normal(const Expr& base, const Expr& exponent);

Expr multiply_normal(const Expr& a, const Expr& b) {
  std::vector<Power> powers;
  Rational coefficient;
  collect_powers(a, powers, coefficient);
  collect_powers(b, powers, coefficient);
  return multiply_all(std::move(powers), coefficient);
}

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
      if (p.base.is(Op::Add) && p.exponent > 0) sums.insert(sums.end(), std::size_t(p.exponent), p.base);
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

Expr scale(const Expr& e, const Rational& r) { return multiply_normal(e, to_expr(r)); }
Expr negate(const Expr& e) { return scale(e, {-1, 1}); }
Expr subtract(const Expr& a, const Expr& b) { return add_normal(a, negate(b)); }

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

}  // namespace

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

namespace {

// ---- Rounded quotients.

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
    const auto l = multiply(number, {t.coefficient.den / std::gcd(number.num, t.coefficient.den), 1});
    if (!l) return {};
    number = *l;
    std::vector<Power> own;
    Rational ignored;
    collect_powers(t.monomial, own, ignored);
    for (const Power& p : own) {
      if (p.exponent >= 0 || p.exponent < -1000) continue;
      const auto same = std::ranges::find_if(powers, [&](const Power& q) { return q.base == p.base; });
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
    std::ranges::move(terms(multiply_all(std::move(powers), coefficient)), std::back_inserter(list));
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
    g = std::gcd(g, t.coefficient.num);
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

Expr rounded_quotient(Expr a, Expr b, bool up) {
  const Op op = up ? Op::CeilDiv : Op::FloorDiv;
  if (is_zero(b) || (b.is(Op::Integer) && !as_rational(b))) return make_normal(op, {a, b});
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
  if (!is_zero(quotient) && !(rest == a)) return add_normal(quotient, rounded_quotient(rest, b, up));
  d.rest = terms(rest);

  if (b.is(Op::Integer)) {
    const std::int64_t c = b.value();
    if (const auto k = rest.as_integer())
      return add_normal(quotient, rounded(*k, c, up));
    const std::int64_t g = std::gcd(content(d.rest), c);
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
  const std::int64_t g = std::gcd(content(list), c);
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

// ---- Minimum, maximum.

/// An expression as its constant and the rest.
std::pair<Rational, Expr> split_constant(const Expr& e) {
  if (const auto r = as_rational(e)) return {*r, 0};
  if (!e.is(Op::Add)) return {{0, 1}, e};
  const auto r = as_rational(e.arg(0));
  if (!r) return {{0, 1}, e};
  if (e.args().size() == 2) return {*r, e.arg(1)};
  return {*r, make_normal(Op::Add, {e.args().begin() + 1, e.args().end()})};
}

Expr extremum(Op op, std::vector<Expr> args) {
  struct Candidate {
    Expr whole, rest;
    Rational constant;
  };
  std::vector<Candidate> kept;
  const auto consider = [&](const Expr& e) {
    auto [constant, rest] = split_constant(e);
    for (Candidate& c : kept) {
      if (!(c.rest == rest)) continue;
      // They differ by a constant, so one of them always wins.
      const bool smaller = less(constant, c.constant);
      if (op == Op::Min ? smaller : less(c.constant, constant)) c = {e, rest, constant};
      return;
    }
    kept.push_back({e, std::move(rest), constant});
  };
  for (const Expr& a : args) {
    if (a.is(op)) std::ranges::for_each(a.args(), consider);
    else consider(a);
  }
  // Min(a, Max(a, b)) is a.
  const Op opposite = op == Op::Min ? Op::Max : Op::Min;
  for (std::size_t i = kept.size(); i-- > 0;) {
    if (!kept[i].whole.is(opposite)) continue;
    const auto inner = kept[i].whole.args();
    const bool absorbed = std::ranges::any_of(kept, [&](const Candidate& c) {
      return &c != &kept[i] && std::ranges::find(inner, c.whole) != inner.end();
    });
    if (absorbed) kept.erase(kept.begin() + std::ptrdiff_t(i));
  }
  if (kept.size() == 1) return kept[0].whole;
  std::vector<Expr> out;
  for (Candidate& c : kept) out.push_back(std::move(c.whole));
  return unfolded(op, std::move(out));
}

// ---- Truth values.

bool is_number(const Expr& e) {
  switch (e.op()) {
    case Op::String:
    case Op::None:
    case Op::Constant:
    case Op::Opaque:
    case Op::Tuple:
    case Op::List:
    case Op::Float:
    case Op::Imaginary: return false;
    default: return !is_truth(e.op());
  }
}

Expr integer_comparison(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::Eq: return Expr::boolean(a == b);
    case Op::Ne: return Expr::boolean(a != b);
    case Op::Lt: return Expr::boolean(a < b);
    case Op::Le: return Expr::boolean(a <= b);
    case Op::Gt: return Expr::boolean(a > b);
    default: return Expr::boolean(a >= b);
  }
}

Expr comparison(Op op, const Expr& a, const Expr& b) {
  if (op == Op::Gt || op == Op::Ge) return comparison(mirrored(op), b, a);
  if (a == b && is_number(a)) return Expr::boolean(op == Op::Eq || op == Op::Le);
  const bool symmetric = op == Op::Eq || op == Op::Ne;
  const auto plain = [&] {
    const bool swap = symmetric && compare(b, a) < 0;
    return make_normal(op, {swap ? b : a, swap ? a : b});
  };
  if (!is_number(a) || !is_number(b)) {
    if (symmetric && (a == b)) return Expr::boolean(op == Op::Eq);
    return plain();
  }
  if (a.is(Op::Integer) && b.is(Op::Integer)) return integer_comparison(op, a.value(), b.value());
  // a op b is d op 0. Terms with positive coefficients go to the left, the others to the right.
  const Expr d = subtract(a, b);
  if (const auto r = as_rational(d)) {
    switch (op) {
      case Op::Eq: return Expr::boolean(r->num == 0);
      case Op::Ne: return Expr::boolean(r->num != 0);
      case Op::Lt: return Expr::boolean(r->num < 0);
      default: return Expr::boolean(r->num <= 0);
    }
  }
  std::vector<Term> list = terms(d);
  Rational constant{0, 1};
  if (is_one(list[0].monomial)) {
    constant = list[0].coefficient;
    list.erase(list.begin());
  }
  // Divide by the common factor of all coefficients, the constant included.
  std::int64_t num = constant.num, den = constant.den;
  bool fits = true;
  for (const Term& t : list) {
    num = std::gcd(num, t.coefficient.num);
    std::int64_t l;
    fits = fits && !__builtin_mul_overflow(den / std::gcd(den, t.coefficient.den), t.coefficient.den, &l);
    if (fits) den = l;
  }
  if (!fits) return plain();
  Rational factor = *rational(den, num);
  if (factor.negative()) factor.num = -factor.num;
  if (symmetric && list[0].coefficient.negative()) factor.num = -factor.num;
  std::vector<Term> left, right;
  const auto place = [&](const Term& t) {
    const auto c = multiply(t.coefficient, factor);
    if (!c) fits = false;
    else if (c->negative()) right.push_back({{-c->num, c->den}, t.monomial});
    else left.push_back({*c, t.monomial});
  };
  for (const Term& t : list) place(t);
  const auto scaled = multiply(constant, factor);
  if (!fits || !scaled) return plain();
  const auto made = [](Op o, const Expr& l, const Expr& r) {
    if (l.is(Op::Integer) && r.is(Op::Integer)) return integer_comparison(o, l.value(), r.value());
    return make_normal(o, {l, r});
  };
  // -n < -1 reads better as n > 1.
  if (left.empty()) return made(mirrored(op), add_terms(std::move(right)), to_expr(*scaled));
  if (scaled->num != 0) right.push_back({{-scaled->num, scaled->den}, 1});
  return made(op, add_terms(std::move(left)), add_terms(std::move(right)));
}

std::optional<bool> constant_truth(const Expr& e) {
  if (e.is(Op::True)) return true;
  if (e.is(Op::False) || e.is(Op::None)) return false;
  if (const auto r = as_rational(e)) return r->num != 0;
  return std::nullopt;
}

Expr negation(const Expr& e) {
  if (const auto known = constant_truth(e)) return Expr::boolean(!*known);
  if (e.is(Op::Not) && is_truth(e.arg(0).op())) return e.arg(0);
  if (is_comparison(e.op()))
    // Through `comparison`, so that `not n > 1` and `n <= 1` are one tree.
    return e.op() <= Op::Ge ? comparison(negated(e.op()), e.arg(0), e.arg(1))
                            : make_normal(negated(e.op()), {e.arg(0), e.arg(1)});
  if (e.is(Op::And) || e.is(Op::Or)) {
    std::vector<Expr> args;
    for (const Expr& a : e.args()) args.push_back(negation(a));
    return unfolded(e.is(Op::And) ? Op::Or : Op::And, std::move(args));
  }
  return make_normal(Op::Not, {e});
}

Expr junction(Op op, const std::vector<Expr>& args) {
  const bool absorbing = op == Op::Or;  // the value that decides the whole
  std::vector<Expr> kept;
  bool decided = false;
  const auto consider = [&](const Expr& e) {
    const auto known = constant_truth(e);
    if (known) decided |= *known == absorbing;
    else if (std::ranges::find(kept, e) == kept.end()) kept.push_back(e);
  };
  for (const Expr& a : args) {
    if (a.is(op)) std::ranges::for_each(a.args(), consider);
    else consider(a);
  }
  for (const Expr& e : kept)
    if (is_truth(e.op()) && !e.is(Op::And) && !e.is(Op::Or))
      decided |= std::ranges::find(kept, negation(e)) != kept.end();
  if (decided || kept.empty()) return Expr::boolean(decided ? absorbing : !absorbing);
  // `a and a` is a only as a truth value; a lone operand that is none stays as it is, as Python
  // gives the operand itself.
  if (kept.size() == 1) return kept[0];
  return unfolded(op, std::move(kept));
}

Expr selection(const Expr& condition, const Expr& a, const Expr& b) {
  if (const auto known = constant_truth(condition)) return *known ? a : b;
  if (a == b) return a;
  return make_normal(Op::Select, {condition, a, b});
}

// ---- Whole trees.

Expr simplified_call(const Expr& e, std::vector<Expr> args) {
  const std::string& name = e.name();
  if (args.size() == 1) {
    if (name == "floor" || name == "math.floor") return rounded_quotient(args[0], 1, false);
    if (name == "ceil" || name == "ceiling" || name == "math.ceil")
      return rounded_quotient(args[0], 1, true);
    if (name == "abs" || name == "Abs") {
      const auto list = terms(args[0]);
      if (list.empty()) return 0;
      const Expr positive = list[0].coefficient.negative() ? negate(args[0]) : args[0];
      if (as_rational(positive)) return positive;
      return make_normal(Op::Call, {positive}, "abs");
    }
  }
  return make_normal(Op::Call, std::move(args), name);
}

/// The operands of nested sums, with their signs; long chains are walked without recursion.
void collect_sum(const Expr& e, bool negative, std::vector<Term>& out) {
  const Expr* at = &e;
  while (!is_normal(*at) && (at->is(Op::Add) || at->is(Op::Sub)) && at->args().size() == 2) {
    collect_sum(at->arg(1), negative != at->is(Op::Sub), out);
    at = &at->arg(0);
  }
  if (!is_normal(*at) && at->is(Op::Add)) {
    for (const Expr& a : at->args()) collect_sum(a, negative, out);
    return;
  }
  if (!is_normal(*at) && at->is(Op::Neg)) return collect_sum(at->arg(0), !negative, out);
  const Expr s = simplify(*at);
  for (Term& t : terms(s)) {
    if (negative) t.coefficient.num = -t.coefficient.num;
    out.push_back(std::move(t));
  }
}

/// The same for products; signs and divisions belong to them.
void collect_product(const Expr& e, std::vector<Power>& powers, Rational& coefficient) {
  const Expr* at = &e;
  while (!is_normal(*at)) {
    if (at->is(Op::Mul) && at->args().size() == 2) {
      collect_product(at->arg(1), powers, coefficient);
    } else if (at->is(Op::Neg)) {
      coefficient.num = -coefficient.num;
    } else if (at->is(Op::Div)) {
      const Expr divisor = simplify(at->arg(1));
      if (is_zero(divisor)) break;
      collect_powers(power_normal(divisor, -1), powers, coefficient);
    } else {
      break;
    }
    at = &at->arg(0);
  }
  if (!is_normal(*at) && at->is(Op::Mul)) {
    for (const Expr& a : at->args()) collect_product(a, powers, coefficient);
    return;
  }
  collect_powers(simplify(*at), powers, coefficient);
}

std::vector<Expr> simplified_args(const Expr& e) {
  std::vector<Expr> args;
  args.reserve(e.args().size());
  for (const Expr& a : e.args()) args.push_back(simplify(a));
  return args;
}

std::optional<std::int64_t> shift_factor(const Expr& amount) {
  const auto k = amount.as_integer();
  return k && *k >= 0 && *k < 62 ? std::optional(std::int64_t(1) << *k) : std::nullopt;
}

Expr quotient(const Expr& a, const Expr& b) {
  if (is_zero(b)) return make_normal(Op::Div, {a, b});
  return multiply_normal(a, power_normal(b, -1));
}

Expr simplified(const Expr& e) {
  switch (e.op()) {
    case Op::Add:
    case Op::Sub:
    case Op::Neg: {
      std::vector<Term> list;
      collect_sum(e, false, list);
      return add_terms(std::move(list));
    }
    case Op::Div:
      if (const Expr divisor = simplify(e.arg(1)); is_zero(divisor))
        return make_normal(Op::Div, {simplify(e.arg(0)), divisor});
      [[fallthrough]];
    case Op::Mul: {
      std::vector<Power> powers;
      Rational coefficient;
      collect_product(e, powers, coefficient);
      return multiply_all(std::move(powers), coefficient);
    }
    case Op::Lambda: return e;
    default: break;
  }
  std::vector<Expr> a = simplified_args(e);
  switch (e.op()) {
    case Op::FloorDiv: return rounded_quotient(a[0], a[1], false);
    case Op::CeilDiv: return rounded_quotient(a[0], a[1], true);
    case Op::Mod: return remainder(a[0], a[1]);
    case Op::Pow: return power_normal(a[0], a[1]);
    case Op::Min:
    case Op::Max: return extremum(e.op(), std::move(a));
    case Op::And:
    case Op::Or: return junction(e.op(), a);
    case Op::Not: return negation(a[0]);
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: return comparison(e.op(), a[0], a[1]);
    case Op::Select: return selection(a[0], a[1], a[2]);
    case Op::LeftShift:
      if (const auto f = shift_factor(a[1]); f && is_integral(a[0])) return scale(a[0], {*f, 1});
      break;
    case Op::RightShift:
      if (const auto f = shift_factor(a[1]); f && is_integral(a[0]))
        return rounded_quotient(a[0], *f, false);
      break;
    case Op::Call: return simplified_call(e, std::move(a));
    default: break;
  }
  return make_normal(e.op(), std::move(a), e.name());
}

}  // namespace
}  // namespace detail

Expr simplify(const Expr& any) {
  return detail::is_normal(any) ? any : detail::simplified(any);
}

Expr operator+(const Expr& a, const Expr& b) { return detail::add_normal(simplify(a), simplify(b)); }
Expr operator-(const Expr& a, const Expr& b) { return detail::subtract(simplify(a), simplify(b)); }
Expr operator-(const Expr& a) { return detail::negate(simplify(a)); }
Expr operator*(const Expr& a, const Expr& b) {
  return detail::multiply_normal(simplify(a), simplify(b));
}
Expr divide(const Expr& a, const Expr& b) { return detail::quotient(simplify(a), simplify(b)); }
Expr floor_div(const Expr& a, const Expr& b) {
  return detail::rounded_quotient(simplify(a), simplify(b), false);
}
Expr ceil_div(const Expr& a, const Expr& b) {
  return detail::rounded_quotient(simplify(a), simplify(b), true);
}
Expr mod(const Expr& a, const Expr& b) { return detail::remainder(simplify(a), simplify(b)); }
Expr pow(const Expr& a, const Expr& b) { return detail::power_normal(simplify(a), simplify(b)); }
Expr min(const Expr& a, const Expr& b) {
  return detail::extremum(Op::Min, {simplify(a), simplify(b)});
}
Expr max(const Expr& a, const Expr& b) {
  return detail::extremum(Op::Max, {simplify(a), simplify(b)});
}
Expr select(const Expr& condition, const Expr& a, const Expr& b) {
  return detail::selection(simplify(condition), simplify(a), simplify(b));
}
Expr compare_expr(Op op, const Expr& a, const Expr& b) {
  SDFG_ASSERT(op >= Op::Eq && op <= Op::Ge);
  return detail::comparison(op, simplify(a), simplify(b));
}
Expr logical_and(const Expr& a, const Expr& b) {
  return detail::junction(Op::And, {simplify(a), simplify(b)});
}
Expr logical_or(const Expr& a, const Expr& b) {
  return detail::junction(Op::Or, {simplify(a), simplify(b)});
}
Expr logical_not(const Expr& a) { return detail::negation(simplify(a)); }

}  // namespace sdfg
