// Names, numbers, brackets and what else an expression is made of.

#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "ir/expr_parser.h"

namespace sdfg::detail {
namespace {

bool is_type_suffix(std::string_view s) {
  for (const std::string_view t : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16",
                                   "bf16", "e4m3fn", "e5m2", "f32", "f64"})
    if (s == t) return true;
  return false;
}

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

bool is_keyword(std::string_view word) {
  static constexpr std::string_view words[] = {
      "and",    "as",   "assert", "async",  "await", "break", "class", "continue", "def",
      "del",    "elif", "else",   "except", "finally", "for", "from",  "global",   "if",
      "import", "in",   "is",     "lambda", "nonlocal", "not", "or",   "pass",     "raise",
      "return", "try",  "while",  "with",   "yield"};
  for (const std::string_view k : words)
    if (k == word) return true;
  return false;
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
    // Code may hold what only unsigned integers can (`unsigned_literal`), or longer ones.
    std::uint64_t large = 0;
    const bool fits = std::from_chars(body.data(), end, large, base).ec == std::errc{};
    const std::string text = fits ? std::to_string(large) : std::string(digits);
    if (grammar_ == Grammar::Python || text == smallest_integer_digits)
      return Expr::leaf(Op::Opaque, text);
    lexer_.fail(offset, fmt::format("the integer {} does not fit into 64 bits", excerpt(digits)));
    return {};
  }
  if (error != std::errc{} || end != body.data() + body.size())
    lexer_.fail(offset, fmt::format("'{}' is no number", excerpt(digits)));
  return value;
}

Expr ExprParser::number_atom() {
  const Token t = token_;
  advance();
  // `1if c else 2` is Python; `1x` is not.
  const bool glued = token_.kind == Token::Kind::Name && token_.offset == t.offset + t.text.size();
  if (glued && grammar_ == Grammar::Typed && is_type_suffix(token_.text)) {
    advance();
  } else if (glued && !is_keyword(token_.text)) {
    fail_here(
        fmt::format("unexpected '{}' after the number {}", excerpt(token_.text), excerpt(t.text)));
  }
  if (t.kind == Token::Kind::Integer) {
    Expr e = integer(t.text, t.offset);
    if (failed()) token_ = {Token::Kind::End, {}, t.offset};
    return e;
  }
  if (t.kind == Token::Kind::Imaginary)
    return Expr::leaf(Op::Imaginary, std::string(t.text),
                      real(t.text.substr(0, t.text.size() - 1)));
  return Expr::leaf(Op::Float, std::string(t.text), real(t.text));
}

}  // namespace sdfg::detail
