#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// Symbols that interstate edges and loops assign in a region (nested SDFGs not included), and by
/// how many edges and loops. A loop counts once.
using AssignmentCounts = std::map<std::string, std::size_t, std::less<>>;
AssignmentCounts count_assignments(const Region& region);
/// The symbols that are assigned in a region, at any depth, by edges and by loops: those that init
/// and update statements assign beside the loop's variable, too.
SymbolSet assigned_symbols(const Region& region);
SymbolSet assigned_symbols(const Block& block);
/// Those that a loop's own statements assign.
SymbolSet assigned_by_statements(const LoopRegion& loop);

}  // namespace sdfg
