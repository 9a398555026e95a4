#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/expr_internal.h"
#include "ir/lexer.h"

namespace sdfg::detail {

/// Is it one of Python's words? Internal to ir/.
bool is_keyword(std::string_view word);
/// Without its sign; as an integer of 64 bits it only exists with one.
inline constexpr std::string_view smallest_integer_digits = "9223372036854775808";

/// Reads expressions as written, with Python's precedence, in all three grammars. After an error
/// every function returns quickly; ask `failed()` at the end. Internal to ir/.
class ExprParser {
 public:
  ExprParser(std::string_view text, Grammar grammar, bool lines = false);

  Expr expression();
  /// One expression, or a tuple without brackets.
  Expr expression_list();
  /// Fails unless the text ends here.
  void expect_end();

  bool failed() const { return lexer_.failed(); }
  const Diagnostic& error() const { return lexer_.error(); }

 protected:
  const Token& token() const { return token_; }
  void advance() { token_ = lexer_.next(); }
  bool accept(std::string_view op);
  bool accept_word(std::string_view word);
  void expect(std::string_view op, std::string_view after = {});
  /// Records an error at the current token: "expected …, found …".
  void fail_expected(std::string_view what, std::string hint = {});
  void fail_here(std::string message, std::string hint = {});
  std::string found() const;

 private:
  Expr lambda();
  Expr binary(int level);
  Expr comparisons(Expr first);
  Expr unary();
  Expr power();
  Expr postfix();
  Expr call(const Expr& callee);
  Expr subscript(Expr base);
  Expr slice_or_expression();
  Expr atom();
  Expr bracketed();
  Expr list();
  Expr name_atom();
  Expr number_atom();
  Expr integer(std::string_view digits, std::size_t offset);
  Expr typed_symbol();
  bool starts_expression() const;
  Expr made(Op op, std::vector<Expr> arguments, std::string name = {});

  Lexer lexer_;
  Grammar grammar_;
  Token token_;
  std::uint32_t nesting_ = 0;
};

}  // namespace sdfg::detail
