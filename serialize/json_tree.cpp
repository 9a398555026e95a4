#include "serialize/json_tree.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

#include <simdjson.h>

namespace sdfg::json {
namespace {

constexpr std::size_t max_depth = 200'000;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = char(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
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

/// Offset of the first malformed escape, or npos.
std::size_t bad_escape(std::string_view raw) {
  for (std::size_t i = raw.find('\\'); i < raw.size(); i = raw.find('\\', i)) {
    const char c = i + 1 < raw.size() ? raw[i + 1] : '\0';
    if (c == 'u') {
      for (std::size_t k = 2; k < 6; ++k)
        if (i + k >= raw.size() || hex_digit(raw[i + k]) < 0) return i;
      i += 6;
    } else if (std::strchr("\"\\/bfnrt", c) && c) {
      i += 2;
    } else {
      return i;
    }
  }
  return std::string_view::npos;
}

/// Where the text stops being UTF-8.
std::size_t first_bad_utf8(std::string_view text) {
  std::size_t good = 0;
  while (good < text.size()) {
    std::size_t chunk = std::min<std::size_t>(text.size() - good, 4096);
    // Do not cut a character in two.
    while (good + chunk < text.size() && (text[good + chunk] & 0xc0) == 0x80 && chunk > 4092)
      --chunk;
    if (!simdjson::validate_utf8(text.data() + good, chunk)) break;
    good += chunk;
  }
  for (std::size_t size = 1; good < text.size();) {
    size = std::min<std::size_t>({size, 4, text.size() - good});
    if (simdjson::validate_utf8(text.data() + good, size)) {
      good += size, size = 1;
    } else if (++size > 4 || good + size > text.size()) {
      break;
    }
  }
  return good;
}

/// What simdjson's first stage complains about, found again one byte at a time.
Diagnostic string_error(std::string_view text) {
  std::size_t open = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (open == std::string_view::npos) {
      if (text[i] == '"') open = i;
    } else if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      open = std::string_view::npos;
    } else if (static_cast<unsigned char>(text[i]) < 0x20) {
      return error_at(text, i, "a control character inside a string", "write it as \\u00XX");
    }
  }
  return error_at(text, open, "the string that begins here has no end");
}

}  // namespace

class Builder {
 public:
  Builder(std::string_view text, const std::uint32_t* structurals, std::size_t count)
      : text_(text), next_(structurals), end_(structurals + count) {}

  Result<Tree> build() {
    Tree tree;
    tree.text_ = text_;
    tree.nodes_.reserve(std::size_t(end_ - next_) / 3 + 4);
    nodes_ = &tree.nodes_;
    bool ok = value(0, 0, false);
    while (ok && !open_.empty()) {
      const std::uint32_t container = open_.back();
      const bool object = (*nodes_)[container].kind == std::uint32_t(Kind::Object);
      const bool first = (*nodes_)[container].count == 0;
      if (peek() == (object ? '}' : ']')) {
        close(container);
        continue;
      }
      if (!first) {
        if (peek() != ',') {
          ok = fail(object ? "expected ',' or '}'" : "expected ',' or ']'");
          break;
        }
        ++next_;
      }
      if ((*nodes_)[container].count < (1u << 28) - 1) ++(*nodes_)[container].count;
      ok = object ? member() : value(0, 0, false);
    }
    if (ok && next_ != end_) ok = fail("expected the end of the file");
    if (!ok) return *error_;
    tree.depth_ = depth_;
    return tree;
  }

 private:
  char peek() const { return next_ == end_ ? '\0' : text_[*next_]; }
  std::size_t token_begin() const { return next_ == end_ ? text_.size() : *next_; }
  /// End of the scalar that begins at the next structural.
  std::size_t token_end() const {
    std::size_t end = next_ + 1 == end_ ? text_.size() : next_[1];
    while (end > *next_ + 1 && is_space(text_[end - 1])) --end;
    return end;
  }
  bool fail(std::string message) {
    const std::size_t at = token_begin();
    if (at >= text_.size()) {
      message += ", found the end of the file";
    } else {
      std::string_view found = text_.substr(at, std::min<std::size_t>(token_end() - at, 20));
      message += ", found '" + std::string(found.substr(0, found.find('\n'))) + "'";
    }
    error_ = error_at(text_, at, std::move(message));
    return false;
  }
  void close(std::uint32_t container) {
    Tree::Node& node = (*nodes_)[container];
    node.end = *next_ + 1;
    node.skip = std::uint32_t(nodes_->size());
    open_.pop_back();
    ++next_;
  }

