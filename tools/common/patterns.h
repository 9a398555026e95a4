#pragma once

#include <span>
#include <string_view>

namespace sdfg {

/// A piece of a random program. In its texts $s is what it reads and $d what it writes, both
/// float64[N], and $p begins the names of its own. Control enters at block $p_in and leaves at $p_out.
struct Pattern {
  std::string_view data, blocks, edges;
};

/// What passes look for in what states do, and in how control goes.
std::span<const Pattern> dataflow_patterns();
std::span<const Pattern> control_flow_patterns();

}  // namespace sdfg
