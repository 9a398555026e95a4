#pragma once

#include "ir/sdfg.h"
#include "tools/common/random.h"

namespace sdfg {

/// A chain of patterns that passes look for: each takes an array to another one through views,
/// references, streams, buffers, branches, loops, split and composed containers. About `size` nodes.
Sdfg random_patterns(std::size_t size, Random& random);

}  // namespace sdfg