  bool member() {
    if (peek() != '"') return fail("expected a key in double quotes");
    const std::size_t begin = token_begin(), end = token_end();
    bool escaped;
    if (!check_string(begin, end, escaped)) return false;
    ++next_;
    if (peek() != ':') return fail("expected ':' after the key");
    ++next_;
    return value(std::uint32_t(begin + 1), std::uint32_t(end - begin - 2), escaped);
  }

  bool check_string(std::size_t begin, std::size_t end, bool& escaped) {
    // The first stage pairs quotes, so only white space can follow the closing one.
    const char* content = text_.data() + begin + 1;
    const std::size_t size = end - begin - 2;
    escaped = std::memchr(content, '\\', size) != nullptr;
    if (!escaped) return true;
    const std::size_t bad = bad_escape({content, size});
    if (bad == std::string_view::npos) return true;
    error_ = error_at(text_, begin + 1 + bad, "an escape that JSON does not have",
                      "the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    return false;
  }

  bool value(std::uint32_t key, std::uint32_t key_size, bool key_escaped) {
    if (next_ == end_) return fail("expected a value");
    Tree::Node node{};
    node.begin = *next_;
    node.key = key, node.key_size = key_size, node.key_escaped = key_escaped;
    node.skip = std::uint32_t(nodes_->size() + 1);
    const char c = text_[*next_];
    if (c == '{' || c == '[') {
      node.kind = std::uint32_t(c == '{' ? Kind::Object : Kind::Array);
      open_.push_back(std::uint32_t(nodes_->size()));
      depth_ = std::max(depth_, open_.size());
      if (open_.size() > max_depth) {
        error_ = error_at(text_, *next_,
                          "nested deeper than " + std::to_string(max_depth) + " levels");
        return false;
      }
      nodes_->push_back(node);
      ++next_;
      return true;
    }
    const std::size_t end = token_end();
    node.end = std::uint32_t(end);
    const std::string_view token = text_.substr(node.begin, end - node.begin);
    if (c == '"') {
      node.kind = std::uint32_t(Kind::String);
      bool escaped;
      if (!check_string(node.begin, end, escaped)) return false;
      node.escaped = escaped;
    } else if (is_number(token)) {
      node.kind = std::uint32_t(Kind::Number);
    } else if (token == "true") {
      node.kind = std::uint32_t(Kind::True);
    } else if (token == "false") {
      node.kind = std::uint32_t(Kind::False);
    } else if (token == "null") {
      node.kind = std::uint32_t(Kind::Null);
    } else {
      return fail("expected a value");
    }
    depth_ = std::max<std::size_t>(depth_, open_.size() + 1);
    nodes_->push_back(node);
    ++next_;
    return true;
  }

  std::string_view text_;
  const std::uint32_t* next_;
  const std::uint32_t* end_;
  std::vector<Tree::Node>* nodes_ = nullptr;
  std::vector<std::uint32_t> open_;
  std::size_t depth_ = 1;
  std::optional<Diagnostic> error_;
};

Result<Tree> Tree::parse(std::string_view text) {
  if (text.size() >= simdjson::SIMDJSON_MAXSIZE_BYTES - 64)
    return Diagnostic{"", "the text has " + std::to_string(text.size()) +
                              " bytes; more than 4 GiB cannot be read"};
  if (std::all_of(text.begin(), text.end(), is_space))
    return Diagnostic{"1:1", "expected a value, found an empty file"};
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
  simdjson::error_code code = simdjson::get_active_implementation()->create_dom_parser_implementation(
      text.size(), 1, parser);
  if (!code)
    code = parser->stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          simdjson::stage1_mode::regular);
  if (code == simdjson::UTF8_ERROR)
    return error_at(text, first_bad_utf8(text), "a byte that is not UTF-8");
  if (code == simdjson::UNCLOSED_STRING || code == simdjson::UNESCAPED_CHARS)
    return string_error(text);
  if (code) return Diagnostic{"1:1", std::string("not JSON: ") + simdjson::error_message(code)};
  return Builder(text, parser->structural_indexes.get(), parser->n_structural_indexes).build();
}

