#include "tools/common/generate_patterns.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ir/parse.h"
#include "support/assert.h"
#include "tools/common/patterns.h"

namespace sdfg {
namespace {

std::string filled(std::string_view text, const std::string& source, const std::string& target,
                   const std::string& prefix) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$') {
      out += text[at];
      continue;
    }
    const char what = text[++at];
    out += what == 's' ? source : what == 'd' ? target : prefix;
  }
  return out;
}

}  // namespace

Sdfg random_patterns(std::size_t size, Random& random) {
  constexpr std::size_t nodes_of_each = 11;  // on average
  const std::size_t count = std::max<std::size_t>(1, size / nodes_of_each);
  std::vector<Pattern> patterns;
  for (const auto& some : {dataflow_patterns(), control_flow_patterns()})
    patterns.insert(patterns.end(), some.begin(), some.end());
  std::string data, blocks, edges, last;
  for (std::size_t i = 0; i < count; ++i) {
    const Pattern& pattern = patterns[random.below(patterns.size())];
    const std::string prefix = "p" + std::to_string(i);
    const std::string source = i == 0 ? "A" : "c" + std::to_string(i - 1);
    const std::string target = i + 1 == count ? "B" : "c" + std::to_string(i);
    const auto fill = [&](std::string_view text) { return filled(text, source, target, prefix); };
    if (target != "B") data += "  transient " + target + ": float64[N]\n";
    data += "  " + fill(pattern.data) + "\n";
    blocks += fill(pattern.blocks.substr(1)) + "\n";
    if (!last.empty()) edges += "  " + last + " -> " + prefix + "_in\n";
    edges += "  " + fill(pattern.edges) + "\n";
    last = prefix + "_out";
  }
  const auto parsed = parse("sdfg patterns(A: float64[N], B: float64[N], I: int64[4], V: float64[N], "
                            "W: float64[N])\n  symbol K: int64\n  symbol N: int64\n" + data + blocks + edges);
  SDFG_ASSERT(bool(parsed)) << (parsed ? "" : parsed.error().message);
  return *parsed;
}

}  // namespace sdfg
