// Three-valued decisions. Comparisons of linear forms, minima and maxima are most of them and
// decided in expr_linear.cpp. What is left becomes "is d >= 0 for all values allowed?": eliminating
// one symbol after the other by its bounds answers what has products (d = N * M - i with i <= N and
// M >= 1), and isl gets the rest.

#include <algorithm>

#include "ir/expr_answers.h"
#include "ir/expr_budget.h"
#include "ir/expr_interval.h"
#include "ir/expr_isl.h"
#include "ir/expr_linear.h"
#include "ir/subset_points.h"

namespace sdfg {
namespace {

using About = detail::Answers::About;
using detail::Interval;
using detail::interval;
using detail::is_integral;
using detail::Term;

constexpr int max_steps = 60;  ///< of eliminations, over a whole question
constexpr int max_depth = 8;

/// A factor of some term of a sum, seen as the variable of the sum: d = coefficient * atom + rest.
struct Split {
  Expr atom, coefficient, rest;
};
std::optional<Split> split_by(const std::vector<Term>& terms, const Expr& atom) {
  std::vector<Term> with, without;
  for (const Term& t : terms) {
    if (t.monomial == atom) {
      with.push_back({t.coefficient, 1});
      continue;
    }
    if (!t.monomial.is(Op::Mul)) {
      // A power of it, or the atom inside a function: bounds of one say little about the other.
      if (t.monomial.is(Op::Pow) && t.monomial.arg(0) == atom) return std::nullopt;
      without.push_back(t);
      continue;
    }
    std::vector<Expr> others;
    for (const Expr& f : t.monomial.args()) {
      if (f.is(Op::Pow) && f.arg(0) == atom) return std::nullopt;
      if (!(f == atom)) others.push_back(f);
    }
    if (others.size() == t.monomial.args().size()) without.push_back(t);
    else with.push_back({t.coefficient, others.size() == 1 ? others[0]
                                                           : detail::make_normal(Op::Mul, others)});
  }
  auto coefficient = detail::sum(std::move(with)), rest = detail::sum(std::move(without));
  if (!coefficient || !rest) return std::nullopt;
  return Split{atom, *std::move(coefficient), *std::move(rest)};
}

std::vector<Expr> atoms_of(const std::vector<Term>& terms) {
  std::vector<Expr> out;
  const auto add = [&](const Expr& e) {
    if (e.is(Op::Integer) || (e.is(Op::Pow) && e.arg(1).is(Op::Integer))) return;
    if (std::ranges::find(out, e) == out.end()) out.push_back(e);
  };
  for (const Term& t : terms) {
    if (t.monomial.is(Op::Mul)) std::ranges::for_each(t.monomial.args(), add);
    else add(t.monomial);
  }
  return out;
}

/// Proves lower bounds. Whatever it says is certain; what it does not find may still be true.
class Prover {
 public:
  explicit Prover(const Assumptions& assumptions) : assumptions_(assumptions) {}

  /// d >= 0, or with `strict` d > 0.
  bool holds(const Expr& d, bool strict) {
    // Integers above -1 are at least 0; rational bounds of quotients lose less this way.
    if (!strict && is_integral(d)) return prove(d + 1, true, 0);
    return prove(d, strict, 0);
  }

 private:
  bool prove(const Expr& d, bool strict, int depth) {
    const Interval i = interval(d, assumptions_);
    if (i.low && (strict ? i.low->num > 0 : i.low->num >= 0)) return true;
    if (i.high && i.high == i.low) return false;
    if (depth >= max_depth || ++steps_ > max_steps) return false;
    const std::vector<Term> terms = detail::terms(d);
    const std::vector<Expr> atoms = atoms_of(terms);

    std::vector<std::pair<Split, int>> splits;
    for (const Expr& atom : atoms) {
      auto split = split_by(terms, atom);
      if (!split) continue;
      const auto sign = detail::weak_sign(interval(split->coefficient, assumptions_));
      if (sign && *sign != 0) splits.emplace_back(*std::move(split), *sign);
    }
    // Whichever argument a minimum takes, the claim must hold for it.
    for (const auto& [split, sign] : splits) {
      const bool smallest = split.atom.is(Op::Min) && sign > 0;
      const bool largest = split.atom.is(Op::Max) && sign < 0;
      if (!smallest && !largest && !split.atom.is(Op::Select)) continue;
      const auto cases = split.atom.args().subspan(split.atom.is(Op::Select) ? 1 : 0);
      return std::ranges::all_of(cases, [&](const Expr& value) {
        return prove(split.coefficient * value + split.rest, strict, depth + 1);
      });
    }
    for (const auto& [split, sign] : splits)
      for (const Expr& bound : sign > 0 ? lows(split.atom) : highs(split.atom))
        if (prove(split.coefficient * bound + split.rest, strict, depth + 1)) return true;
    return facts(d, strict, depth);
  }

