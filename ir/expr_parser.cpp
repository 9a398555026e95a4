#include "ir/expr_parser.h"

#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace sdfg::detail {
namespace {

/// Binary operators by binding strength; comparisons are level 4 and handled apart.
enum Level { or_level = 1, and_level, not_level, comparison_level, lowest_binary, power_level = 11 };
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

bool is_keyword(std::string_view w) {
  static constexpr std::string_view words[] = {
      "and",    "as",   "assert", "async",  "await", "break", "class", "continue", "def",
      "del",    "elif", "else",   "except", "finally", "for", "from",  "global",   "if",
      "import", "in",   "is",     "lambda", "nonlocal", "not", "or",   "pass",     "raise",
      "return", "try",  "while",  "with",   "yield"};
  for (const std::string_view k : words)
    if (k == w) return true;
  return false;
}

/// "math.sqrt" of nested attributes; empty when the expression is no dotted name.
std::string dotted_name(const Expr& e) {
  if (e.is(Op::Symbol)) return e.name();
  if (!e.is(Op::Attribute)) return {};
  std::string base = dotted_name(e.arg(0));
  return base.empty() ? base : base + '.' + e.name();
}

bool is_type_suffix(std::string_view s) {
  for (const std::string_view t : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16",
                                   "bf16", "e4m3fn", "e5m2", "f32", "f64"})
    if (s == t) return true;
  return false;
}

