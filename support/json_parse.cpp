#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "support/json_tree.h"

// Reads JSON in one pass over its bytes; strings, which are most of them, eight bytes at a time.

namespace sdfg::json {
namespace {

constexpr std::size_t max_depth = 200'000;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) {
  const char lower = char(c | 0x20);
  return is_digit(c) || (lower >= 'a' && lower <= 'f');
}
bool is_structural(char c) {
  return c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',' || c == '"';
}

Diagnostic error_at(std::string_view text, std::size_t offset, std::string message,
                    std::string hint = {}) {
  offset = std::min(offset, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(offset), '\n');
  const std::size_t line_start = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  return {std::to_string(line) + ":" + std::to_string(offset - line_start + 1), std::move(message),
          std::move(hint)};
}

bool is_number(std::string_view t) {
  if (t == "NaN" || t == "Infinity" || t == "-Infinity") return true;
  std::size_t i = t.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < t.size() && is_digit(t[i])) ++i;
    return i > from;
  };
  if (i < t.size() && t[i] == '0')
    ++i;
  else if (!digits())
    return false;
  if (i < t.size() && t[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < t.size() && (t[i] == 'e' || t[i] == 'E')) {
    ++i;
    if (i < t.size() && (t[i] == '+' || t[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == t.size();
}

/// The length of the escape that begins at the backslash, or 0.
std::size_t escape_length(std::string_view text, std::size_t at) {
  const char c = at + 1 < text.size() ? text[at + 1] : '\0';
  if (c == 'u') {
    for (std::size_t k = 2; k < 6; ++k)
      if (at + k >= text.size() || !is_hex(text[at + k])) return 0;
    return 6;
  }
  return c && std::strchr("\"\\/bfnrt", c) ? 2 : 0;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2
                         : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
    return 0;
  return size;
}

namespace {

/// The high bit of each byte that is special, and perhaps of some above the lowest such.
std::uint64_t special_bytes(std::uint64_t x) {
  constexpr std::uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  // A byte of y is 0 where x has the character; y - 1 then borrows, and so does x - 0x20 below it.
  // x + 1 has the high bit from 0x7f on.
  const std::uint64_t quote = x ^ (ones * '"'), slash = x ^ (ones * '\\');
  return (((quote - ones) & ~quote) | ((slash - ones) & ~slash) | ((x - ones * 0x20) & ~x) |
          (x + ones) | x) &
         highs;
}

template <class Word>
std::uint64_t load_word(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Has the text, of less than 16 bytes, none? Longer than 3 bytes it is two words that may overlap.
bool all_plain(const char* text, std::size_t size) {
  if (size >= 8)
    return !special_bytes(load_word<std::uint64_t>(text)) &&
           !special_bytes(load_word<std::uint64_t>(text + size - 8));
  if (size >= 4)
    return !special_bytes(load_word<std::uint32_t>(text) << 32 |
                          load_word<std::uint32_t>(text + size - 4));
  return size == 0;
}

}  // namespace

std::size_t next_special(std::string_view text, std::size_t at) {
#ifdef __SSE2__
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const auto is = [&](char c) { return _mm_cmpeq_epi8(x, _mm_set1_epi8(c)); };
    // Bytes are signed here: those from 0x80 on are below 0x20, too.
    const __m128i low = _mm_cmplt_epi8(x, _mm_set1_epi8(0x20));
    const __m128i found =
        _mm_or_si128(_mm_or_si128(is('"'), is('\\')), _mm_or_si128(is(0x7f), low));
    if (const auto mask = unsigned(_mm_movemask_epi8(found)))
      return at + std::size_t(std::countr_zero(mask));
  }
#else
  while (at + 8 <= text.size() && !special_bytes(load_word<std::uint64_t>(text.data() + at)))
    at += 8;
#endif
  if (text.size() - at < 16 && all_plain(text.data() + at, text.size() - at)) return text.size();
  for (; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') break;
  }
  return at;
}

class Builder {
 public:
  explicit Builder(std::string_view text) : text_(text) {}

  Result<Tree> build() {
    Tree tree;
    tree.text_ = text_;
    tree.nodes_.reserve(text_.size() / 16 + 4);
    nodes_ = &tree.nodes_;
    skip_space();
    bool ok = value({});
    while (ok && !open_.empty()) ok = next_child();
    if (ok && at_ != text_.size()) ok = fail("expected the end of the file");
    if (!ok) return *error_;
    tree.depth_ = depth_;
    return tree;
  }

 private:
  struct Key {
    std::uint32_t begin = 0, size = 0;
    bool escaped = false;
  };

  char peek() const { return at_ == text_.size() ? '\0' : text_[at_]; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  void advance() {
    ++at_;
    skip_space();
  }
  /// End of a number or word.
  std::size_t word_end() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && !is_space(text_[end]) && !is_structural(text_[end])) ++end;
    return end;
  }

  bool fail_at(std::size_t at, std::string message, std::string hint = {}) {
    error_ = error_at(text_, at, std::move(message), std::move(hint));
    return false;
  }
  /// At the next token, which the message shows.
  bool fail(std::string message) {
    if (at_ >= text_.size()) return fail_at(at_, message + ", found the end of the file");
    std::size_t end = is_structural(text_[at_]) ? at_ + 1 : word_end();
    if (text_[at_] == '"') end = std::min(text_.find('"', end), text_.size() - 1) + 1;
    const std::string_view found = text_.substr(at_, std::min<std::size_t>(end - at_, 20));
    return fail_at(at_,
                   message + ", found '" + std::string(found.substr(0, found.find('\n'))) + "'");
  }

  /// The next member or item of the innermost open container, or its end.
  bool next_child() {
    const std::uint32_t container = open_.back();
    Tree::Node& node = (*nodes_)[container];
    const bool object = node.kind == std::uint32_t(Kind::Object);
    if (peek() == (object ? '}' : ']')) {
      node.end = std::uint32_t(at_ + 1);
      node.skip = std::uint32_t(nodes_->size());
      open_.pop_back();
      advance();
      return true;
    }
    if (node.count > 0) {
      if (peek() != ',') return fail(object ? "expected ',' or '}'" : "expected ',' or ']'");
      advance();
    }
    if (node.count < (1u << 28) - 1) ++node.count;
    return object ? member() : value({});
  }

  bool member() {
    if (peek() != '"') return fail("expected a key in double quotes");
    const std::size_t begin = at_;
    Key key{std::uint32_t(begin + 1), 0, false};
    if (!string(key.escaped)) return false;
    key.size = std::uint32_t(at_ - begin - 2);
    skip_space();
    if (peek() != ':') return fail("expected ':' after the key");
    advance();
    return value(key);
  }

  /// Passes over a string and its quotes.
  bool string(bool& escaped) {
    const std::size_t begin = at_;
    escaped = false;
    for (std::size_t at = next_special(text_, begin + 1); at < text_.size();
         at = next_special(text_, at)) {
      const auto c = static_cast<unsigned char>(text_[at]);
      if (c == '"') return at_ = at + 1, true;
      if (c == '\\') {
        const std::size_t length = escape_length(text_, at);
        // A backslash at the end of the text hides the quote that is missing.
        if (!length && at + 1 < text_.size())
          return fail_at(at, "an escape that JSON does not have",
                         "the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
        escaped = true;
        at += std::max<std::size_t>(length, 1);
      } else if (c < 0x20) {
        return fail_at(at, "a control character inside a string", "write it as \\u00XX");
      } else {
        const std::size_t length = utf8_length(text_, at);
        if (!length) return fail_at(at, "a byte that is not UTF-8");
        at += length;
      }
    }
    return fail_at(begin, "the string that begins here has no end");
  }

  bool value(const Key& key) {
    if (at_ == text_.size()) return fail("expected a value");
    Tree::Node node{};
    node.begin = std::uint32_t(at_);
    node.key = key.begin, node.key_size = key.size, node.key_escaped = key.escaped;
    node.skip = std::uint32_t(nodes_->size() + 1);
    const char c = text_[at_];
    if (c == '{' || c == '[') {
      node.kind = std::uint32_t(c == '{' ? Kind::Object : Kind::Array);
      open_.push_back(std::uint32_t(nodes_->size()));
      depth_ = std::max(depth_, open_.size());
      if (open_.size() > max_depth)
        return fail_at(at_, "nested deeper than " + std::to_string(max_depth) + " levels");
      nodes_->push_back(node);
      advance();
      return true;
    }
    if (c == '"') {
      node.kind = std::uint32_t(Kind::String);
      bool escaped;
      if (!string(escaped)) return false;
      node.escaped = escaped;
    } else {
      const std::size_t end = word_end();
      const auto kind = kind_of(text_.substr(at_, end - at_));
      if (!kind) {
        if (static_cast<unsigned char>(c) >= 0x80 && !utf8_length(text_, at_))
          return fail_at(at_, "a byte that is not UTF-8");
        return fail("expected a value");
      }
      node.kind = std::uint32_t(*kind);
      at_ = end;
    }
    node.end = std::uint32_t(at_);
    depth_ = std::max<std::size_t>(depth_, open_.size() + 1);
    nodes_->push_back(node);
    skip_space();
    return true;
  }

  static std::optional<Kind> kind_of(std::string_view token) {
    if (is_number(token)) return Kind::Number;
    if (token == "true") return Kind::True;
    if (token == "false") return Kind::False;
    if (token == "null") return Kind::Null;
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Tree::Node>* nodes_ = nullptr;
  std::vector<std::uint32_t> open_;
  std::size_t depth_ = 1;
  std::optional<Diagnostic> error_;
};

Result<Tree> Tree::parse(std::string_view text) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max() - 64)
    return Diagnostic{"", "the text has " + std::to_string(text.size()) +
                              " bytes; more than 4 GiB cannot be read"};
  if (std::all_of(text.begin(), text.end(), is_space))
    return Diagnostic{"1:1", "expected a value, found an empty file"};
  return Builder(text).build();
}

}  // namespace sdfg::json
