#include "passes/common/decide.h"

#include <algorithm>

#include "ir/expr_symbols.h"

namespace sdfg {

bool is_integer_symbol(std::string_view name, const Sdfg& sdfg, const TypeTable& types) {
  if (sdfg.arrays.contains(name)) return false;
  const auto symbol = sdfg.symbols.find(name);
  if (symbol != sdfg.symbols.end()) return symbol->second.is_signed_integer();
  const auto found = types.find(name);
  return found != types.end() && found->second.is_signed_integer();
}

bool over_integer_symbols(const Expr& expr, const Sdfg& sdfg, const TypeTable& types) {
  const SymbolSet names = free_symbols(expr);
  return std::ranges::all_of(
      names, [&](const std::string& name) { return is_integer_symbol(name, sdfg, types); });
}

bool is_integer_arithmetic(const Expr& value, const Assumptions& assumptions) {
  const auto is_one = [&](const Expr& e) { return is_integer_arithmetic(e, assumptions); };
  switch (value.op()) {
    case Op::Integer: case Op::Symbol:
      return true;
    case Op::Add: case Op::Sub: case Op::Mul: case Op::Neg: case Op::Min: case Op::Max:
    case Op::BitAnd: case Op::BitOr: case Op::BitXor: case Op::Invert:
      return std::ranges::all_of(value.args(), is_one);
    case Op::FloorDiv: case Op::CeilDiv: case Op::Mod:
      return std::ranges::all_of(value.args(), [&](const Expr& e) {
        return is_one(e) && certain(less_equal(0, e, assumptions));
      });
    case Op::Div: {
      const Expr exact = simplify(value);
      return !exact.is(Op::Div) && std::ranges::all_of(value.args(), is_one) && is_one(exact);
    }
    case Op::Pow:
      return is_one(value.arg(0)) && value.arg(1).as_integer().value_or(-1) >= 0;
    case Op::Subscript:
      return std::ranges::all_of(value.args().subspan(1), is_one);
    default:
      return false;
  }
}

bool is_integer_condition(const Expr& condition, const Assumptions& assumptions) {
  const auto is_one = [&](const Expr& e) {
    return is_integer_condition(e, assumptions) || is_integer_arithmetic(e, assumptions);
  };
  switch (condition.op()) {
    case Op::True: case Op::False:
      return true;
    case Op::And: case Op::Or: case Op::Not:
      return std::ranges::all_of(condition.args(), is_one);
    case Op::Eq: case Op::Ne: case Op::Lt: case Op::Le: case Op::Gt: case Op::Ge:
      return std::ranges::all_of(condition.args(), [&](const Expr& e) {
        return is_integer_arithmetic(e, assumptions);
      });
    default:
      return false;
  }
}

bool divides_otherwise(const Expr& value, const Assumptions& assumptions) {
  const bool divides = value.is(Op::FloorDiv) || value.is(Op::CeilDiv) || value.is(Op::Mod) ||
                       value.is(Op::Div) || value.is(Op::Pow);
  if (divides) return !is_integer_arithmetic(value, assumptions);
  return std::ranges::any_of(
      value.args(), [&](const Expr& e) { return divides_otherwise(e, assumptions); });
}

SymbolSet differing_in_code(const Substitution& values, const Sdfg& sdfg,
                            const Assumptions& assumptions) {
  SymbolSet out;
  for (const auto& [name, value] : values)
    if (differs_in_code(value, sdfg, assumptions)) out.insert(name);
  return out;
}

bool differs_in_code(const Expr& value, const Sdfg& sdfg, const Assumptions& assumptions) {
  if (value.is(Op::Symbol) || value.is(Op::Integer)) return false;
  bool integer = true, wraps = false;
  any_symbol(value, [&](const std::string& name) {
    const auto symbol = sdfg.symbols.find(name);
    if (symbol == sdfg.symbols.end()) return false;
    integer = integer && symbol->second.is_integer();
    wraps = wraps || !symbol->second.is_signed_integer();
    return false;
  });
  return integer && (wraps || divides_otherwise(value, assumptions));
}

namespace {

/// Of `A is None` and `A is not None`: No and Yes for an array that is never absent.
Truth decide_presence(const Expr& expr, const Sdfg& sdfg) {
  if (!expr.is(Op::Is) && !expr.is(Op::IsNot)) return Truth::Unknown;
  if (!expr.arg(0).is(Op::Symbol) || !expr.arg(1).is(Op::None)) return Truth::Unknown;
  const Data* data = sdfg.arrays.get(expr.arg(0).name());
  const Array* array = data ? data->as_array() : nullptr;
  if (!array || array->optional != false) return Truth::Unknown;
  return expr.is(Op::IsNot) ? Truth::Yes : Truth::No;
}

}  // namespace

Truth decide(const Code& condition, const Sdfg& sdfg, const TypeTable& types,
             const Assumptions& assumptions) {
  if (condition.always_true()) return Truth::Yes;
  const Expr* expr = condition.expr();
  if (!expr) return Truth::Unknown;
  if (expr->is(Op::True)) return Truth::Yes;
  if (expr->is(Op::False)) return Truth::No;
  if (const auto value = expr->as_integer()) return *value != 0 ? Truth::Yes : Truth::No;
  if (const Truth there = decide_presence(*expr, sdfg); there != Truth::Unknown) return there;
  if (!is_integer_condition(*expr, assumptions) && !is_integer_arithmetic(*expr, assumptions))
    return Truth::Unknown;
  if (!over_integer_symbols(*expr, sdfg, types)) return Truth::Unknown;
  return is_true(*expr, assumptions);
}

}  // namespace sdfg
