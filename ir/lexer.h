#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

// Tokens of Python code and of both symbolic dialects; internal to ir/.

namespace sdfg::detail {

/// Which language is read. Plain and Typed are the symbolic dialects.
enum class Grammar : std::uint8_t { Python, Plain, Typed };

struct Token {
  enum class Kind : std::uint8_t {
    End,
    Newline,  ///< of a logical line; also `;`
    Indent,
    Dedent,
    Name,
    Integer,
    Float,
    Imaginary,
    String,
    Symbol,  ///< TYPED `$N`: the text is N
    Operator
  };
  Kind kind = Kind::End;
  std::string_view text;   ///< as written; of a String the whole literal
  std::size_t offset = 0;  ///< of the first byte in the whole text

  bool is(std::string_view op) const { return kind == Kind::Operator && text == op; }
  bool is_word(std::string_view word) const { return kind == Kind::Name && text == word; }
};

/// Splits text into tokens, one at a time. After an error only End comes.
class Lexer {
 public:
  /// `lines`: report line ends and indentation outside of brackets, as statements need.
  Lexer(std::string_view text, Grammar grammar, bool lines);

  Token next();
  bool failed() const { return failed_; }
  const Diagnostic& error() const { return error_; }
  /// Records the first error.
  void fail(std::size_t offset, std::string message, std::string hint = {});
  std::string_view source() const { return text_; }

 private:
  Token line_start();
  Token number(std::size_t start);
  Token string(std::size_t start);
  Token operator_token(std::size_t start);
  Token token(Token::Kind kind, std::size_t start);
  void skip_blanks();

  std::string_view text_;
  Grammar grammar_;
  bool lines_;
  bool at_line_start_;
  bool line_has_tokens_ = false;
  bool failed_ = false;
  int brackets_ = 0;
  int pending_dedents_ = 0;
  std::size_t at_ = 0;
  std::vector<std::size_t> indents_;
  Diagnostic error_;
};

/// A piece of the text for messages: at most 60 bytes, control and non-ASCII bytes escaped.
std::string excerpt(std::string_view text);
/// "column 5", or "line 2, column 5" when there are several lines. Both count from 1.
std::string position(std::string_view text, std::size_t offset);
/// The content of a string literal (prefix and quotes included).
Result<std::string> unquote(std::string_view literal);
/// Python's repr.
std::string quote(std::string_view content);

}  // namespace sdfg::detail
