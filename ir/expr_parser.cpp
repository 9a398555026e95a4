#include "ir/expr_parser.h"

#include <array>

#include <fmt/format.h>

namespace sdfg::detail {
namespace {

/// Binary operators by binding strength; comparisons are level 4 and handled apart.
enum Level {
  or_level = 1,
  and_level,
  not_level,
  comparison_level,
  lowest_binary,
  power_level = 11
};
struct Binary {
  std::string_view text;
  int level;
  Op op;
};
constexpr std::array binaries{
    Binary{"|", 5, Op::BitOr},     Binary{"^", 6, Op::BitXor},     Binary{"&", 7, Op::BitAnd},
    Binary{"<<", 8, Op::LeftShift}, Binary{">>", 8, Op::RightShift}, Binary{"+", 9, Op::Add},
    Binary{"-", 9, Op::Sub},       Binary{"*", 10, Op::Mul},       Binary{"/", 10, Op::Div},
    Binary{"//", 10, Op::FloorDiv}, Binary{"%", 10, Op::Mod},      Binary{"@", 10, Op::MatMul},
};
const Binary* find_binary(const Token& t) {
  if (t.kind != Token::Kind::Operator) return nullptr;
  for (const Binary& b : binaries)
    if (b.text == t.text) return &b;
  return nullptr;
}

/// "math.sqrt" of nested attributes; empty when the expression is no dotted name.
std::string dotted_name(const Expr& e) {
  if (e.is(Op::Symbol)) return e.name();
  if (!e.is(Op::Attribute)) return {};
  std::string base = dotted_name(e.arg(0));
  return base.empty() ? base : base + '.' + e.name();
}

}  // namespace

ExprParser::ExprParser(std::string_view text, Grammar grammar, bool lines)
    : lexer_(text, grammar, lines), grammar_(grammar) {
  advance();
}

std::string ExprParser::found() const {
  switch (token_.kind) {
    case Token::Kind::End: return "the end of the text";
    case Token::Kind::Newline: return "the end of the line";
    case Token::Kind::Indent: return "an indented block";
    case Token::Kind::Dedent: return "the end of the block";
    default: return fmt::format("'{}'", excerpt(token_.text));
  }
}
void ExprParser::fail_here(std::string message, std::string hint) {
  lexer_.fail(token_.offset, std::move(message), std::move(hint));
  token_ = {Token::Kind::End, {}, token_.offset};
}
void ExprParser::fail_expected(std::string_view what, std::string hint) {
  if (token_.kind == Token::Kind::End) token_.offset = lexer_.source().size();
  fail_here(fmt::format("expected {}, found {}", what, found()), std::move(hint));
}
bool ExprParser::accept(std::string_view op) {
  if (!token_.is(op)) return false;
  advance();
  return true;
}
bool ExprParser::accept_word(std::string_view word) {
  if (!token_.is_word(word)) return false;
  advance();
  return true;
}
void ExprParser::expect(std::string_view op, std::string_view after) {
  if (accept(op)) return;
  fail_expected(after.empty() ? fmt::format("'{}'", op) : fmt::format("'{}' {}", op, after));
}
void ExprParser::expect_end() {
  if (token_.kind != Token::Kind::End) fail_expected("the end of the text");
}

Expr ExprParser::made(Op op, std::vector<Expr> arguments, std::string name) {
  Expr e = Expr::make(op, std::move(arguments), std::move(name));
  if (depth(e) > max_depth)
    fail_here(fmt::format("the expression has more than {} levels", max_depth));
  return e;
}

Expr ExprParser::expression() {
  if (++nesting_ > max_nesting) {
    fail_here(fmt::format("brackets and operators are nested more than {} deep", max_nesting));
    return {};
  }
  Expr e;
  if (token_.is_word("lambda")) {
    e = lambda();
  } else {
    e = binary(or_level);
    if (token_.is_word("if")) {
      advance();
      Expr condition = binary(or_level);
      if (accept_word("else"))
        e = made(Op::Select, {std::move(condition), std::move(e), expression()});
      else
        fail_expected("'else' of the conditional expression");
    }
  }
  --nesting_;
  return e;
}

Expr ExprParser::expression_list() {
  Expr first = expression();
  if (!token_.is(",")) return first;
  std::vector<Expr> items{std::move(first)};
  while (accept(",")) {
    if (!starts_expression()) break;
    items.push_back(expression());
  }
  return made(Op::Tuple, std::move(items));
}

Expr ExprParser::lambda() {
  advance();
  std::vector<Expr> parts;
  while (token_.kind == Token::Kind::Name && !is_keyword(token_.text)) {
    parts.push_back(Expr::symbol(token_.text));
    advance();
    if (!accept(",")) break;
  }
  if (token_.is("=")) fail_here("default values of lambda parameters are not supported");
  expect(":", "after the lambda's parameters");
  parts.push_back(expression());
  return made(Op::Lambda, std::move(parts));
}

Expr ExprParser::binary(int level) {
  Expr left;
  if (level <= not_level && token_.is_word("not")) {
    if (++nesting_ > max_nesting) {
      fail_here(fmt::format("brackets and operators are nested more than {} deep", max_nesting));
      return {};
    }
    advance();
    left = made(Op::Not, {binary(not_level)});
    --nesting_;
  } else {
    left = unary();
    // Left-associative operators: the right operand binds one level tighter.
    while (const Binary* b = find_binary(token_)) {
      if (b->level < level) break;
      advance();
      Expr right = b->level == power_level - 1 ? unary() : binary(b->level + 1);
      left = made(b->op, {std::move(left), std::move(right)});
    }
    if (level <= comparison_level) left = comparisons(std::move(left));
  }
  for (const auto& [word, op, at] :
       {std::tuple{"and", Op::And, and_level}, {"or", Op::Or, or_level}}) {
    if (level > at || !token_.is_word(word)) continue;
    std::vector<Expr> operands{std::move(left)};
    while (accept_word(word)) operands.push_back(binary(at + 1));
    left = made(op, std::move(operands));
  }
  return left;
}

Expr ExprParser::comparisons(Expr first) {
  std::vector<Expr> pairs;
  Expr left = std::move(first);
  for (;;) {
    Op op;
    if (accept("==")) op = Op::Eq;
    else if (accept("!=")) op = Op::Ne;
    else if (accept("<=")) op = Op::Le;
    else if (accept(">=")) op = Op::Ge;
    else if (accept("<")) op = Op::Lt;
    else if (accept(">")) op = Op::Gt;
    else if (accept_word("is")) op = accept_word("not") ? Op::IsNot : Op::Is;
    else if (accept_word("in")) op = Op::In;
    else if (token_.is_word("not")) {
      advance();
      if (!accept_word("in")) fail_expected("'in' after 'not'");
      op = Op::NotIn;
    } else break;
    Expr right = binary(lowest_binary);
    pairs.push_back(made(op, {left, right}));
    left = std::move(right);
  }
  if (pairs.empty()) return left;
  // a < b < c means a < b and b < c.
  return pairs.size() == 1 ? pairs[0] : made(Op::And, std::move(pairs));
}

Expr ExprParser::unary() {
  const bool minus = token_.is("-"), plus = token_.is("+"), invert = token_.is("~");
  if (!minus && !plus && !invert) return power();
  if (++nesting_ > max_nesting) {
    fail_here(fmt::format("brackets and operators are nested more than {} deep", max_nesting));
    return {};
  }
  advance();
  const bool literal = token_.kind != Token::Kind::Operator;
  Expr operand = unary();
  --nesting_;
  if (plus) return operand;
  // In PLAIN text sympy spells logical negation this way.
  if (invert) return made(grammar_ == Grammar::Plain ? Op::Not : Op::Invert, {std::move(operand)});
  if (!literal) return made(Op::Neg, {std::move(operand)});
  // A negative literal is one number, so that printing it gives it back.
  if (operand.is(Op::Integer) && operand.value() > 0) return -operand.value();
  if (operand.is(Op::Opaque) && operand.name() == smallest_integer_digits)
    return std::numeric_limits<std::int64_t>::min();
  if ((operand.is(Op::Float) || operand.is(Op::Imaginary)) && !operand.name().empty())
    return Expr::leaf(operand.op(), "-" + operand.name(), -operand.number());
  return made(Op::Neg, {std::move(operand)});
}

Expr ExprParser::power() {
  Expr base = postfix();
  if (!accept("**")) return base;
  Expr exponent = unary();
  return made(Op::Pow, {std::move(base), std::move(exponent)});
}

Expr ExprParser::postfix() {
  Expr e = atom();
  for (;;) {
    if (accept(".")) {
      if (token_.kind != Token::Kind::Name) {
        fail_expected("the name of an attribute after '.'");
        return e;
      }
      e = made(Op::Attribute, {std::move(e)}, std::string(token_.text));
      advance();
    } else if (token_.is("(")) {
      e = call(e);
    } else if (token_.is("[")) {
      e = subscript(std::move(e));
    } else {
      return e;
    }
  }
}

Expr ExprParser::call(const Expr& callee) {
  expect("(");
  std::vector<Expr> arguments;
  std::string name = dotted_name(callee);
  if (name.empty()) arguments.push_back(callee);
  bool keywords = false;
  while (!token_.is(")") && !failed()) {
    if (token_.is("*") || token_.is("**")) fail_here("starred arguments are not supported");
    Expr argument = expression();
    if (token_.is("=") && argument.is(Op::Symbol)) {
      advance();
      argument = made(Op::Keyword, {expression()}, argument.name());
      keywords = true;
    } else if (keywords) {
      fail_expected("a keyword argument");
    } else if (token_.is_word("for")) {
      fail_here("comprehensions are not supported");
    }
    arguments.push_back(std::move(argument));
    if (!accept(",") && !token_.is(")")) fail_expected("',' or ')' in the arguments");
  }
  expect(")", "after the arguments");
  if (!keywords && !name.empty()) {
    if (const auto op = op_of_function(name, arguments.size()))
      return made(*op, std::move(arguments));
    if (grammar_ != Grammar::Python) {
      if (name == "Attr" && arguments.size() == 2 && arguments[1].is(Op::Symbol))
        return made(Op::Attribute, {arguments[0]}, arguments[1].name());
      if (name == "Subscript" && !arguments.empty())
        return made(Op::Subscript, std::move(arguments));
      // A bound and a larger one that is nicer: the former is what counts.
      if (name == "SymExpr" && arguments.size() == 2) return arguments[0];
    }
  }
  return made(Op::Call, std::move(arguments), std::move(name));
}

Expr ExprParser::slice_or_expression() {
  Expr begin = Expr::leaf(Op::None), end = begin, step = begin;
  if (!token_.is(":")) {
    begin = expression();
    if (!token_.is(":")) return begin;
  }
  expect(":");
  if (starts_expression()) end = expression();
  if (accept(":") && starts_expression()) step = expression();
  return made(Op::Slice, {std::move(begin), std::move(end), std::move(step)});
}

Expr ExprParser::subscript(Expr base) {
  expect("[");
  std::vector<Expr> indices;
  bool comma = false;
  if (token_.is("]")) fail_expected("an index");
  while (!token_.is("]") && !failed()) {
    indices.push_back(slice_or_expression());
    if (accept(",")) comma = true;
    else if (!token_.is("]")) fail_expected("',' or ']' in the subscript");
  }
  expect("]", "after the indices");
  // a[(i, j)] is a[i, j] in Python.
  if (!comma && indices.size() == 1 && indices[0].is(Op::Tuple)) {
    const auto items = indices[0].args();
    indices = std::vector<Expr>(items.begin(), items.end());
  }
  indices.insert(indices.begin(), std::move(base));
  return made(Op::Subscript, std::move(indices));
}

}  // namespace sdfg::detail
