// Whole trees to normal form, and the functions that build it; expr_normal.h says what it is.

#include <algorithm>

#include "ir/expr_normal.h"
#include "support/assert.h"

namespace sdfg {
namespace detail {
namespace {

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

Expr operator+(const Expr& a, const Expr& b) {
  return detail::add_normal(simplify(a), simplify(b));
}
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
