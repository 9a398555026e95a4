#pragma once

#include <optional>

#include "ir/expr.h"
#include "ir/node.h"
#include "ir/subset.h"

namespace sdfg {

/// Each iteration of `map` writes `written`. Which one writes `element`? The value of each parameter;
/// nothing where it cannot be told.
std::optional<Substitution> writing_iteration(const MapEntry& map, const Subset& written,
                                              const Subset& element);

/// The first parameter, by position, of which it is not certain that the map has this value.
std::optional<std::size_t> uncertain_parameter(const MapEntry& map, const Substitution& iteration,
                                               const Assumptions& assumptions);

}  // namespace sdfg
