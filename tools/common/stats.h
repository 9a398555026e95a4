#pragma once

#include <string>


#include "codegen/counts.h"
#include "ir/analysis/cost.h"
#include "support/by_name.h"

namespace sdfg {

/// One line per kernel, then totals, the lower bound and the memory of transients.
std::string to_text(const ExecutionCounts& counts);
/// The same without a run: expressions, or numbers where the values of all their symbols are given.
std::string to_text(const ProgramCost& cost,
                    const ByName<std::int64_t>& symbols);
/// The same numbers as JSON text.
std::string to_json(const ExecutionCounts& counts);

}  // namespace sdfg
