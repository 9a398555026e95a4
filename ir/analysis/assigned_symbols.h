#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// Symbols that interstate edges and loops assign in a region (nested SDFGs not included), and by
/// how many edges and loops. A loop counts once.
using AssignmentCounts = ByName<std::size_t>;
AssignmentCounts count_assignments(const Region& region);
/// The symbols that are assigned in a region, at any depth, by edges and by loops: those that init
/// and update statements assign beside the loop's variable, too.
SymbolSet assigned_symbols(const Region& region);
SymbolSet assigned_symbols(const Block& block);
/// Those that a loop's own statements assign.
SymbolSet assigned_by_statements(const LoopRegion& loop);

}  // namespace sdfg
