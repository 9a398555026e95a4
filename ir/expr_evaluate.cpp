#include <cmath>

#include "ir/expr_interval.h"

namespace sdfg {
namespace {

using detail::Rational;
using Environment = ByName<std::int64_t>;
using Value = std::optional<Rational>;

Value integer(std::int64_t v) { return detail::rational(v, 1); }
using detail::less;
Value floor_of(const Value& v) {
  return v ? integer(detail::floor_quotient(v->num, v->den)) : std::nullopt;
}
Value negated(const Value& v) { return v ? Value({-v->num, v->den}) : std::nullopt; }
Value quotient(const Value& a, const Value& b) {
  if (!a || !b || b->num == 0) return std::nullopt;
  return detail::multiply(*a, *detail::rational(b->den, b->num));
}

class Evaluator {
 public:
  explicit Evaluator(const Environment& env) : env_(env) {}

  Value value(const Expr& e) {
    switch (e.op()) {
      case Op::Integer: return integer(e.value());
      case Op::Float: {
        const double v = e.number();
        if (v != std::floor(v) || std::abs(v) >= 9007199254740992.0) return std::nullopt;
        return integer(std::int64_t(v));
      }
      case Op::True: return integer(1);
      case Op::False: return integer(0);
      case Op::Symbol: {
        const auto it = env_.find(e.name());
        return it == env_.end() ? std::nullopt : integer(it->second);
      }
      case Op::And:
      case Op::Or: {
        const bool decides = e.is(Op::Or);
        bool unknown = false;
        for (const Expr& a : e.args()) {
          const Value v = value(a);
          if (v && (v->num != 0) == decides) return integer(decides);
          unknown |= !v;
        }
        return unknown ? std::nullopt : integer(!decides);
      }
      case Op::Select: {
        const Value c = value(e.arg(0));
        return c ? value(e.arg(c->num != 0 ? 1 : 2)) : std::nullopt;
      }
      case Op::Add:
      case Op::Mul:
      case Op::Min:
      case Op::Max: return fold(e);
      default: break;
    }
    if (e.args().size() == 1) return unary(e, value(e.arg(0)));
    if (e.args().size() == 2) {
      const Value a = value(e.arg(0));
      return a ? binary(e.op(), *a, value(e.arg(1))) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  Value fold(const Expr& e) {
    Value result;
    for (std::size_t i = 0; i < e.args().size(); ++i) {
      const Value v = value(e.arg(i));
      if (!v) return std::nullopt;
      if (i == 0) result = v;
      else if (e.is(Op::Add)) result = detail::add(*result, *v);
      else if (e.is(Op::Mul)) result = detail::multiply(*result, *v);
      else if (e.is(Op::Min) ? less(*v, *result) : less(*result, *v)) result = v;
      if (!result) return std::nullopt;
    }
    return result;
  }

  Value unary(const Expr& e, const Value& v) {
    if (!v) return v;
    if (e.is(Op::Neg)) return negated(v);
    if (e.is(Op::Not)) return integer(v->num == 0);
    if (e.is(Op::Invert)) return v->is_integer() ? integer(~v->num) : std::nullopt;
    if (!e.is(Op::Call)) return std::nullopt;
    const std::string& name = e.name();
    if (name == "abs" || name == "Abs") return v->negative() ? negated(v) : v;
    if (name == "floor" || name == "math.floor") return floor_of(v);
    if (name == "ceil" || name == "ceiling" || name == "math.ceil")
      return negated(floor_of(negated(v)));
    if (name == "int" || name == "dace.int64" || name == "int64" || name == "dace.int32" ||
        name == "int32")
      return v->is_integer() ? v : std::nullopt;
    return std::nullopt;
  }

  Value binary(Op op, const Rational& a, const Value& right) {
    if (!right) return std::nullopt;
    const Rational& b = *right;
    switch (op) {
      case Op::Sub: return detail::add(a, {-b.num, b.den});
      case Op::Div: return quotient(a, b);
      case Op::FloorDiv: return floor_of(quotient(a, b));
      case Op::CeilDiv: return negated(floor_of(negated(quotient(a, b))));
      case Op::Mod: {
        const Value q = floor_of(quotient(a, b));
        const Value product = q ? detail::multiply(*q, b) : std::nullopt;
        return product ? detail::add(a, {-product->num, product->den}) : std::nullopt;
      }
      case Op::Pow: return power(a, b);
      case Op::Eq: return integer(a == b);
      case Op::Ne: return integer(!(a == b));
      case Op::Lt: return integer(less(a, b));
      case Op::Le: return integer(!less(b, a));
      case Op::Gt: return integer(less(b, a));
      case Op::Ge: return integer(!less(a, b));
      default: return a.is_integer() && b.is_integer() ? bits(op, a.num, b.num) : std::nullopt;
    }
  }

  Value bits(Op op, std::int64_t a, std::int64_t b) {
    switch (op) {
      case Op::BitAnd: return integer(a & b);
      case Op::BitOr: return integer(a | b);
      case Op::BitXor: return integer(a ^ b);
      case Op::LeftShift:
        if (b < 0 || b > 62) return std::nullopt;
        return detail::rational(detail::Wide(a) << b, 1);
      case Op::RightShift:
        return b < 0 ? std::nullopt : integer(a >> std::min<std::int64_t>(b, 63));
      default: return std::nullopt;
    }
  }

  Value power(Rational base, const Rational& exponent) {
    if (!exponent.is_integer()) return std::nullopt;
    std::int64_t n = exponent.num;
    if (n < 0) {
      const Value inverse = quotient(Rational{}, base);
      if (!inverse) return std::nullopt;
      base = *inverse;
      n = -n;
    }
    if (base.is_integer() && base.num >= -1 && base.num <= 1) {
      if (n == 0 || base.num == 1) return integer(1);
      return integer(base.num == 0 ? 0 : n % 2 ? -1 : 1);
    }
    if (n > 64) return std::nullopt;
    Value result = Rational{};
    for (; n > 0 && result; --n) result = detail::multiply(*result, base);
    return result;
  }

  const Environment& env_;
};

}  // namespace

std::optional<std::int64_t> evaluate(const Expr& expr, const Environment& env) {
  const Value v = Evaluator(env).value(expr);
  return v && v->is_integer() ? std::optional(v->num) : std::nullopt;
}

}  // namespace sdfg
