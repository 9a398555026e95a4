#include "ir/parse_value.h"

#include <algorithm>
#include <charconv>

#include "support/text.h"

namespace sdfg::detail {
namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

// ---- Errors.

void TextReader::fail(std::size_t at, std::string message, std::string hint) {
  if (!error_) {
    at = std::min(at, text_.size());
    const std::string_view before = text_.substr(0, at);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    error_ = Diagnostic{std::to_string(line) + ":" + std::to_string(at - start + 1),
                        std::move(message), std::move(hint)};
  }
  at_ = text_.size();
  indent_ = 0;
}

void TextReader::expected(std::string_view what) {
  if (!ok()) return;
  const std::size_t at = skip();
  std::string found, hint;
  if (at == text_.size()) {
    found = "the end of the text";
  } else if (text_[at] == '\n') {
    found = "the end of the line";
  } else if (text_[at] == '\t') {
    found = "a tab";
    hint = "only blanks indent";
  } else {
    std::size_t end = at + 1;
    if (is_word_char(text_[at]))
      while (end < text_.size() && end - at < 40 && is_word_char(text_[end])) ++end;
    found = "'" + std::string(text_.substr(at, end - at)) + "'";
  }
  fail(at, "expected " + std::string(what) + ", found " + found, std::move(hint));
}

void TextReader::unknown_word(std::size_t at, std::string_view word,
                              std::vector<std::string_view> all) {
  if (word.empty()) {
    at_ = at;
    return expected("a word");
  }
  const std::string_view near = nearest(word, all);
  std::string hint = "did you mean '" + std::string(near) + "'?";
  if (near.empty()) {
    hint = "expected one of";
    for (std::string_view one : all) hint += (one == all.front() ? " " : ", ") + std::string(one);
  }
  fail(at, "unknown value '" + std::string(word) + "'", hint);
}

void TextReader::unknown_key(std::size_t at, std::string_view key) {
  const std::string_view near = nearest(key, candidates_);
  std::string hint;
  if (!near.empty()) hint = "did you mean '" + std::string(near) + "'?";
  fail(at, "there is no property '" + std::string(key) + "' here", hint);
}

// ---- Lines.

void TextReader::next_line() {
  while (at_ < text_.size()) {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ == text_.size()) break;
    if (text_[at_] == '\n') {
      ++at_;
      continue;
    }
    if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      continue;
    }
    indent_ = at_ - start;
    if (text_[at_] == '@') {
      ++at_;
      indent_ = number();
      skip();
    }
    return;
  }
  indent_ = 0;
}

bool TextReader::at_line_end() {
  skip();
  return at_end() || text_[at_] == '\n';
}

void TextReader::end_line() {
  if (!at_line_end()) return expected("the end of the line");
  if (!at_end()) ++at_;
  next_line();
}

// ---- Tokens.

std::size_t TextReader::skip() {
  while (at_ < text_.size() && (text_[at_] == ' ' || (depth_ > 0 && text_[at_] == '\n'))) ++at_;
  return at_;
}

bool TextReader::peek(std::string_view token) {
  const std::string_view rest = text_.substr(skip());
  if (!rest.starts_with(token)) return false;
  return !is_word_char(token.back()) || rest.size() == token.size() ||
         !is_word_char(rest[token.size()]);
}

bool TextReader::accept(std::string_view token) {
  if (!peek(token)) return false;
  at_ += token.size();
  return true;
}

bool TextReader::accept_prefix(char c) {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void TextReader::expect(std::string_view token) {
  if (!accept(token)) expected("'" + std::string(token) + "'");
}

std::string_view TextReader::word() {
  const std::size_t start = skip();
  while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
  return text_.substr(start, at_ - start);
}

bool TextReader::at_name() {
  skip();
  if (at_end()) return false;
  const char c = text_[at_];
  if (c == '"') return true;
  if (!is_word_char(c)) return false;
  std::size_t end = at_;
  while (end < text_.size() && (is_word_char(text_[end]) || text_[end] == '.')) ++end;
  return is_bare_name(text_.substr(at_, end - at_));
}

std::string TextReader::name() {
  if (!at_name()) {
    expected("a name");
    return {};
  }
  if (text_[at_] == '"') return string();
  const std::size_t start = at_;
  while (at_ < text_.size() && (is_word_char(text_[at_]) || text_[at_] == '.')) ++at_;
  return std::string(text_.substr(start, at_ - start));
}

std::string TextReader::string() {
  const std::size_t start = skip();
  if (!peek("\"")) {
    expected("a text in double quotes");
    return {};
  }
  std::string out;
  for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      return out;
    }
    if (c != '\\') {
      out += c;
      continue;
    }
    if (++at_ == text_.size()) break;
    switch (text_[at_]) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case '"':
        out += '"';
        break;
      case '\\':
        out += '\\';
        break;
      case 'x': {
        unsigned code = 0;
        const std::string_view digits = text_.substr(at_ + 1, 2);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (error != std::errc() || end != digits.data() + 2) {
          fail(at_ - 1, "expected two hexadecimal digits after \\x");
          return {};
        }
        out += char(code);
        at_ += 2;
        break;
      }
      default:
        fail(at_ - 1, "unknown escape in a text", "known are \\n, \\t, \\r, \\\", \\\\ and \\xNN");
        return {};
    }
  }
  fail(start, "the text in quotes does not end on its line");
  return {};
}