  /// Adding something that is at least 0 from a fact may cancel a term: if d - f >= 0 then d >= 0.
  bool facts(const Expr& d, bool strict, int depth) {
    for (const Expr& fact : assumptions_.facts()) {
      const Expr f = simplify(fact);
      const bool less = f.is(Op::Le) || f.is(Op::Lt), greater = f.is(Op::Ge) || f.is(Op::Gt);
      if (!less && !greater && !f.is(Op::Eq)) continue;
      Expr margin = greater ? f.arg(0) - f.arg(1) : f.arg(1) - f.arg(0);
      if ((f.is(Op::Lt) || f.is(Op::Gt)) && is_integral(margin)) margin = margin - 1;
      const auto helps = [&](const Expr& m) {
        return shares_term(d, m) && prove(d - m, strict, depth + 3);
      };
      if (helps(margin) || (f.is(Op::Eq) && helps(-margin))) return true;
    }
    return false;
  }
  static bool shares_term(const Expr& d, const Expr& m) {
    const auto of_m = detail::terms(m);
    for (const Term& t : detail::terms(d))
      for (const Term& u : of_m)
        if (!t.monomial.is(Op::Integer) && t.monomial == u.monomial &&
            t.coefficient.negative() == u.coefficient.negative())
          return true;
    return false;
  }

  std::vector<Expr> lows(const Expr& atom) {
    switch (atom.op()) {
      case Op::Symbol: {
        const auto* bounds = assumptions_.bounds_of(atom.name());
        if (!bounds || !bounds->low) return {};
        return {simplify(*bounds->low)};
      }
      case Op::Max: return {atom.args().begin(), atom.args().end()};
      case Op::FloorDiv:
        if (const auto c = positive_divisor(atom))
          return {divide(is_integral(atom.arg(0)) ? atom.arg(0) - (*c - 1) : atom.arg(0) - *c, *c)};
        return {};
      case Op::CeilDiv:
        if (const auto c = positive_divisor(atom)) return {divide(atom.arg(0), *c)};
        return {};
      case Op::Mod:
        if (certainly_positive(atom.arg(1))) return {0};
        return {};
      case Op::Call:
        if (atom.name() == "abs") return {atom.arg(0), -atom.arg(0)};
        return {};
      default: return {};
    }
  }
  std::vector<Expr> highs(const Expr& atom) {
    switch (atom.op()) {
      case Op::Symbol: {
        const auto* bounds = assumptions_.bounds_of(atom.name());
        if (!bounds || !bounds->high) return {};
        return {simplify(*bounds->high)};
      }
      case Op::Min: return {atom.args().begin(), atom.args().end()};
      case Op::FloorDiv:
        if (const auto c = positive_divisor(atom)) return {divide(atom.arg(0), *c)};
        return {};
      case Op::CeilDiv:
        if (const auto c = positive_divisor(atom))
          return {divide(is_integral(atom.arg(0)) ? atom.arg(0) + (*c - 1) : atom.arg(0) + *c, *c)};
        return {};
      case Op::Mod: {
        if (!certainly_positive(atom.arg(1))) return {};
        const bool integral = is_integral(atom.arg(0)) && is_integral(atom.arg(1));
        std::vector<Expr> out{integral ? atom.arg(1) - 1 : atom.arg(1)};
        const Interval i = interval(atom.arg(0), assumptions_);
        if (i.low && i.low->num >= 0) out.push_back(atom.arg(0));
        return out;
      }
      default: return {};
    }
  }
  static std::optional<std::int64_t> positive_divisor(const Expr& quotient) {
    const auto c = quotient.arg(1).as_integer();
    return c && *c > 0 && *c < (std::int64_t(1) << 40) ? c : std::nullopt;
  }
  bool certainly_positive(const Expr& e) {
    const Interval i = interval(e, assumptions_);
    return i.low && i.low->num > 0;
  }

