#include <fmt/format.h>

#include "ir/code.h"
#include "ir/expr_parser.h"

namespace sdfg {
namespace {

using detail::ExprParser;
using detail::Grammar;
using detail::Token;

std::optional<Op> augmented_operator(std::string_view text) {
  static constexpr std::pair<std::string_view, Op> table[] = {
      {"+=", Op::Add},        {"-=", Op::Sub},         {"*=", Op::Mul},      {"/=", Op::Div},
      {"//=", Op::FloorDiv},  {"%=", Op::Mod},         {"**=", Op::Pow},     {"@=", Op::MatMul},
      {"<<=", Op::LeftShift}, {">>=", Op::RightShift}, {"&=", Op::BitAnd},   {"|=", Op::BitOr},
      {"^=", Op::BitXor}};
  for (const auto& [t, op] : table)
    if (t == text) return op;
  return std::nullopt;
}

bool is_target(const Expr& e) {
  if (e.is(Op::Symbol) || e.is(Op::Subscript) || e.is(Op::Attribute)) return true;
  if (!e.is(Op::Tuple) && !e.is(Op::List)) return false;
  for (const Expr& a : e.args())
    if (!is_target(a)) return false;
  return !e.args().empty();
}

class StatementParser : ExprParser {
 public:
  explicit StatementParser(std::string_view text) : ExprParser(text, Grammar::Python, true) {}

  ParsedCode parse() {
    ParsedCode out;
    while (!failed() && token().kind != Token::Kind::End) statement(out.statements);
    if (failed()) {
      out.statements.clear();
      out.error = error();
    }
    return out;
  }

 private:
  void statement(Statements& out) {
    if (token().kind == Token::Kind::Newline) return advance();
    if (token().kind == Token::Kind::Indent) return fail_here("unexpected indentation");
    if (token().is_word("if")) return if_statement(out);
    if (token().is_word("while")) return while_statement(out);
    if (token().is_word("for")) return for_statement(out);
    simple_statement(out);
  }

  void end_of_statement() {
    after_semicolon_ = false;
    if (token().kind == Token::Kind::Newline) {
      const bool semicolon = token().text == ";";
      advance();
      const bool line_goes_on = token().kind != Token::Kind::Newline &&
                                token().kind != Token::Kind::Dedent &&
                                token().kind != Token::Kind::End;
      after_semicolon_ = semicolon && line_goes_on;
    } else if (token().kind != Token::Kind::End && token().kind != Token::Kind::Dedent) {
      fail_expected("the end of the statement");
    }
  }

  void simple_statement(Statements& out) {
    for (const std::string_view word :
         {"def", "class", "import", "from", "with", "try", "raise", "assert", "del", "global",
          "nonlocal", "async", "yield", "await"}) {
      if (token().is_word(word))
        return fail_here(fmt::format("'{}' is not supported in the code of an SDFG", word));
    }
    if (accept_word("pass")) {
      out.push_back({PassStatement{}});
    } else if (accept_word("break")) {
      out.push_back({BreakStatement{}});
    } else if (accept_word("continue")) {
      out.push_back({ContinueStatement{}});
    } else if (accept_word("return")) {
      const bool bare = token().kind == Token::Kind::Newline || token().kind == Token::Kind::End;
      out.push_back({bare ? ReturnStatement{} : ReturnStatement{expression_list()}});
    } else {
      expression_or_assignment(out);
    }
    end_of_statement();
  }

  /// Call before reading on, so that the error points behind the target.
  void check_target(const Expr& target) {
    if (!is_target(target)) fail_here("cannot assign to this expression");
  }

