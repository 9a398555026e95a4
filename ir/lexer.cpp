#include "ir/lexer.h"

#include <algorithm>

#include <fmt/format.h>

namespace sdfg::detail {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool hex_digit(char c) {
  return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Bytes of the well-formed UTF-8 sequence that starts here and is not ASCII; 0 if there is none.
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  if (s.empty() || byte(0) < 0xC2 || byte(0) > 0xF4) return 0;
  const std::size_t n = byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (s.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  return n;
}

constexpr std::size_t max_indents = 100;

}  // namespace

std::string excerpt(std::string_view text) {
  std::string out;
  const bool cut = text.size() > 60;
  for (char c : text.substr(0, cut ? 57 : 60)) {
    if (c == '\n')
      out += "\\n";
    else if (c < ' ' || c == 0x7f)  // char is signed: all bytes from 0x80 on are below ' '
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return cut ? out + "..." : out;
}

std::string position(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t line = std::size_t(std::count(before.begin(), before.end(), '\n'));
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  if (text.find('\n') == std::string_view::npos) return fmt::format("column {}", offset + 1);
  return fmt::format("line {}, column {}", line + 1, offset - start + 1);
}

Lexer::Lexer(std::string_view text, Grammar grammar, bool lines)
    : text_(text), grammar_(grammar), lines_(lines), at_line_start_(lines) {}

void Lexer::fail(std::size_t offset, std::string message, std::string hint) {
  if (failed_) return;
  failed_ = true;
  error_ = {.place = position(text_, offset), .message = std::move(message),
            .hint = std::move(hint)};
}

Token Lexer::token(Token::Kind kind, std::size_t start) {
  line_has_tokens_ = true;
  return {kind, text_.substr(start, at_ - start), start};
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool line_end = c == '\n' || c == '\r';
    if (c == ' ' || c == '\t' || c == '\f' || (line_end && (!lines_ || brackets_ > 0)))
      ++at_;
    else if (c == '#')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == '\\' && text_.substr(at_ + 1, 1) == "\n")
      at_ += 2;
    else if (c == '\\' && text_.substr(at_ + 1, 2) == "\r\n")
      at_ += 3;
    else
      break;
  }
}

/// Compares the indentation of a line with those around it; End when there is nothing to report.
Token Lexer::line_start() {
  at_line_start_ = false;
  std::size_t column = 0;
  for (;;) {  // skips blank lines and comments
    column = 0;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == ' ')
        ++column;
      else if (text_[at_] == '\t')
        column = column / 8 * 8 + 8;
      else
        break;
    }
    skip_blanks();
    if (at_ >= text_.size()) return {};
    if (text_[at_] != '\n' && text_[at_] != '\r') break;
    ++at_;
  }
  // The first line sets the indentation of the whole.
  if (indents_.empty()) {
    indents_.push_back(column);
    return {};
  }
  if (column > indents_.back()) {
    if (indents_.size() >= max_indents) {
      fail(at_, fmt::format("blocks are nested more than {} deep", max_indents));
      return {};
    }
    indents_.push_back(column);
    return {Token::Kind::Indent, {}, at_};
  }
  while (column < indents_.back() && indents_.size() > 1) {
    indents_.pop_back();
    ++pending_dedents_;
  }
  if (column != indents_.back()) fail(at_, "the indentation matches no outer block");
  return {};
}

