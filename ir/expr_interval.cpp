#include "ir/expr_interval.h"

#include <algorithm>

namespace sdfg::detail {
namespace {

using Bound = std::optional<Rational>;

constexpr int max_levels = 6;  ///< of bounds that mention further symbols
constexpr int max_tree = 60;

Interval point(const Rational& r) { return {r, r}; }
Interval at_least(std::int64_t v) { return {Rational{v, 1}, std::nullopt}; }
Interval between(std::int64_t low, std::int64_t high) {
  return {Rational{low, 1}, Rational{high, 1}};
}

Bound sum(const Bound& a, const Bound& b) { return a && b ? add(*a, *b) : std::nullopt; }
Bound negated(const Bound& a) { return a ? Bound({-a->num, a->den}) : std::nullopt; }
Interval negated(const Interval& i) { return {negated(i.high), negated(i.low)}; }

bool positive(const Bound& b) { return b && b->num > 0; }
bool not_negative(const Bound& b) { return b && b->num >= 0; }
bool not_positive(const Bound& b) { return b && b->num <= 0; }

Interval scaled(const Interval& i, const Rational& r) {
  const auto times = [&](const Bound& b) { return b ? multiply(*b, r) : std::nullopt; };
  return r.negative() ? Interval{times(i.high), times(i.low)}
                      : Interval{times(i.low), times(i.high)};
}

Interval product(const Interval& a, const Interval& b) {
  if (a.low && a.low == a.high) return scaled(b, *a.low);
  if (b.low && b.low == b.high) return scaled(a, *b.low);
  if (not_positive(a.high)) return negated(product(negated(a), b));
  if (not_positive(b.high)) return negated(product(a, negated(b)));
  const auto times = [](const Bound& x, const Bound& y) {
    return x && y ? multiply(*x, *y) : std::nullopt;
  };
  if (not_negative(a.low) && not_negative(b.low))
    return {times(a.low, b.low), times(a.high, b.high)};
  // At least one of them has both signs: every corner may be the extreme.
  const Bound corners[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                           times(a.high, b.high)};
  Interval out;
  for (const Bound& c : corners) {
    if (!c) return {};
    if (!out.low || less(*c, *out.low)) out.low = c;
    if (!out.high || less(*out.high, *c)) out.high = c;
  }
  return out;
}

Interval power(const Interval& base, std::int64_t n) {
  if (n < 0) {
    // 1/x shrinks where x grows, on either side of zero.
    if (!positive(base.low) || n != -1) return {};
    const Bound low = base.high ? rational(base.high->den, base.high->num) : Bound({0, 1});
    return {low, rational(base.low->den, base.low->num)};
  }
  if (n > 8) return n % 2 == 0 ? at_least(0) : Interval{};
  Interval out = point({});
  for (std::int64_t i = 0; i < n; ++i) out = product(out, base);
  if (n % 2 == 0 && !not_negative(out.low)) out.low = Rational{0, 1};
  return out;
}

Interval floored(const Interval& i) {
  const auto down = [](const Bound& b) -> Bound {
    return b ? Bound({floor_quotient(b->num, b->den), 1}) : std::nullopt;
  };
  return {down(i.low), down(i.high)};
}

Interval quotient(const Interval& a, const Interval& b) {
  // Only by something positive.
  return positive(b.low) ? product(a, power(b, -1)) : Interval{};
}

class Reader {
 public:
  Reader(const Assumptions& assumptions, int depth) : assumptions_(assumptions), depth_(depth) {}

  Interval read(const Expr& e, int tree) {
    if (tree > max_tree) return {};
    if (const auto r = as_rational(e)) return point(*r);
    const auto arg = [&](std::size_t i) { return read(e.arg(i), tree + 1); };
    switch (e.op()) {
      case Op::Symbol: return symbol(e.name());
      case Op::Add: {
        Interval out = arg(0);
        for (std::size_t i = 1; i < e.args().size() && (out.low || out.high); ++i) {
          const Interval next = arg(i);
          out = {sum(out.low, next.low), sum(out.high, next.high)};
        }
        return out;
      }
      case Op::Mul: {
        Interval out = arg(0);
        for (std::size_t i = 1; i < e.args().size(); ++i) out = product(out, arg(i));
        return out;
      }
      case Op::Pow:
        if (const auto n = e.arg(1).as_integer()) return power(arg(0), *n);
        return {};
      case Op::Min: return negated(largest(e, true, tree));
      case Op::Max: return largest(e, false, tree);
      case Op::FloorDiv: return floored(quotient(arg(0), arg(1)));
      case Op::CeilDiv: return negated(floored(negated(quotient(arg(0), arg(1)))));
      case Op::Mod: {
        const Interval divisor = arg(1);
        if (!positive(divisor.low)) return {};
        const bool integral = is_integral(e.arg(0)) && is_integral(e.arg(1));
        Interval out{Rational{0, 1},
                     integral ? sum(divisor.high, Rational{-1, 1}) : divisor.high};
        return out;
      }
      case Op::Select: {
        const Interval a = arg(1), b = arg(2);
        Interval out;
        if (a.low && b.low) out.low = less(*a.low, *b.low) ? a.low : b.low;
        if (a.high && b.high) out.high = less(*a.high, *b.high) ? b.high : a.high;
        return out;
      }
      case Op::Call:
        if (e.name() == "abs") {
          const Interval a = arg(0), b = negated(a);
          Interval out = at_least(0);
          for (const Interval* i : {&a, &b})
            if (not_negative(i->low)) return *i;
          if (a.high && b.high) out.high = less(*a.high, *b.high) ? b.high : a.high;
          return out;
        }
        return {};
      default: return is_truth(e.op()) ? between(0, 1) : Interval{};
    }
  }

 private:
  Interval symbol(const std::string& name) {
    const auto* bounds = assumptions_.bounds_of(name);
    if (!bounds || depth_ >= max_levels) return {};
    Interval out;
    if (bounds->low) out.low = interval(simplify(*bounds->low), assumptions_, depth_ + 1).low;
    if (bounds->high) out.high = interval(simplify(*bounds->high), assumptions_, depth_ + 1).high;
    // Bounds that contradict each other say nothing here.
    return out.low && out.high && less(*out.high, *out.low) ? Interval{} : out;
  }

  /// The largest argument, or, negated, of the negated arguments.
  Interval largest(const Expr& e, bool negate, int tree) {
    Interval out;
    for (std::size_t i = 0; i < e.args().size(); ++i) {
      Interval a = read(e.arg(i), tree + 1);
      if (negate) a = negated(a);
      if (i == 0) {
        out = a;
        continue;
      }
      if (a.low && (!out.low || less(*out.low, *a.low))) out.low = a.low;
      if (!a.high || !out.high) out.high = std::nullopt;
      else if (less(*out.high, *a.high)) out.high = a.high;
    }
    return out;
  }

  const Assumptions& assumptions_;
  int depth_;
};

}  // namespace

bool less(const Rational& a, const Rational& b) {
  return Wide(a.num) * b.den < Wide(b.num) * a.den;
}

Interval interval(const Expr& normal, const Assumptions& assumptions, int depth) {
  return Reader(assumptions, depth).read(normal, 0);
}

std::optional<int> weak_sign(const Interval& i) {
  if (i.low && i.high && i.low->num == 0 && i.high->num == 0) return 0;
  if (not_negative(i.low)) return 1;
  if (not_positive(i.high)) return -1;
  return std::nullopt;
}

}  // namespace sdfg::detail
