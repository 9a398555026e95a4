#pragma once

#include "passes/pass.h"

namespace sdfg {

/// Has the range certainly no point? One with a step of unknown sign may have some.
bool certainly_empty(const Range& range, const Assumptions& assumptions = {});
bool certainly_empty(const std::vector<Range>& ranges, const Assumptions& assumptions = {});

/// Removes what certainly does nothing in an SDFG and those nested in it: maps without points at
/// the top level of states, and copies of no elements. What waited for one another through them
/// still does, and a container that was set to zero there is set to zero elsewhere. For those who
/// give symbols values: sizes below 0, which such parts have then, are no subsets to work with.
void remove_empty_parts(Sdfg& sdfg, const Assumptions& assumptions);

}  // namespace sdfg
