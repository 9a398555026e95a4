#pragma once

#include "passes/pass.h"

namespace sdfg {

/// Has the range certainly no point? One with a step of unknown sign may have some.
bool certainly_empty(const Range& range, const Assumptions& assumptions = {});
bool certainly_empty(const std::vector<Range>& ranges, const Assumptions& assumptions = {});

/// Is its size a number below 0? It has no point then, and no container has such a shape.
bool has_negative_size(const Range& range);

/// Sizes of a container that are numbers below 0 become 0: those of the part of another one that
/// turns out to be empty.
void raise_negative_sizes(Data& data);
/// The same for a view or reference, when its symbols have got values; containers that own their
/// memory stay as they are.
void raise_sizes_of_view(Data& data);
/// Ranges of memlets whose size is a number below 0 get size 0, which means the same, and which a
/// copy may have.
void raise_negative_sizes(State& state);

/// Removes what certainly does nothing in an SDFG and those nested in it: maps without points at
/// the top level of states, and copies of no elements. What waited for one another through them
/// still does, and a container that was set to zero there is set to zero elsewhere. For those who
/// give symbols values: sizes below 0, which such parts have then, are no subsets to work with.
void remove_empty_parts(Sdfg& sdfg, const Assumptions& assumptions);

}  // namespace sdfg
