#pragma once

#include <optional>
#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// By how many elements in memory a subset moves on when the symbol grows by one. Nothing where
/// that is not the same everywhere.
std::optional<Expr> element_distance(const Subset& subset, const Array& array,
                                     const std::string& symbol);

}  // namespace sdfg