Token Lexer::next() {
  if (failed_) return {Token::Kind::End, {}, at_};
  if (lines_) {
    if (at_line_start_ && brackets_ == 0) {
      if (const Token t = line_start(); t.kind != Token::Kind::End) return t;
      if (failed_) return {Token::Kind::End, {}, at_};
    }
    if (pending_dedents_ > 0) {
      --pending_dedents_;
      return {Token::Kind::Dedent, {}, at_};
    }
  }
  skip_blanks();
  if (at_ >= text_.size()) {
    if (lines_ && line_has_tokens_) {
      line_has_tokens_ = false;
      return {Token::Kind::Newline, {}, at_};
    }
    if (indents_.size() > 1) {
      indents_.pop_back();
      return {Token::Kind::Dedent, {}, at_};
    }
    return {Token::Kind::End, {}, at_};
  }
  const std::size_t start = at_;
  const char c = text_[at_];
  if (c == '\n' || c == '\r') {
    at_ += c == '\r' && text_.substr(at_ + 1, 1) == "\n" ? 2 : 1;
    at_line_start_ = true;
    line_has_tokens_ = false;
    return {Token::Kind::Newline, {}, start};
  }
  if (digit(c) || (c == '.' && start + 1 < text_.size() && digit(text_[start + 1])))
    return number(start);
  const auto letters = [&] {
    while (at_ < text_.size()) {
      if (ascii_letter(text_[at_]) || digit(text_[at_]))
        ++at_;
      else if (const std::size_t n = utf8_length(text_.substr(at_)))
        at_ += n;
      else
        break;
    }
  };
  if (ascii_letter(c) || utf8_length(text_.substr(at_)) > 0) {
    letters();
    const std::string_view word = text_.substr(start, at_ - start);
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"') && word.size() <= 2 &&
        word.find_first_not_of("rRbBuUfF") == std::string_view::npos)
      return string(start);
    return token(Token::Kind::Name, start);
  }
  if (c == '\'' || c == '"') return string(start);
  if (c == '$' && grammar_ == Grammar::Typed) {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '?')
      ++at_;
    else if (at_ < text_.size() && !digit(text_[at_]))
      letters();
    if (at_ == start + 1) {
      fail(at_, "expected the name of a symbol after '$'");
      return {Token::Kind::End, {}, at_};
    }
    Token t = token(Token::Kind::Symbol, start);
    t.text.remove_prefix(1);
    return t;
  }
  return operator_token(start);
}

Token Lexer::operator_token(std::size_t start) {
  static constexpr std::string_view operators[] = {
      "**=", "//=", "<<=", ">>=", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "->", "+=", "-=",
      "*=",  "/=",  "%=",  "@=",  "&=", "|=", "^=", ":=", "+",  "-",  "*",  "/",  "%",  "@",  "&",
      "|",   "^",   "~",   "<",   ">",  "=",  "(",  ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",
      ";",   "?"};
  const std::string_view rest = text_.substr(start);
  for (const std::string_view op : operators) {
    if (op.front() != rest.front() || !rest.starts_with(op)) continue;
    at_ += op.size();
    if (op == "(" || op == "[" || op == "{") ++brackets_;
    if (op == ")" || op == "]" || op == "}") brackets_ = std::max(0, brackets_ - 1);
    if (op == ";" && lines_) return {Token::Kind::Newline, rest.substr(0, 1), start};
    return token(Token::Kind::Operator, start);
  }
  fail(start, fmt::format("unexpected character '{}'", excerpt(rest.substr(0, 1))));
  return {Token::Kind::End, {}, start};
}

Token Lexer::number(std::size_t start) {
  const auto run = [&](auto accepts) {
    while (at_ < text_.size() &&
           (accepts(text_[at_]) ||
            (text_[at_] == '_' && at_ + 1 < text_.size() && accepts(text_[at_ + 1]))))
      ++at_;
  };
  const char prefix = text_.size() > start + 1 && text_[start] == '0' ? text_[start + 1] | 0x20 : 0;
  if (prefix == 'x' || prefix == 'o' || prefix == 'b') {
    at_ += 2;
    run(hex_digit);
    return token(Token::Kind::Integer, start);
  }
  Token::Kind kind = Token::Kind::Integer;
  run(digit);
  if (at_ < text_.size() && text_[at_] == '.') {
    kind = Token::Kind::Float;
    ++at_;
    run(digit);
  }
  if (at_ < text_.size() && (text_[at_] | 0x20) == 'e') {
    std::size_t digits = at_ + 1;
    if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
    // In TYPED text a suffix may follow at once, as in 1e4m3fn: only e and digits are an exponent.
    const bool suffix = grammar_ == Grammar::Typed && (text_.substr(at_).starts_with("e4m3fn") ||
                                                       text_.substr(at_).starts_with("e5m2"));
    if (!suffix && digits < text_.size() && digit(text_[digits])) {
      kind = Token::Kind::Float;
      at_ = digits;
      run(digit);
    }
  }
  if (at_ < text_.size() && (text_[at_] | 0x20) == 'j') {
    kind = Token::Kind::Imaginary;
    ++at_;
  }
  return token(kind, start);
}

