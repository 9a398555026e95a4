#pragma once

#include "ir/sdfg.h"

namespace sdfg::detail {

/// Since DaCe 2.0.0b1 a nested SDFG is given whole containers: a connector has the descriptor of
/// what it is connected to, its pointer is where that begins, and the memlets outside only say what
/// of it is used. In our IR, as in DaCe before, the pointer is where the memlet's subset begins.
/// This makes the memlets on the way to such connectors cover the whole container; what leaves by
/// one may be written in part. True if there was such a memlet.
bool cover_whole_containers(Sdfg& sdfg);

}  // namespace sdfg::detail
