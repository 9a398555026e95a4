#include "codegen/writer.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace sdfg {

namespace {

constexpr std::size_t columns = 100;

/// A space where a line of C++ may end.
struct Space {
  std::size_t at;
  int inside;  ///< of how much: each bracket counts 3, a product 2, a sum 1
};

struct LongLine {
  std::size_t code;  ///< length without the comment behind it
  std::vector<Space> spaces;
};

/// What the end of a word, at which a line may end, is inside of; nothing where it may not.
std::optional<int> inside(std::string_view word, int depth) {
  switch (word.empty() ? 0 : word.back()) {
    case ',': case ';': return 3 * depth;
    case '+': case '-':
      if (word.size() == 1) return 3 * depth + 1;
      return std::nullopt;
    case '*': case '/': case '%':
      if (word.size() == 1) return 3 * depth + 2;
      return std::nullopt;
    case '=': case '<': case '>': case '!': case '&': case '|': case '?': case ':':
      if (word.find_first_not_of("=<>!&|?:") == word.npos) return 3 * depth;
      return std::nullopt;
    default: return std::nullopt;
  }
}

/// What decides where a line may end; all other characters are passed over.
constexpr auto is_mark = [] {
  std::array<bool, 256> marks{};
  for (unsigned char c : std::string_view("\"'\\()[]{}/ ")) marks[c] = true;
  return marks;
}();

/// Outside of literals and of the comment behind the code.
LongLine where_to_break(std::string_view text) {
  LongLine out{text.size(), {}};
  out.spaces.reserve(text.size() / 4);
  int depth = 0;
  char quote = 0;
  std::size_t word = 0;  // where the one before a space begins
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_mark[static_cast<unsigned char>(c)]) continue;
    if (quote) {
      if (c == '\\') ++i;
      else if (c == quote) quote = 0;
      else if (c == ' ') word = i + 1;
      continue;
    }
    switch (c) {
      case '"': case '\'': quote = c; break;
      case '(': case '[': case '{': ++depth; break;
      case ')': case ']': case '}': --depth; break;
      case '/':
        if (text.substr(i, 2) != "//") break;
        while (i > 0 && text[i - 1] == ' ') --i;
        out.code = i;
        return out;
      case ' ':
        // Between the launch bounds of a kernel and its name.
        if (depth == 0 && i > 0 && text[i - 1] == ')' && text.substr(i, 2) != " {" &&
            text.starts_with("__global__"))
          out.spaces.push_back({i, 0});
        if (const auto weight = inside(text.substr(word, i - word), depth))
          out.spaces.push_back({i, *weight});
        word = i + 1;
        break;
      default: break;
    }
  }
  return out;
}

}  // namespace

void Writer::end_line(std::size_t start) {
  const std::size_t indent = std::size_t(depth_) * 2;
  const std::string_view whole = std::string_view(text_).substr(start + indent);
  if (whole.empty()) text_.resize(start);
  if (whole.empty() || indent + whole.size() <= columns || whole[0] == '#' || whole[0] == '/' ||
      whole.find('\n') != std::string_view::npos) {
    text_ += '\n';
    return;
  }
  const std::string text(whole);
  text_.resize(start);
  const LongLine parts = where_to_break(text);
  std::size_t begin = 0, margin = indent;
  auto next = parts.spaces.begin();
  while (margin + parts.code - begin > columns) {
    // The outermost space in the right half of the line, and of these the last; else any.
    const Space* best = nullptr;
    std::pair<bool, int> least;
    while (next != parts.spaces.end() && next->at <= begin) ++next;
    for (auto s = next; s != parts.spaces.end(); ++s) {
      if (margin + s->at - begin > columns && best) break;
      const std::pair order(margin + s->at - begin < columns / 2, s->inside);
      if (!best || order <= least) best = &*s, least = order;
    }
    if (!best) break;
    append(margin, std::string_view(text).substr(begin, best->at - begin));
    begin = best->at + 1;
    margin = indent + 4;
  }
  append(margin, std::string_view(text).substr(begin));
}

std::size_t Writer::begin_line() {
  const std::size_t begin = text_.size();
  if (begin == 0) text_.reserve(500);  // a few lines
  text_.append(std::size_t(depth_) * 2, ' ');
  return begin;
}

void Writer::append(std::size_t indent, std::string_view text) {
  if (!text.empty()) text_.append(indent, ' ').append(text);
  text_ += '\n';
}

void Writer::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n") && !text_.ends_with("{\n")) text_ += '\n';
}

void Writer::close(std::string_view text) {
  --depth_;
  line(text);
}

void Writer::flush_left(std::string_view text) { text_.append(text).append("\n"); }

void Writer::verbatim(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    append(std::size_t(depth_) * 2, text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

}  // namespace sdfg
