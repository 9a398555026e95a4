#pragma once

#include <functional>

#include "ir/sdfg.h"
#include "passes/pass.h"

namespace sdfg {

using VisitState = std::function<void(Sdfg&, State&, const Trail&)>;
/// Visits all states below an SDFG in order, those of nested SDFGs right after the state that calls
/// them, with the way down to each. The state may be changed while it is visited.
void for_each_state_below(Sdfg& root, const VisitState& visit);

}  // namespace sdfg
