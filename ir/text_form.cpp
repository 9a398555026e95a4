#include "ir/text_form.h"

#include <algorithm>
#include <array>

#include "support/text.h"

namespace sdfg::detail {
namespace {

// Words that can stand where a name can.
constexpr std::array<std::string_view, 14> reserved{"false", "from", "if",     "in",  "next",
                                                    "none",  "of",   "opaque", "out", "raw",
                                                    "set",   "true", "while",  "with"};
static_assert(std::ranges::is_sorted(reserved));

/// Where the quoted text that opens at `at` ends, past the closing quote; npos when it does not.
std::size_t quoted_end(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == text[at])
      return i + 1;
  }
  return std::string_view::npos;
}

}  // namespace

bool is_bare_name(std::string_view name) {
  return is_valid_name(name) && !std::ranges::binary_search(reserved, name);
}

std::size_t bare_end(std::string_view text, std::size_t at, std::string_view stops) {
  const std::size_t begin = at;
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\n' || c == '{' || c == '}') break;
    if (c == '"' || c == '\'') {
      at = quoted_end(text, at);
      if (at == std::string_view::npos) return begin;
      continue;
    }
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') {
      if (depth == 0) break;
      --depth;
    }
    if (depth == 0 && stops.find(c) != std::string_view::npos) break;
    ++at;
  }
  while (at > begin && text[at - 1] == ' ') --at;
  return at;
}

bool is_bare_expr(std::string_view text, std::string_view stops) {
  if (text.empty() || text.front() == ' ' || text.front() == '"' || text.front() == '<')
    return false;
  for (std::string_view word : {"opaque", "none"})
    if (text.starts_with(word)) return false;
  return bare_end(text, 0, stops) == text.size() &&
         std::ranges::count(text, '(') + std::ranges::count(text, '[') ==
             std::ranges::count(text, ')') + std::ranges::count(text, ']');
}

std::size_t json_end(std::string_view text, std::size_t at) {
  if (at == text.size()) return at;
  if (text[at] == '"') {
    const std::size_t end = quoted_end(text, at);
    return end == std::string_view::npos ? at : end;
  }
  if (text[at] != '{' && text[at] != '[') {
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) ||
                                 text[end] == '-' || text[end] == '+' || text[end] == '.'))
      ++end;
    return end;
  }
  std::size_t depth = 0;
  for (std::size_t i = at; i < text.size() && text[i] != '\n';) {
    if (text[i] == '"') {
      i = quoted_end(text, i);
      if (i == std::string_view::npos) return at;
      continue;
    }
    if (text[i] == '{' || text[i] == '[') ++depth;
    if ((text[i] == '}' || text[i] == ']') && --depth == 0) return i + 1;
    ++i;
  }
  return at;
}

bool is_bare_json(std::string_view text) {
  return !text.empty() && !text.starts_with("raw") && json_end(text, 0) == text.size();
}

bool names_source(const Node& source, const Node& target, std::string_view data) {
  const auto accesses = [&](const Node& node) {
    const auto* access = node.as<AccessNode>();
    return access && access->data == data;
  };
  if (source.is<AccessNode>()) return accesses(source) || !accesses(target);
  return source.is_entry() && !accesses(target);
}

bool has_opaque(const Expr& expr) {
  if (expr.is(Op::Opaque)) return true;
  return std::ranges::any_of(expr.args(), has_opaque);
}

Data default_data(const Data& like) {
  Data data = Data::array(like.dtype, like.shape, like.transient);
  Array array = std::get<Array>(data.kind);
  struct Default {
    const Array& array;
    Data& data;
    void operator()(const Array& a) const {
      data.kind = array;
      data.as_array()->role = a.role, data.as_array()->is_parameter = a.is_parameter;
    }
    void operator()(const ContainerArray& a) const {
      data.kind = ContainerArray{array, {}};
      data.as_array()->role = a.array.role, data.as_array()->is_parameter = a.array.is_parameter;
    }
    void operator()(const Stream&) const { data.kind = Stream{array.offset, Expr(0)}; }
    void operator()(const Scalar&) const {
      data.kind = Scalar{};
      data.shape = {Expr(1)};
    }
    void operator()(const Structure& s) const { data.kind = Structure{s.role, s.name, {}}; }
    void operator()(const OtherData& o) const { data.kind = o; }
  };
  std::visit(Default{array, data}, like.kind);
  return data;
}

}  // namespace sdfg::detail