std::string Tree::path(Value value) const {
  // Values lie in text order, so the way down is the last child that begins at or before it.
  std::string out;
  std::uint32_t at = 0;
  while (at != value.at_) {
    const Value here{this, at};
    std::size_t index = 0;
    std::uint32_t child = at + 1;
    while (nodes_[child].skip <= value.at_) child = nodes_[child].skip, ++index;
    if (here.is_array()) {
      out += "[" + std::to_string(index) + "]";
    } else {
      if (!out.empty()) out += ".";
      out += Value{this, child}.key();
    }
    at = child;
  }
  return out;
}

Value Tree::at_offset(std::uint32_t begin) const {
  const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), begin,
                                      [](const Node& n, std::uint32_t at) { return n.begin < at; });
  if (found == nodes_.end() || found->begin != begin) return {};
  return {this, std::uint32_t(found - nodes_.begin())};
}

Value Value::find(std::string_view name) const {
  Value found;
  if (!is_object()) return found;
  for (Value member : *this)
    if (member.key_is(name)) found = member;
  return found;
}

std::string Value::key() const {
  return node().key_escaped ? unescape(raw_key()) : std::string(raw_key());
}
std::string Value::string() const {
  return has_escapes() ? unescape(raw_string()) : std::string(raw_string());
}

namespace {

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += char(c);
  } else if (c < 0x800) {
    out += char(0xc0 | c >> 6);
    out += char(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += char(0xe0 | c >> 12);
    out += char(0x80 | (c >> 6 & 0x3f));
    out += char(0x80 | (c & 0x3f));
  } else {
    out += char(0xf0 | c >> 18);
    out += char(0x80 | (c >> 12 & 0x3f));
    out += char(0x80 | (c >> 6 & 0x3f));
    out += char(0x80 | (c & 0x3f));
  }
}

std::uint32_t hex4(std::string_view raw, std::size_t at) {
  std::uint32_t c = 0;
  for (std::size_t k = 0; k < 4; ++k) c = c * 16 + std::uint32_t(hex_digit(raw[at + k]));
  return c;
}

void append_escape(std::string& out, std::uint32_t unit) {
  constexpr char digits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[unit >> shift & 15];
}

}  // namespace

std::string unescape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    switch (raw[++i]) {
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': {
        std::uint32_t c = hex4(raw, i + 1);
        i += 4;
        if (c >= 0xd800 && c < 0xdc00 && i + 6 < raw.size() && raw[i + 1] == '\\' &&
            raw[i + 2] == 'u') {
          const std::uint32_t low = hex4(raw, i + 3);
          if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            i += 6;
          }
        }
        append_utf8(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
        break;
      }
      default: out += raw[i];
    }
  }
  return out;
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;
  const auto flush = [&](std::size_t to) { out.append(text.substr(plain, to - plain)); };
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      ++i;
      continue;
    }
    flush(i);
    if (c < 0x80) {
      switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\b': out += "\\b"; break;
        case '\f': out += "\\f"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        default: append_escape(out, c);
      }
      plain = ++i;
      continue;
    }
    const std::size_t size = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 0;
    std::uint32_t code = 0xfffd;
    if (size && i + size <= text.size()) {
      code = c & (0x7fu >> size);
      for (std::size_t k = 1; k < size; ++k)
        code = code << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fu);
      i += size;
    } else {
      ++i;
    }
    if (code >= 0x10000) {
      append_escape(out, 0xd800 + ((code - 0x10000) >> 10));
      append_escape(out, 0xdc00 + ((code - 0x10000) & 0x3ff));
    } else {
      append_escape(out, code);
    }
    plain = i;
  }
  flush(text.size());
  out += '"';
}

void append_int(std::string& out, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

std::string describe(Value value) {
  switch (value.kind()) {
    case Kind::Null: return "null";
    case Kind::True:
    case Kind::False: return std::string(value.raw());
    case Kind::Number: return "the number " + std::string(value.raw().substr(0, 40));
    case Kind::String: {
      std::string text = value.string();
      if (text.size() > 40) {
        std::size_t end = 40;  // not within a character
        while ((text[end] & 0xc0) == 0x80) --end;
        text = text.substr(0, end) + "…";
      }
      return "the string '" + text + "'";
    }
    case Kind::Array: return "an array";
    case Kind::Object: return "an object";
  }
  return "a value";
}

}  // namespace sdfg::json
