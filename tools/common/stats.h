#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "codegen/counts.h"

namespace sdfg {

/// One line per kernel, then totals, the lower bound and the memory of transients.
std::string to_text(const ExecutionCounts& counts);
/// The same numbers.
nlohmann::ordered_json to_json(const ExecutionCounts& counts);

}  // namespace sdfg