constexpr std::string_view smallest_integer_digits = "9223372036854775808";

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
  if (depth(e) > max_depth) fail_here(fmt::format("the expression has more than {} levels", max_depth));
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
  for (const auto& [word, op, at] : {std::tuple{"and", Op::And, and_level}, {"or", Op::Or, or_level}}) {
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
    if (const auto op = op_of_function(name, arguments.size())) return made(*op, std::move(arguments));
    if (grammar_ != Grammar::Python) {
      if (name == "Attr" && arguments.size() == 2 && arguments[1].is(Op::Symbol))
        return made(Op::Attribute, {arguments[0]}, arguments[1].name());
      if (name == "Subscript" && !arguments.empty()) return made(Op::Subscript, std::move(arguments));
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

bool ExprParser::starts_expression() const {
  switch (token_.kind) {
    case Token::Kind::Name:
      return !is_keyword(token_.text) || token_.text == "not" || token_.text == "lambda";
    case Token::Kind::Operator:
      return token_.is("(") || token_.is("[") || token_.is("-") || token_.is("+") ||
             token_.is("~") || token_.is("{");
    case Token::Kind::Integer:
    case Token::Kind::Float:
    case Token::Kind::Imaginary:
    case Token::Kind::String:
    case Token::Kind::Symbol: return true;
    default: return false;
  }
}

Expr ExprParser::atom() {
  switch (token_.kind) {
    case Token::Kind::Name: return name_atom();
    case Token::Kind::Integer:
    case Token::Kind::Float:
    case Token::Kind::Imaginary: return number_atom();
    case Token::Kind::Symbol: {
      Expr e = token_.text == "?" ? Expr::leaf(Op::Constant, "?") : Expr::symbol(token_.text);
      advance();
      return e;
    }
    case Token::Kind::String: {
      std::string content;
      while (token_.kind == Token::Kind::String) {
        auto part = unquote(token_.text);
        if (!part) {
          fail_here(part.error().message);
          return {};
        }
        content += *part;
        advance();
      }
      return Expr::leaf(Op::String, std::move(content));
    }
    default: break;
  }
  if (token_.is("(")) return bracketed();
  if (token_.is("[")) return list();
  if (token_.is("{")) {
    fail_here("dictionaries and sets are not supported");
    return {};
  }
  if (token_.is("?") && grammar_ != Grammar::Python) {
    advance();
    return Expr::leaf(Op::Constant, "?");
  }
  fail_expected("an expression");
  return {};
}

Expr ExprParser::bracketed() {
  expect("(");
  if (accept(")")) return Expr::make(Op::Tuple, {});
  Expr e = expression_list();
  if (token_.is_word("for")) fail_here("comprehensions are not supported");
  if (token_.is(":=")) fail_here("assignments inside expressions are not supported");
  expect(")", "to close the bracket");
  // TYPED writes complex constants as (1.0 + 2.0j)c128.
  if (grammar_ == Grammar::Typed && (token_.is_word("c64") || token_.is_word("c128"))) advance();
  return e;
}

Expr ExprParser::list() {
  expect("[");
  std::vector<Expr> items;
  while (!token_.is("]") && !failed()) {
    items.push_back(expression());
    if (token_.is_word("for")) fail_here("comprehensions are not supported");
    if (!accept(",") && !token_.is("]")) fail_expected("',' or ']' in the list");
  }
  expect("]", "to close the list");
  return made(Op::List, std::move(items));
}

/// symbol($N, dtype=dace.int64, positive=True): what it says of N besides its name is not kept.
Expr ExprParser::typed_symbol() {
  expect("(");
  Expr e = expression();
  if (!e.is(Op::Symbol)) fail_expected("a symbol");
  while (accept(",") && !failed()) {
    if (token_.kind != Token::Kind::Name) fail_expected("an assumption");
    advance();
    expect("=", "after the assumption's name");
    if (token_.kind != Token::Kind::Name) fail_expected("a value of the assumption");
    advance();
    while (accept(".")) advance();
  }
  expect(")", "after the symbol");
  return e;
}

Expr ExprParser::name_atom() {
  const std::string_view name = token_.text;
  if (name == "True" || name == "False") {
    advance();
    return Expr::boolean(name == "True");
  }
  if (name == "None" || (name == "NoneSymbol" && grammar_ != Grammar::Python)) {
    advance();
    return Expr::leaf(Op::None);
  }
  if (is_keyword(name)) {
    fail_expected("an expression");
    return {};
  }
  const std::size_t offset = token_.offset;
  advance();
  if (grammar_ == Grammar::Python) return Expr::symbol(name);
  if (name == "oo" || name == "nan") return Expr::leaf(Op::Constant, std::string(name));
  if (grammar_ == Grammar::Plain) return Expr::symbol(name);
  if (name == "pi" || name == "E") return Expr::leaf(Op::Constant, std::string(name));
  if (name == "symbol" && token_.is("(")) return typed_symbol();
  // Functions and the types of casts are bare names; so are the keywords inside a call.
  if (token_.is("(") || token_.is(".") || token_.is("=")) return Expr::symbol(name);
  if (name == "I") return Expr::leaf(Op::Imaginary, "1j", 1);
  lexer_.fail(offset, fmt::format("expected a symbol, found the bare name '{}'", excerpt(name)),
              fmt::format("symbols are written '${}' here", excerpt(name)));
  token_ = {Token::Kind::End, {}, offset};
  return {};
}

Expr ExprParser::integer(std::string_view digits, std::size_t offset) {
  std::string plain;
  if (digits.find('_') != std::string_view::npos) {
    for (char c : digits)
      if (c != '_') plain += c;
    digits = plain;
  }
  int base = 10;
  std::string_view body = digits;
  if (digits.size() > 1 && digits[0] == '0' && (digits[1] | 0x20) >= 'a') {
    base = (digits[1] | 0x20) == 'x' ? 16 : (digits[1] | 0x20) == 'o' ? 8 : 2;
    body.remove_prefix(2);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value, base);
  if (error == std::errc::result_out_of_range && end == body.data() + body.size()) {
    // Code may hold what only unsigned or longer integers can; it stays as it is.
    if (grammar_ == Grammar::Python || digits == smallest_integer_digits)
      return Expr::leaf(Op::Opaque, std::string(digits));
    lexer_.fail(offset, fmt::format("the integer {} does not fit into 64 bits", excerpt(digits)));
    return {};
  }
  if (error != std::errc{} || end != body.data() + body.size())
    lexer_.fail(offset, fmt::format("'{}' is no number", excerpt(digits)));
  return value;
}

namespace {
double real(std::string_view text) {
  std::string plain;
  for (char c : text)
    if (c != '_') plain += c;
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  // Too large or too small: which one shows in the sign of the exponent, or in the leading digits.
  const std::size_t e = plain.find_first_of("eE");
  const bool tiny = e != std::string::npos ? plain[e + 1] == '-'
                                           : plain.find_first_not_of('0') == plain.find('.');
  return tiny ? 0.0 : std::numeric_limits<double>::infinity();
}
}  // namespace

Expr ExprParser::number_atom() {
  const Token t = token_;
  advance();
  // `1if c else 2` is Python; `1x` is not.
  const bool glued = token_.kind == Token::Kind::Name && token_.offset == t.offset + t.text.size();
  if (glued && grammar_ == Grammar::Typed && is_type_suffix(token_.text)) {
    advance();
  } else if (glued && !is_keyword(token_.text)) {
    fail_here(fmt::format("unexpected '{}' after the number {}", excerpt(token_.text), excerpt(t.text)));
  }
  if (t.kind == Token::Kind::Integer) {
    Expr e = integer(t.text, t.offset);
    if (failed()) token_ = {Token::Kind::End, {}, t.offset};
    return e;
  }
  if (t.kind == Token::Kind::Imaginary)
    return Expr::leaf(Op::Imaginary, std::string(t.text), real(t.text.substr(0, t.text.size() - 1)));
  return Expr::leaf(Op::Float, std::string(t.text), real(t.text));
}

}  // namespace sdfg::detail
