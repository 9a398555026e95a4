#include "codegen/interpreter/expression.h"

namespace sdfg::interpreter {
namespace {

Expr two(Op op) { return Expr::make(op, {Expr::symbol("old"), Expr::symbol("new")}); }

/// What DaCe's runtime computes for a reduction that it recognises; nothing for others.
std::optional<Expr> body_of(Reduction reduction) {
  const auto truth = [](const char* name) {
    return Expr::make(Op::Ne, {Expr::symbol(name), Expr(0)});
  };
  switch (reduction) {
    case Reduction::Min: return two(Op::Min);
    case Reduction::Max: return two(Op::Max);
    case Reduction::Sum: return two(Op::Add);
    case Reduction::Product: return two(Op::Mul);
    case Reduction::Sub: return two(Op::Sub);
    case Reduction::Div: return two(Op::Div);
    case Reduction::LogicalAnd: return two(Op::And);
    case Reduction::LogicalOr: return two(Op::Or);
    case Reduction::LogicalXor: return Expr::make(Op::Ne, {truth("old"), truth("new")});
    case Reduction::BitAnd: return two(Op::BitAnd);
    case Reduction::BitOr: return two(Op::BitOr);
    case Reduction::BitXor: return two(Op::BitXor);
    case Reduction::Exchange: return Expr::symbol("new");
    default: return std::nullopt;
  }
}

}  // namespace

Combine compile_reduction(const Code& wcr, const Container& container, const Context& context) {
  std::string old_name = "old", new_name = "new";
  Expr body;
  if (const auto known = body_of(detect_reduction(wcr))) {
    body = *known;
  } else {
    const Expr* lambda = wcr.expr();
    if (!lambda || !lambda->is(Op::Lambda) || lambda->args().size() != 3)
      throw Stop("the conflict resolution '" + wcr.text() + "' is not a lambda of two values");
    old_name = lambda->arg(0).name(), new_name = lambda->arg(1).name();
    body = lambda->arg(2);
  }
  Number* old_slot = context.machine.new_slot();
  Number* new_slot = context.machine.new_slot();
  Names names(&context.names);
  const auto [type, record] = std::pair(container.type, container.record);
  names.set(old_name, {type, old_slot, nullptr, record});
  names.set(new_name, {type, new_slot, nullptr, record});
  Eval eval = compile_as(body, type, {context.machine, names, context.place}, record);
  return [old_slot, new_slot, eval = std::move(eval)](Number old_value, Number new_value) {
    *old_slot = old_value, *new_slot = new_value;
    return eval();
  };
}

}  // namespace sdfg::interpreter