std::uint32_t TextReader::number() {
  const std::size_t start = skip();
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(text_.data() + start, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) {
    fail(start, "the number is too large");
  } else if (error != std::errc()) {
    expected("a number");
  } else {
    at_ = std::size_t(end - text_.data());
  }
  return ok() ? value : 0;
}

std::int64_t TextReader::integer() {
  const std::size_t start = skip();
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text_.data() + start, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) {
    fail(start, "the number is too large");
  } else if (error != std::errc()) {
    expected("a number");
  } else {
    at_ = std::size_t(end - text_.data());
  }
  return ok() ? value : 0;
}

void TextReader::value(bool& b) {
  b = accept("true");
  if (!b && !accept("false")) expected("true or false");
}

// ---- Expressions and code.

Expr TextReader::parsed(std::size_t at, std::string_view text, bool python) {
  const Result<Expr> result = python ? parse_python(text) : parse_symbolic(text, Dialect::Plain);
  if (result) return *result;
  fail(at,
       "cannot read the expression '" + std::string(text.substr(0, 80)) +
           "': " + result.error().message,
       result.error().hint);
  return {};
}

Expr TextReader::expr(std::string_view stops) {
  const std::size_t start = skip();
  if (accept("opaque")) return Expr::leaf(Op::Opaque, string());
  if (peek("\"")) return parsed(start, string(), false);
  at_ = bare_end(text_, start, stops);
  const std::string_view text = text_.substr(start, at_ - start);
  if (text.empty()) {
    expected("an expression");
    return {};
  }
  if (const auto known = expressions_.find(text); known != expressions_.end()) return known->second;
  Expr result = parsed(start, text, false);
  if (ok()) expressions_.emplace(text, result);
  return result;
}

Expr TextReader::python() {
  const std::size_t start = skip();
  if (accept("opaque")) return Expr::leaf(Op::Opaque, string());
  if (peek("\"")) return parsed(start, string(), true);
  at_ = bare_end(text_, start);
  if (at_ == start) {
    expected("an expression");
    return {};
  }
  return parsed(start, text_.substr(start, at_ - start), true);
}

Range TextReader::range() {
  constexpr std::string_view stops = ",:";
  Range r;
  if (accept("<")) {
    constexpr std::string_view angle_stops = ",>";
    r.begin = expr(angle_stops), expect(",");
    r.end = expr(angle_stops), expect(",");
    r.step = expr(angle_stops), expect(",");
    r.tile = expr(angle_stops), expect(">");
    return r;
  }
  r.begin = expr(stops);
  r.end = r.begin;
  if (!accept(":")) return r;
  r.end = expr(stops) - 1;
  if (!accept(":")) return r;
  r.step = expr(stops);
  if (accept(":")) r.tile = expr(stops);
  return r;
}

Subset TextReader::subset() {
  Subset s;
  list("[", "]", [&] { s.ranges.push_back(range()); });
  return s;
}

Code TextReader::code() {
  Language language = Language::Python;
  if (!peek("\"")) language = Language(one_of(names<Language>));
  return Code(string(), language);
}

bool TextReader::code_head(Code& c, Language& language) {
  if (!peek("\"") && !peek("|")) language = Language(one_of(names<Language>));
  if (accept("|")) return true;
  c = Code(string(), language);
  return false;
}

std::string TextReader::here_block() {
  if (!at_line_end()) {
    expected("the end of the line");
    return {};
  }
  std::string out;
  bool first = true;
  while (at_ < text_.size()) {
    const std::size_t bar = text_.find_first_not_of(' ', at_ + 1);
    if (bar == std::string_view::npos || text_[bar] != '|') break;
    std::size_t begin = bar + 1;
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    if (begin < end && text_[begin] == ' ') ++begin;
    if (!first) out += '\n';
    first = false;
    out += text_.substr(begin, end - begin);
    at_ = end;
  }
  if (first) fail(at_, "expected lines of code that start with '|'");
  return out;
}

std::string TextReader::json() {
  const std::size_t start = skip();
  if (accept("raw")) return string();
  at_ = json_end(text_, start);
  if (at_ == start) expected("a JSON value on one line");
  return ok() ? std::string(text_.substr(start, at_ - start)) : std::string();
}

Extras TextReader::extras() {
  Extras all;
  entries([&](const std::string& key) {
    all.emplace_back(key, json());
    return true;
  });
  return all;
}

}  // namespace sdfg::detail
