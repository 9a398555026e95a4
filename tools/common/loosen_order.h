#pragma once

#include "ir/sdfg.h"
#include "tools/common/random.h"

namespace sdfg {

/// Takes edges without data away, now and then, where accesses keep their order without them: by
/// what leads through other containers. The program means the same; a transformation that takes a
/// path apart must see who relied on it.
void loosen_order(Sdfg& sdfg, Random& random);

}  // namespace sdfg
