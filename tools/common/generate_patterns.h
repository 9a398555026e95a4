#pragma once

#include <string_view>

#include "ir/sdfg.h"
#include "tools/common/random.h"

namespace sdfg {

/// A chain of patterns that passes look for: each takes an array to another one through views,
/// references, streams, buffers, branches, loops, split and composed containers. About `size`
/// nodes. One of them is what the pass `wanted` looks for, if there is such a pattern.
Sdfg random_patterns(std::size_t size, std::string_view wanted, Random& random);

/// Is there a pattern that this pass looks for?
bool has_pattern(std::string_view pass);

}  // namespace sdfg
