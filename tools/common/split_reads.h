#pragma once

#include "ir/sdfg.h"
#include "tools/common/random.h"

namespace sdfg {

/// Lets some code read through an access node of its own what another access node is written
/// through: an edge without data keeps the order, or two with an access node between that is for
/// nothing else. The program means the same; a transformation that
/// takes the place of an access node for the time of an access, or looks for a path of data between
/// accesses, does not see it.
void split_reads(Sdfg& sdfg, Random& random);

}  // namespace sdfg
