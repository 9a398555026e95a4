#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// Is all that the edge's memlet names certainly written? What leaves a scope is a summary of the
/// memlets inside and may name more: the map inside may take steps, leave iterations out, or write
/// where its parameters meet. Yes only for one memlet inside whose indices are single parameters of
/// maps without steps, each in one dimension.
bool writes_exactly(const State& state, EdgeId edge, const Assumptions& assumptions);

}  // namespace sdfg
