#pragma once

#include "ir/sdfg.h"
#include "passes/pass.h"

namespace sdfg {

/// Why the points of a map must run in the order that they have: it is the order of what is put
/// into or taken out of a stream. (All else that points share resolves conflicts, in any order.)
Refusal check_reordering(const Sdfg& sdfg, const State& state, NodeId entry);

}  // namespace sdfg
