#pragma once

#include <cstdint>
#include <unordered_set>

#include "ir/sdfg.h"

namespace sdfg {

/// Everything wrong with the SDFG, in order of place: rule by rule what DaCe's validation asks for
/// (docs/ir.md lists the rules), and what it forgets. Errors make the SDFG unfit to run; warnings
/// do not. Never stops at the first finding, and never fails on broken input.
Diagnostics verify(const Sdfg& sdfg);

/// Does the finding say that an access certainly leaves its container? That is about what the
/// program does, not about its form: a pass may bring it to light, as when a loop is unrolled.
bool is_out_of_bounds(const Diagnostic& finding);

/// What one verification has found in order, for the next one of nearly the same SDFG: hashes of
/// all that an answer depends on. Looked up, never iterated.
using Verified = std::unordered_set<std::uint64_t>;
/// The same findings as without `before`, sooner.
Diagnostics verify(const Sdfg& sdfg, Verified& before);

}  // namespace sdfg