  const Assumptions& assumptions_;
  int steps_ = 0;
};

Truth decide_comparison(Op op, const Expr& a, const Expr& b, const Assumptions& assumptions) {
  if (op == Op::Gt || op == Op::Ge)
    return decide_comparison(detail::mirrored(op), b, a, assumptions);
  if (op == Op::Ne) return !decide_comparison(Op::Eq, a, b, assumptions);
  if (!may_be_asked(a) || !may_be_asked(b)) return Truth::Unknown;
  const Expr d = b - a;
  if (const auto r = detail::as_rational(d))
    return (op == Op::Le   ? r->num >= 0
            : op == Op::Lt ? r->num > 0
                           : r->num == 0)
               ? Truth::Yes
               : Truth::No;
  const auto proves = [&](const Expr& e, bool strict) {
    return Prover(assumptions).holds(e, strict);
  };
  switch (op) {
    case Op::Le:
      if (proves(d, false)) return Truth::Yes;
      return proves(-d, true) ? Truth::No : Truth::Unknown;
    case Op::Lt:
      if (proves(d, true)) return Truth::Yes;
      return proves(-d, false) ? Truth::No : Truth::Unknown;
    default:  // Eq
      if (proves(d, true) || proves(-d, true)) return Truth::No;
      return proves(d, false) && proves(-d, false) ? Truth::Yes : Truth::Unknown;
  }
}

bool has_text_or_object(const Expr& e) {
  switch (e.op()) {
    case Op::String:
    case Op::None:
    case Op::Constant:
    case Op::Opaque: return true;
    default: return std::ranges::any_of(e.args(), has_text_or_object);
  }
}

Truth decide(const Expr& e, const Assumptions& assumptions) {
  switch (e.op()) {
    case Op::True: return Truth::Yes;
    case Op::False: return Truth::No;
    case Op::Not: return !decide(e.arg(0), assumptions);
    case Op::And:
    case Op::Or: {
      const Truth deciding = e.is(Op::And) ? Truth::No : Truth::Yes;
      bool unknown = false;
      for (const Expr& a : e.args()) {
        const Truth t = decide(a, assumptions);
        if (t == deciding) return t;
        unknown |= t == Truth::Unknown;
      }
      return unknown ? Truth::Unknown : !deciding;
    }
    default: break;
  }
  for (const Expr& fact : assumptions.facts()) {
    const Expr f = simplify(fact);
    if (f == e) return Truth::Yes;
    if (detail::is_truth(f.op()) && logical_not(f) == e) return Truth::No;
  }
  if (e.op() >= Op::Eq && e.op() <= Op::Ge && !has_text_or_object(e))
    return decide_comparison(e.op(), e.arg(0), e.arg(1), assumptions);
  if (detail::is_truth(e.op())) return Truth::Unknown;
  // A number as a condition: true unless it is 0.
  return decide_comparison(Op::Ne, e, 0, assumptions);
}

}  // namespace

namespace {

/// Lt or Le.
Truth decide_order(Op op, const Expr& a, const Expr& b, const Assumptions& assumptions,
                   bool with_isl) {
  if (const auto linear = detail::linear_order(op, simplify(a), simplify(b), assumptions))
    return *linear;
  // Without facts to compare with, the normal form of the comparison is not needed.
  const Truth fast = assumptions.facts().empty() ? decide_comparison(op, a, b, assumptions)
                                                 : decide(compare_expr(op, a, b), assumptions);
  if (fast != Truth::Unknown || !with_isl) return fast;
  return detail::isl_decide(compare_expr(op, a, b), assumptions);
}

}  // namespace

Truth detail::decide_quickly(Op op, const Expr& a, const Expr& b, const Assumptions& assumptions) {
  if (op == Op::Gt || op == Op::Ge) return decide_quickly(mirrored(op), b, a, assumptions);
  const auto about = op == Op::Lt ? About::QuickLess : About::QuickLessEqual;
  return answer(about, a, b, assumptions,
                [&] { return decide_order(op, a, b, assumptions, false); });
}

Truth is_true(const Expr& condition, const Assumptions& assumptions) {
  const Expr e = simplify(condition);
  return answer(About::Truth, e, Expr(), assumptions, [&] {
    if (const auto linear = detail::linear_decide(e, assumptions)) return *linear;
    const Truth fast = decide(e, assumptions);
    return fast == Truth::Unknown ? detail::isl_decide(e, assumptions) : fast;
  });
}
Truth less_equal(const Expr& a, const Expr& b, const Assumptions& assumptions) {
  return answer(About::LessEqual, a, b, assumptions,
                [&] { return decide_order(Op::Le, a, b, assumptions, true); });
}
Truth less(const Expr& a, const Expr& b, const Assumptions& assumptions) {
  return answer(About::Less, a, b, assumptions,
                [&] { return decide_order(Op::Lt, a, b, assumptions, true); });
}
Truth equal(const Expr& a, const Expr& b, const Assumptions& assumptions) {
  return is_true(compare_expr(Op::Eq, a, b), assumptions);
}

}  // namespace sdfg
