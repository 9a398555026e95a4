#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// Is a tasklet behind the edge, in nested SDFGs, too, given several elements of what it carries?
/// Data decide which of them it reads, so that no assumption about elements of the same place says
/// anything of it. A nested SDFG itself may be given more than it reads.
bool gathers(const State& state, EdgeId edge);

}  // namespace sdfg
