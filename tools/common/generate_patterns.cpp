#include "tools/common/generate_patterns.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ir/parse.h"
#include "support/assert.h"
#include "support/text.h"
#include "tools/common/patterns.h"

namespace sdfg {
namespace {

std::vector<Pattern> patterns_for(std::string_view pass) {
  std::vector<Pattern> found;
  for (const auto& some :
       {container_patterns(), map_patterns(), control_flow_patterns(), across_patterns(),
        place_patterns(), alias_patterns(), field_patterns(), loop_patterns(), type_patterns(),
        write_patterns(), library_patterns(), name_patterns(), stream_patterns(),
        structure_patterns(), view_patterns()})
    for (const Pattern& pattern : some)
      if (pass.empty() || std::ranges::count(split(pattern.passes, ' '), pass))
        found.push_back(pattern);
  return found;
}

/// What stands for $s, $d, $p and $1, $2, … in the texts of one piece.
struct Filling {
  std::string source, target, prefix;
  std::array<std::string, 5> chosen = {};

  std::string filled(std::string_view text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '$') {
        out += text[at];
        continue;
      }
      const char what = text[++at];
      if (what >= '1' && what <= '5')
        out += filled(chosen[std::size_t(what - '1')]);
      else
        out += what == 's' ? source : what == 'd' ? target : prefix;
    }
    return out;
  }
};

}  // namespace

bool has_pattern(std::string_view pass) { return !patterns_for(pass).empty(); }

Sdfg random_patterns(std::size_t size, std::string_view wanted, Random& random) {
  constexpr std::size_t nodes_of_each = 16;  // on average
  const std::size_t count = std::max<std::size_t>(1, size / nodes_of_each);
  const std::vector<Pattern> all = patterns_for(""), fitting = patterns_for(wanted);
  const std::size_t special = fitting.empty() ? count : random.below(count);
  std::string data, blocks, edges, last;
  for (std::size_t i = 0; i < count; ++i) {
    const Pattern& pattern = random.pick<Pattern>(i == special ? fitting : all);
    Filling piece{i == 0 ? "A" : "c" + std::to_string(i - 1),
                  i + 1 == count ? "B" : "c" + std::to_string(i), "p" + std::to_string(i)};
    for (std::size_t c = 0; c < piece.chosen.size(); ++c)
      piece.chosen[c] = random.pick<std::string_view>(split(pattern.choices[c], '|'));
    if (piece.target != "B") data += "  transient " + piece.target + ": float64[N]\n";
    data += "  " + piece.filled(pattern.data) + "\n";
    blocks += piece.filled(pattern.blocks.substr(1)) + "\n";
    if (!last.empty()) edges += "  " + last + " -> " + piece.prefix + "_in\n";
    edges += "  " + piece.filled(pattern.edges) + "\n";
    last = piece.prefix + "_out";
  }
  const auto parsed = parse(
      "sdfg patterns(A: float64[N], B: float64[N], I: int64[4], V: float64[N], "
      "W: float64[N])\n  symbol K: int64\n  symbol N: int64\n" +
      data + blocks + edges);
  SDFG_ASSERT(bool(parsed)) << (parsed ? "" : parsed.error().message);
  return *parsed;
}

}  // namespace sdfg
