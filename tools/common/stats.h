#pragma once

#include <string>

#include "codegen/counts.h"

namespace sdfg {

/// One line per kernel, then totals, the lower bound and the memory of transients.
std::string to_text(const ExecutionCounts& counts);
/// The same numbers as JSON text.
std::string to_json(const ExecutionCounts& counts);

}  // namespace sdfg
