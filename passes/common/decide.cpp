#include "passes/common/decide.h"

#include <algorithm>

namespace sdfg {

bool is_integer_symbol(std::string_view name, const Sdfg& sdfg, const TypeTable& types) {
  if (sdfg.arrays.contains(name)) return false;
  const auto symbol = sdfg.symbols.find(name);
  if (symbol != sdfg.symbols.end()) return symbol->second.is_integer();
  const auto found = types.find(name);
  return found != types.end() && found->second.is_integer();
}

bool over_integer_symbols(const Expr& expr, const Sdfg& sdfg, const TypeTable& types) {
  const SymbolSet names = free_symbols(expr);
  return std::ranges::all_of(
      names, [&](const std::string& name) { return is_integer_symbol(name, sdfg, types); });
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
  if (!over_integer_symbols(*expr, sdfg, types)) return Truth::Unknown;
  return is_true(*expr, assumptions);
}

}  // namespace sdfg
