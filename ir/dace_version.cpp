#include "ir/dace_version.h"

#include <charconv>
#include <utility>

namespace sdfg {

std::optional<DaceVersion> parse_dace_version(std::string_view text) {
  DaceVersion v;
  const auto number = [&](std::int64_t& out) {
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (ec != std::errc()) return false;
    text.remove_prefix(std::size_t(end - text.data()));
    return true;
  };
  if (text.starts_with('v')) text.remove_prefix(1);
  for (std::size_t i = 0; i < 3; ++i) {
    if (i > 0) {
      if (!text.starts_with('.') || text.size() < 2 || text[1] < '0' || text[1] > '9') break;
      text.remove_prefix(1);
    }
    if (!number(v.release[i])) return std::nullopt;
  }
  constexpr std::pair<std::string_view, int> stages[] = {{"alpha", 0}, {"beta", 1}, {"rc", 2},
                                                         {"a", 0},     {"b", 1},    {".dev", 0}};
  for (const auto& [word, stage] : stages)
    if (text.starts_with(word)) {
      text.remove_prefix(word.size());
      v.stage = stage;
      (void)number(v.number);
      break;
    }
  return v;
}

}  // namespace sdfg
