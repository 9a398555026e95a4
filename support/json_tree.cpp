#include "support/json_tree.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sdfg::json {

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

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = char(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
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

namespace {

/// The string between other characters, in one piece, if it is short and has nothing to escape.
bool append_plain(std::string& out, std::string_view before, std::string_view text,
                  std::string_view after) {
  std::array<char, 64> piece;
  const std::size_t size = before.size() + text.size() + after.size();
  if (size > piece.size() || next_special(text, 0) != text.size()) return false;
  char* end = std::ranges::copy(before, piece.data()).out;
  end = std::ranges::copy(text, end).out;
  std::ranges::copy(after, end);
  out.append(piece.data(), size);
  return true;
}

}  // namespace

void append_key(std::string& out, std::string_view key, bool first) {
  const std::string_view before = first ? "\"" : ",\"";
  if (append_plain(out, before, key, "\":")) return;
  if (!first) out += ',';
  append_string(out, key);
  out += ':';
}

void append_string(std::string& out, std::string_view text) {
  if (append_plain(out, "\"", text, "\"")) return;  // nearly always
  out += '"';
  std::size_t plain = 0;
  const auto flush = [&](std::size_t to) { out.append(text.substr(plain, to - plain)); };
  for (std::size_t i = next_special(text, 0); i < text.size(); i = next_special(text, i)) {
    const auto c = static_cast<unsigned char>(text[i]);
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
    const std::size_t size = utf8_length(text, i);
    std::uint32_t code = 0xfffd;
    if (size) {
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

void append_int(std::string& out, std::int64_t value, bool quotes) {
  char text[24] = {'"'};
  char* end = std::to_chars(text + 1, text + sizeof text - 1, value).ptr;
  *end = '"';
  quotes ? out.append(text, end + 1) : out.append(text + 1, end);
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
