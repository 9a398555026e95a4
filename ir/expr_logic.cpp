// Minimum and maximum, comparisons and truth values in normal form.

#include <algorithm>
#include <numeric>

#include "ir/expr_interval.h"
#include "ir/expr_normal.h"

namespace sdfg::detail {
namespace {

/// An expression as its constant and the rest.
std::pair<Rational, Expr> split_constant(const Expr& e) {
  if (const auto r = as_rational(e)) return {*r, 0};
  if (!e.is(Op::Add)) return {{0, 1}, e};
  const auto r = as_rational(e.arg(0));
  if (!r) return {{0, 1}, e};
  if (e.args().size() == 2) return {*r, e.arg(1)};
  return {*r, make_normal(Op::Add, {e.args().begin() + 1, e.args().end()})};
}

/// An argument of a minimum or maximum, and the same as its constant and the rest.
struct Candidate {
  Expr whole, rest;
  Rational constant;
};

/// Clamping what has been clamped changes nothing: Max(a, Min(b, Max(a, c))) is Max(a, Min(b, c)),
/// also where the outer `a` is the inner one plus something; the like of Min. `inner` is the
/// minimum, `outer` the arguments around it. Nothing: it has no such argument.
std::optional<Expr> without_repeated_clamp(Op op, const Expr& inner,
                                           const std::vector<Candidate>& outer) {
  const auto surpassing = [&](const Expr& e) {
    const auto [constant, rest] = split_constant(e);
    return std::ranges::find_if(outer, [&](const Candidate& c) {
      return c.rest == rest &&
             !(op == Op::Max ? less(c.constant, constant) : less(constant, c.constant));
    });
  };
  bool changed = false;
  std::vector<Expr> args;
  for (const Expr& arg : inner.args()) {
    std::vector<Expr> left;
    if (arg.is(op))
      std::ranges::remove_copy_if(arg.args(), std::back_inserter(left),
                                  [&](const Expr& e) { return surpassing(e) != outer.end(); });
    // Then the minimum is surpassed as well.
    if (arg.is(op) && left.empty()) return surpassing(arg.arg(0))->whole;
    const bool fewer = !left.empty() && left.size() < arg.args().size();
    changed |= fewer;
    args.push_back(fewer ? extremum(op, std::move(left)) : arg);
  }
  if (!changed) return std::nullopt;
  return extremum(op == Op::Min ? Op::Max : Op::Min, std::move(args));
}

}  // namespace

Expr extremum(Op op, std::vector<Expr> args) {
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
  bool changed = false;
  std::vector<Expr> out;
  for (const Candidate& c : kept) {
    const auto shorter =
        c.whole.is(opposite) ? without_repeated_clamp(op, c.whole, kept) : std::nullopt;
    changed |= shorter.has_value();
    out.push_back(shorter.value_or(c.whole));
  }
  if (changed) return extremum(op, std::move(out));
  out.clear();
  for (Candidate& c : kept) out.push_back(std::move(c.whole));
  return unfolded(op, std::move(out));
}

namespace {

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

/// Truth values are the numbers 1 and 0, in Python and in C++: `(a < b) == 1` is `a < b`.
std::optional<Expr> truth_comparison(Op op, const Expr& truth, const Expr& number) {
  if (!number.is(Op::Integer)) return std::nullopt;
  if (number.value() != 0 && number.value() != 1) return Expr::boolean(op == Op::Ne);
  return (number.value() == 1) == (op == Op::Eq) ? truth : negation(truth);
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

}  // namespace

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
    if (symmetric && is_truth(b.op())) return truth_comparison(op, b, a).value_or(plain());
    if (symmetric && is_truth(a.op())) return truth_comparison(op, a, b).value_or(plain());
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
    num = common_divisor(num, t.coefficient.num);
    std::int64_t l;
    fits = fits && !__builtin_mul_overflow(den / common_divisor(den, t.coefficient.den),
                                           t.coefficient.den, &l);
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

namespace {

std::optional<bool> constant_truth(const Expr& e) {
  if (e.is(Op::True)) return true;
  if (e.is(Op::False) || e.is(Op::None)) return false;
  if (const auto r = as_rational(e)) return r->num != 0;
  return std::nullopt;
}

}  // namespace

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

}  // namespace sdfg::detail