  void expression_or_assignment(Statements& out) {
    Expr first = expression_list();
    if (token().is(":")) {
      check_target(first);
      advance();
      Expr annotation = expression();
      Expr value = accept("=") ? expression_list() : Expr::leaf(Op::None);
      out.push_back({Assign{std::move(first), std::move(value), {}, std::move(annotation)}});
    } else if (token().is("=")) {
      std::vector<Expr> targets;
      Expr value = std::move(first);
      while (token().is("=")) {
        check_target(value);
        advance();
        targets.push_back(std::move(value));
        value = expression_list();
      }
      // a = b = value: the value is computed once, and assigned from left to right.
      for (std::size_t i = 0; i < targets.size(); ++i)
        out.push_back(
            {Assign{targets[i], i > 0 && targets[0].is(Op::Symbol) ? targets[0] : value}});
    } else if (const auto op = token().kind == Token::Kind::Operator
                                   ? augmented_operator(token().text)
                                   : std::nullopt) {
      check_target(first);
      if (first.is(Op::Tuple) || first.is(Op::List))
        fail_here("an augmented assignment has one target");
      advance();
      out.push_back({Assign{std::move(first), expression_list(), op}});
    } else if (token().is(":=")) {
      fail_here("assignments inside expressions are not supported");
    } else {
      out.push_back({ExprStatement{std::move(first)}});
    }
  }

  Statements block() {
    expect(":");
    Statements body;
    if (token().kind != Token::Kind::Newline) {
      // `if c: a; b` runs both: the line ends where a Newline is not a `;`.
      for (bool more = true; more && !failed();) {
        simple_statement(body);
        more = after_semicolon_;
      }
      return body;
    }
    advance();
    while (token().kind == Token::Kind::Newline) advance();
    if (token().kind != Token::Kind::Indent) {
      fail_expected("an indented block");
      return body;
    }
    advance();
    while (!failed() && token().kind != Token::Kind::Dedent && token().kind != Token::Kind::End)
      statement(body);
    if (token().kind == Token::Kind::Dedent) advance();
    return body;
  }

  void if_statement(Statements& out) {
    advance();
    IfStatement s;
    s.condition = expression();
    s.then = block();
    if (token().is_word("elif")) {
      // Each elif is an if inside the else before it.
      if (++elif_depth_ > detail::max_nesting)
        return fail_here(fmt::format("more than {} 'elif' in a row", detail::max_nesting));
      if_statement(s.otherwise);
      --elif_depth_;
    } else if (accept_word("else")) {
      s.otherwise = block();
    }
    out.push_back({std::move(s)});
  }

  void while_statement(Statements& out) {
    advance();
    WhileStatement s;
    s.condition = expression();
    s.body = block();
    if (token().is_word("else")) fail_here("'else' after a loop is not supported");
    out.push_back({std::move(s)});
  }

  void for_statement(Statements& out) {
    advance();
    ForStatement s;
    s.target = target_list();
    check_target(s.target);
    if (!accept_word("in")) fail_expected("'in' of the for statement");
    s.iterable = expression_list();
    s.body = block();
    if (token().is_word("else")) fail_here("'else' after a loop is not supported");
    out.push_back({std::move(s)});
  }

  /// Names only: an expression would swallow the `in`.
  Expr target_list() {
    std::vector<Expr> names;
    while (token().kind == Token::Kind::Name && !token().is_word("in")) {
      names.push_back(Expr::symbol(token().text));
      advance();
      if (!accept(",")) break;
    }
    if (names.empty()) fail_expected("the name of a loop variable");
    return names.size() == 1 ? names[0] : Expr::make(Op::Tuple, std::move(names));
  }

  std::uint32_t elif_depth_ = 0;
  bool after_semicolon_ = false;  ///< the last statement ended in `;` and its line goes on
};

}  // namespace

ParsedCode parse_python_code(std::string_view text) { return StatementParser(text).parse(); }

Result<Expr> parse_python(std::string_view text) {
  ExprParser parser(text, Grammar::Python);
  Expr e = parser.expression_list();
  parser.expect_end();
  if (parser.failed()) return parser.error();
  return e;
}

}  // namespace sdfg