Token Lexer::string(std::size_t start) {
  const std::string_view prefix = text_.substr(start, at_ - start);
  if (prefix.find_first_of("fF") != std::string_view::npos)
    fail(start, "f-strings are not supported", "write a plain string");
  const char q = text_[at_];
  const bool raw = prefix.find_first_of("rR") != std::string_view::npos;
  const std::string triple(3, q);
  const bool long_form = text_.substr(at_).starts_with(triple);
  at_ += long_form ? 3 : 1;
  while (at_ < text_.size()) {
    if (text_[at_] == '\\' && !(raw && at_ + 1 >= text_.size())) {
      at_ += 2;
    } else if (long_form ? text_.substr(at_).starts_with(triple) : text_[at_] == q) {
      at_ += long_form ? 3 : 1;
      return token(Token::Kind::String, start);
    } else if (text_[at_] == '\n' && !long_form) {
      break;
    } else {
      ++at_;
    }
  }
  at_ = std::min(at_, text_.size());
  fail(start, "the string does not end");
  return {Token::Kind::End, {}, start};
}

namespace {
void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += char(c);
  } else if (c < 0x800) {
    out += char(0xC0 | (c >> 6));
    out += char(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += char(0xE0 | (c >> 12));
    out += char(0x80 | ((c >> 6) & 0x3F));
    out += char(0x80 | (c & 0x3F));
  } else {
    out += char(0xF0 | (c >> 18));
    out += char(0x80 | ((c >> 12) & 0x3F));
    out += char(0x80 | ((c >> 6) & 0x3F));
    out += char(0x80 | (c & 0x3F));
  }
}
}  // namespace

Result<std::string> unquote(std::string_view literal) {
  const std::size_t open = literal.find_first_of("'\"");
  const bool raw = literal.substr(0, open).find_first_of("rR") != std::string_view::npos;
  const bool long_form = literal.size() >= open + 6 && literal[open + 1] == literal[open] &&
                         literal[open + 2] == literal[open];
  const std::size_t width = long_form ? 3 : 1;
  const std::string_view body = literal.substr(open + width, literal.size() - open - 2 * width);
  if (raw || body.find('\\') == std::string_view::npos) return std::string(body);
  std::string out;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out += body[i];
      continue;
    }
    const char c = body[++i];
    static constexpr std::string_view letters = "nrtabfv\\'\"", values = "\n\r\t\a\b\f\v\\'\"";
    const auto number = [&](std::size_t digits, unsigned base) -> std::optional<std::uint32_t> {
      std::uint32_t v = 0;
      std::size_t n = 0;
      for (; n < digits && i + 1 < body.size(); ++n, ++i) {
        const char d = body[i + 1];
        const unsigned x = digit(d)       ? unsigned(d - '0')
                           : hex_digit(d) ? unsigned((d | 32) - 'a' + 10)
                                          : 99;
        if (x >= base) break;
        v = v * base + x;
      }
      if (n == 0 || (base == 16 && n < digits) || v > 0x10FFFF) return std::nullopt;
      return v;
    };
    std::optional<std::uint32_t> code;
    if (const std::size_t k = letters.find(c); k != std::string_view::npos) {
      out += values[k];
      continue;
    }
    if (c == '\n') continue;
    if (c == 'x' || c == 'u' || c == 'U') {
      code = number(c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
    } else if (c >= '0' && c <= '7') {
      --i;
      code = number(3, 8);
    } else {
      (out += '\\') += c;
      continue;
    }
    if (!code) return Diagnostic{.place = {}, .message = "bad escape in a string"};
    append_utf8(out, *code);
  }
  return out;
}

std::string quote(std::string_view content) {
  const bool apostrophe = content.find('\'') != std::string_view::npos;
  const char q = apostrophe && content.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out(1, q);
  for (char c : content) {
    if (c == q || c == '\\') (out += '\\') += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (c == '\t') out += "\\t";
    else if ((c >= 0 && c < ' ') || c == 0x7f) out += fmt::format("\\x{:02x}", unsigned(c));
    else out += c;
  }
  return out += q;
}

}  // namespace sdfg::detail
