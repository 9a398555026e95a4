#include "codegen/writer.h"

#include <optional>
#include <tuple>
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
  if (word.ends_with(',') || word.ends_with(';')) return 3 * depth;
  if (word == "+" || word == "-") return 3 * depth + 1;
  if (word == "*" || word == "/" || word == "%") return 3 * depth + 2;
  const bool other = !word.empty() && word.find_first_not_of("=<>!&|?:") == word.npos;
  return other ? std::optional(3 * depth) : std::nullopt;
}

/// Outside of literals and of the comment behind the code.
LongLine where_to_break(std::string_view text) {
  LongLine out{text.size(), {}};
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == '\\') ++i;
      else if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '/' && text.substr(i, 2) == "//") {
      out.code = i;
      while (out.code > 0 && text[out.code - 1] == ' ') --out.code;
      break;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ' ' && i > 0) {
      // Between the launch bounds of a kernel and its name.
      if (depth == 0 && text.substr(i - 1, 3) != ") {" && text[i - 1] == ')' &&
          text.starts_with("__global__"))
        out.spaces.push_back({i, 0});
      const std::size_t before = text.rfind(' ', i - 1) + 1;  // npos + 1 is 0
      if (const auto weight = inside(text.substr(before, i - before), depth))
        out.spaces.push_back({i, *weight});
    }
  }
  return out;
}

}  // namespace

void Writer::line(std::string_view text) {
  const std::size_t indent = std::size_t(depth_) * 2;
  if (indent + text.size() <= columns || text[0] == '#' || text[0] == '/' ||
      text.find('\n') != std::string_view::npos)
    return append(indent, text);
  const LongLine parts = where_to_break(text);
  std::size_t begin = 0, margin = indent;
  auto next = parts.spaces.begin();
  while (margin + parts.code - begin > columns) {
    // The outermost space in the right half of the line, and of these the last; else any.
    const Space* best = nullptr;
    const auto order = [&](const Space& s) {
      return std::tuple(margin + s.at - begin < columns / 2, s.inside, -std::ptrdiff_t(s.at));
    };
    while (next != parts.spaces.end() && next->at <= begin) ++next;
    for (auto s = next; s != parts.spaces.end(); ++s) {
      if (margin + s->at - begin > columns && best) break;
      if (!best || order(*s) < order(*best)) best = &*s;
    }
    if (!best) break;
    append(margin, text.substr(begin, best->at - begin));
    begin = best->at + 1;
    margin = indent + 4;
  }
  append(margin, text.substr(begin));
}

void Writer::append(std::size_t indent, std::string_view text) {
  if (!text.empty()) text_.append(indent, ' ').append(text);
  text_ += '\n';
}

void Writer::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n") && !text_.ends_with("{\n")) text_ += '\n';
}

void Writer::open(std::string_view text) {
  line(text.empty() ? std::string("{") : std::string(text) + " {");
  ++depth_;
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
