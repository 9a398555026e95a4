#include "ir/print_value.h"

#include <charconv>

namespace sdfg::detail {
namespace {

constexpr std::size_t page_width = 100;

}  // namespace

void TextWriter::begin_line(std::size_t indent) {
  line_start_ = out_.size();
  indent_ = std::min(indent, max_indentation);
  if (indent <= max_indentation) {
    out_.append(indent, ' ');
  } else {
    out_ += '@';
    integer(indent);
    out_ += ' ';
  }
  item_start_ = out_.size();
}

bool TextWriter::fits(std::size_t characters) const {
  return one_line ||
         out_.size() - line_start_ + characters <= std::max(page_width, indent_ + page_width / 2);
}

void TextWriter::end_item() {
  if (!fits(0)) {
    for (std::size_t i = 0; i < open_items_.size(); ++i) {
      std::size_t start = open_items_[i];
      if (start <= item_start_) continue;
      const std::size_t before = out_.size();
      if (out_[start - 1] == ' ') out_.erase(--start, 1);
      out_.insert(start, "\n" + std::string(indent_ + 4, ' '));
      line_start_ = start + 1;
      item_start_ = line_start_ + indent_ + 4;
      for (; i < open_items_.size(); ++i) open_items_[i] += out_.size() - before;
    }
  }
  open_items_.pop_back();
}

void TextWriter::integer(std::uint64_t i) {
  char digits[24];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, i).ptr);
}
void TextWriter::value(std::int64_t i) {
  char digits[24];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, i).ptr);
}

void TextWriter::name(std::string_view s) {
  if (is_bare_name(s))
    out_ += s;
  else
    quoted(s);
}

void TextWriter::quoted(std::string_view s) {
  out_ += '"';
  for (const char c : s) {
    switch (c) {
      case '"':
        out_ += "\\\"";
        break;
      case '\\':
        out_ += "\\\\";
        break;
      case '\n':
        out_ += "\\n";
        break;
      case '\t':
        out_ += "\\t";
        break;
      case '\r':
        out_ += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          constexpr std::string_view hex = "0123456789abcdef";
          out_ += "\\x";
          out_ += hex[static_cast<unsigned char>(c) >> 4];
          out_ += hex[c & 15];
        } else {
          out_ += c;
        }
    }
  }
  out_ += '"';
}

void TextWriter::expr(const Expr& e, std::string_view stops) {
  if (e.is(Op::Opaque)) {
    out_ += "opaque ";
    return quoted(e.name());
  }
  if (e.is(Op::Symbol) && is_bare_name(e.name())) {
    out_ += e.name();
    return;
  }
  const std::string plain = to_text(e);
  if (is_bare_expr(plain, stops))
    out_ += plain;
  else
    quoted(plain);
}

void TextWriter::python(const Expr& e) {
  if (e.is(Op::Opaque)) return expr(e);
  const std::string plain = print_python(e);
  if (is_bare_expr(plain))
    out_ += plain;
  else
    quoted(plain);
}

void TextWriter::range(const Range& r) {
  constexpr std::string_view stops = ",:";
  const bool whole = r.step == Expr(1) && r.tile == Expr(1);
  if (has_opaque(r.begin) || has_opaque(r.end) || has_opaque(r.step) || has_opaque(r.tile)) {
    // The exclusive end of unreadable text cannot be computed, so all four parts are given.
    out_ += '<';
    constexpr std::string_view angle_stops = ",>";
    expr(r.begin, angle_stops), out_ += ", ";
    expr(r.end, angle_stops), out_ += ", ";
    expr(r.step, angle_stops), out_ += ", ";
    expr(r.tile, angle_stops), out_ += '>';
    return;
  }
  expr(r.begin, stops);
  if (r.is_index() && whole) return;
  out_ += ':';
  expr(r.end + 1, stops);
  if (whole) return;
  out_ += ':';
  expr(r.step, stops);
  if (r.tile == Expr(1)) return;
  out_ += ':';
  expr(r.tile, stops);
}

void TextWriter::subset(const Subset& s) {
  out_ += '[';
  bool first = true;
  for (const Range& r : s.ranges) {
    separate(first);
    range(r);
  }
  out_ += ']';
}

void TextWriter::code(const Code& c) {
  if (c.language() != Language::Python) text(to_text(c.language())), out_ += ' ';
  quoted(c.text());
}

void TextWriter::json(std::string_view s) {
  if (is_bare_json(s)) {
    out_ += s;
  } else {
    out_ += "raw ";
    quoted(s);
  }
}

}  // namespace sdfg::detail
