#include "ir/code.h"

#include <algorithm>

#include "ir/lexer.h"

namespace sdfg {

bool IfStatement::operator==(const IfStatement&) const = default;
bool WhileStatement::operator==(const WhileStatement&) const = default;
bool ForStatement::operator==(const ForStatement&) const = default;

Code::Code(std::string text, Language language) : text_(std::move(text)), language_(language) {
  if (language_ != Language::Python) return;
  // Most conditions are the constant 1; all of them share one parse.
  static const auto one = std::make_shared<const ParsedCode>(parse_python_code("1"));
  parsed_ = text_ == "1" ? one : std::make_shared<const ParsedCode>(parse_python_code(text_));
}
Code Code::from(const Expr& expr) { return Code(print_python(expr)); }
Code Code::from(Statements statements) { return Code(print_python(statements)); }

const Expr* Code::expr() const {
  const Statements* all = statements();
  if (!all || all->size() != 1) return nullptr;
  const auto* only = std::get_if<ExprStatement>(&all->front().kind);
  return only ? &only->value : nullptr;
}
bool Code::always_true() const {
  if (language_ != Language::Python) return false;
  if (const Expr* e = expr()) return e->is(Op::True) || (e->is(Op::Integer) && e->value() != 0);
  return statements() && statements()->empty();
}

// ---- Printing.

namespace {

std::string_view augmented_text(Op op) {
  switch (op) {
    case Op::Add: return " += ";
    case Op::Sub: return " -= ";
    case Op::Mul: return " *= ";
    case Op::Div: return " /= ";
    case Op::FloorDiv: return " //= ";
    case Op::Mod: return " %= ";
    case Op::Pow: return " **= ";
    case Op::MatMul: return " @= ";
    case Op::LeftShift: return " <<= ";
    case Op::RightShift: return " >>= ";
    case Op::BitAnd: return " &= ";
    case Op::BitOr: return " |= ";
    default: return " ^= ";
  }
}

struct StatementPrinter {
  std::string out;
  std::string indent;

  void line(std::string_view text) {
    out += indent;
    out += text;
    out += '\n';
  }
  void block(const Statements& body) {
    indent += "    ";
    if (body.empty()) line("pass");
    for (const Statement& s : body) print(s);
    indent.resize(indent.size() - 4);
  }
  void print(const Statement& s) {
    std::visit([this](const auto& kind) { print(kind); }, s.kind);
  }
  void print(const PassStatement&) { line("pass"); }
  void print(const BreakStatement&) { line("break"); }
  void print(const ContinueStatement&) { line("continue"); }
  void print(const ReturnStatement& s) {
    line(s.value ? "return " + print_python(*s.value) : std::string("return"));
  }
  void print(const ExprStatement& s) { line(print_python(s.value)); }
  void print(const Assign& s) {
    std::string text = print_python(s.target);
    if (s.annotation) text += ": " + print_python(*s.annotation);
    if (!s.only_declares()) {
      text += s.augmented ? augmented_text(*s.augmented) : std::string_view(" = ");
      text += print_python(s.value);
    }
    line(text);
  }
  void print(const IfStatement& s) {
    line("if " + print_python(s.condition) + ":");
    block(s.then);
    // An else that only holds an if is an elif; walked in a loop, as chains may be long.
    const Statements* rest = &s.otherwise;
    while (rest->size() == 1 && std::holds_alternative<IfStatement>(rest->front().kind)) {
      const auto& next = std::get<IfStatement>(rest->front().kind);
      line("elif " + print_python(next.condition) + ":");
      block(next.then);
      rest = &next.otherwise;
    }
    if (rest->empty()) return;
    line("else:");
    block(*rest);
  }
  void print(const WhileStatement& s) {
    line("while " + print_python(s.condition) + ":");
    block(s.body);
  }
  void print(const ForStatement& s) {
    line("for " + print_python(s.target) + " in " + print_python(s.iterable) + ":");
    block(s.body);
  }
};

}  // namespace

std::string print_python(const Statements& statements) {
  StatementPrinter printer;
  for (const Statement& s : statements) printer.print(s);
  if (!printer.out.empty()) printer.out.pop_back();  // no newline at the end
  return std::move(printer.out);
}

// ---- Reductions.

Reduction detect_reduction(const Code& wcr) {
  const Expr* lambda = wcr.expr();
  if (!lambda || !lambda->is(Op::Lambda) || lambda->args().size() != 3) return Reduction::Custom;
  const Expr &a = lambda->arg(0), &b = lambda->arg(1), &body = lambda->arg(2);
  if (a == b) return Reduction::Custom;
  if (body == b) return Reduction::Exchange;
  if (body.args().size() != 2) return Reduction::Custom;
  const bool in_order = body.arg(0) == a && body.arg(1) == b;
  const bool swapped = body.arg(0) == b && body.arg(1) == a;
  if (!in_order && !swapped) return Reduction::Custom;
  switch (body.op()) {
    case Op::Min: return Reduction::Min;
    case Op::Max: return Reduction::Max;
    case Op::Add: return Reduction::Sum;
    case Op::Mul: return Reduction::Product;
    case Op::And: return Reduction::LogicalAnd;
    case Op::Or: return Reduction::LogicalOr;
    case Op::BitAnd: return Reduction::BitAnd;
    case Op::BitOr: return Reduction::BitOr;
    case Op::BitXor: return Reduction::BitXor;
    case Op::Ne: return Reduction::LogicalXor;
    case Op::Sub: return in_order ? Reduction::Sub : Reduction::Custom;
    case Op::Div: return in_order ? Reduction::Div : Reduction::Custom;
    default: return Reduction::Custom;
  }
}

}  // namespace sdfg
