#pragma once

#include <span>

#include "ir/sdfg.h"

namespace sdfg {

/// Gives the nodes of a state the numbers 0, 1, … in this order, which has all of them. Edges are
/// numbered anew; at each node they keep their order.
void renumber(State& state, std::span<const NodeId> order);

}  // namespace sdfg
