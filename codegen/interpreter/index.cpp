// Symbolic arithmetic: subsets, ranges, shapes. Affine expressions, nearly all of them, become a
// sum of products of slots; the rest becomes code on 64-bit integers.

#include <algorithm>

#include "codegen/interpreter/expression.h"
#include "ir/expr_quotient.h"

namespace sdfg::interpreter {
namespace {

using Code64 = std::function<std::int64_t()>;

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) throw Stop("a symbolic expression divides by zero");
  if (b == -1) return std::int64_t(0 - std::uint64_t(a));
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

class IndexCompiler {
 public:
  explicit IndexCompiler(const Context& context) : context_(context) {}

  Index compile(const Expr& e) const {
    switch (e.op()) {
      case Op::Integer: return number(e.value());
      case Op::Symbol: return symbol(e);
      case Op::Add: {
        if (has_quotient(e)) return exact(e);
        Index sum;
        for (const Expr& a : e.args()) add(sum, compile(a), 1);
        return sum;
      }
      case Op::Sub: {
        if (has_quotient(e)) return exact(e);
        Index difference = compile(e.arg(0));
        add(difference, compile(e.arg(1)), -1);
        return difference;
      }
      case Op::Neg: {
        if (has_quotient(e)) return exact(e);
        Index negated;
        add(negated, compile(e.arg(0)), -1);
        return negated;
      }
      case Op::Mul: return has_quotient(e) ? exact(e) : product(e.args());
      case Op::Div: return exact(e);
      case Op::FloorDiv: return binary(e, floor_quotient);
      case Op::CeilDiv:
        return binary(e, [](std::int64_t a, std::int64_t b) {
          return -floor_quotient(-a, b);
        });
      case Op::Mod:
        return binary(e, [](std::int64_t a, std::int64_t b) {
          return a - floor_quotient(a, b) * b;
        });
      case Op::Pow: return has_quotient(e) ? exact(e) : binary(e, power);
      case Op::Min:
        return reduce(e, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
      case Op::Max:
        return reduce(e, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
      case Op::Select: return select(e);
      case Op::Eq:
        return binary(e, [](std::int64_t a, std::int64_t b) { return std::int64_t(a == b); });
      case Op::Ne:
        return binary(e, [](std::int64_t a, std::int64_t b) { return std::int64_t(a != b); });
      case Op::Lt:
        return binary(e, [](std::int64_t a, std::int64_t b) { return std::int64_t(a < b); });
      case Op::Le:
        return binary(e, [](std::int64_t a, std::int64_t b) { return std::int64_t(a <= b); });
      case Op::Gt:
        return binary(e, [](std::int64_t a, std::int64_t b) { return std::int64_t(a > b); });
      case Op::Ge:
        return binary(e, [](std::int64_t a, std::int64_t b) { return std::int64_t(a >= b); });
      default: return coded(as_integer(interpreter::compile(e, context_)));
    }
  }

 private:
  static Index number(std::int64_t value) {
    Index index;
    index.constant = value;
    return index;
  }
  static Index coded(Code64 code) {
    Index index;
    index.code = std::move(code);
    return index;
  }
  static Code64 function_of(Index index) {
    return [index = std::move(index)] { return index(); };
  }
  static Code64 as_integer(Typed value) {
    const Unary f = conversion(value.type, BaseType::Int64);
    if (!f) return [eval = std::move(value.eval)] { return eval().i; };
    return [f, eval = std::move(value.eval)] { return f(eval()).i; };
  }

  static void add(Index& sum, Index other, std::int64_t factor) {
    sum.constant += factor * other.constant;
    for (Index::Term t : other.terms) {
      t.coefficient *= factor;
      const auto same = [&](const Index::Term& s) { return s.symbol == t.symbol; };
      if (const auto found = std::ranges::find_if(sum.terms, same); found != sum.terms.end())
        found->coefficient += t.coefficient;
      else
        sum.terms.push_back(t);
    }
    if (!other.code) return;
    sum.code = [left = std::move(sum.code), right = std::move(other.code), factor] {
      return (left ? left() : 0) + factor * right();
    };
  }

  Index symbol(const Expr& e) const {
    const Binding* binding = context_.names.find(e.name());
    const bool integer = binding && binding->slot && binding->type >= BaseType::Bool &&
                         binding->type <= BaseType::UInt64;
    if (!integer) return coded(as_integer(interpreter::compile(e, context_)));
    Index index;
    index.terms.push_back({1, binding->slot});
    return index;
  }

  Index product(std::span<const Expr> args) const {
    Index result = number(1);
    for (const Expr& a : args) {
      Index factor = compile(a);
      if (result.is_constant()) std::swap(result, factor);
      if (factor.is_constant()) {
        Index scaled;
        add(scaled, std::move(result), factor.constant);
        result = std::move(scaled);
      } else {
        result = coded([a = std::move(result), b = std::move(factor)] { return a() * b(); });
      }
    }
    return result;
  }

  template <class F>
  Index binary(const Expr& e, F f) const {
    return coded([f, a = compile(e.arg(0)), b = compile(e.arg(1))] { return f(a(), b()); });
  }
  template <class F>
  Index reduce(const Expr& e, F f) const {
    Index result = compile(e.arg(0));
    for (const Expr& a : e.args().subspan(1))
      result = coded([f, a = std::move(result), b = compile(a)] { return f(a(), b()); });
    return result;
  }
  Index select(const Expr& e) const {
    Typed c = interpreter::compile(e.arg(0), context_);
    return coded([c = std::move(c), a = compile(e.arg(1)), b = compile(e.arg(2))] {
      return is_true(c.eval(), c.type) ? a() : b();
    });
  }

  static std::int64_t power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) throw Stop("a symbolic expression has a negative exponent");
    std::int64_t result = 1;
    for (; exponent > 0; --exponent) result *= base;
    return result;
  }

  /// Terms that divide may add up to an integer that none of them is.
  Index exact(const Expr& e) const {
    const auto [numerator, denominator] = over_one_denominator(e);
    if (has_quotient(numerator) || has_quotient(denominator))
      throw Stop("a symbolic expression divides by zero");
    return coded([n = compile(numerator), d = compile(denominator)] {
      return floor_quotient(n(), d());
    });
  }

  const Context& context_;
};

}  // namespace

Index compile_index(const Expr& expr, const Context& context) {
  return IndexCompiler(context).compile(expr);
}

std::vector<Index> compile_begins(const Subset& subset, const Context& context) {
  std::vector<Index> all;
  for (const Range& r : subset.ranges) all.push_back(compile_index(r.begin, context));
  return all;
}

std::vector<Index> compile_steps(const Subset& subset, const Context& context) {
  std::vector<Index> all;
  for (const Range& r : subset.ranges) all.push_back(compile_index(r.step, context));
  return all;
}

}  // namespace sdfg::interpreter
