#pragma once

#include <optional>

#include "ir/expr.h"
#include "ir/node.h"
#include "ir/subset.h"

namespace sdfg {

/// Each iteration of `map` writes `written`. Which one can write `element`? The value of each
/// parameter, from the first index that tells it alone; nothing where one cannot be told. It need
/// not lie in the ranges, nor need that iteration write that very element in the other indices.
std::optional<Substitution> possible_iteration(const MapEntry& map, const Subset& written,
                                               const Subset& element);
/// The same, where that iteration writes `element` if there is one.
std::optional<Substitution> writing_iteration(const MapEntry& map, const Subset& written,
                                              const Subset& element);

/// The first parameter, by position, of which it is not certain that the map has this value.
std::optional<std::size_t> uncertain_parameter(const MapEntry& map, const Substitution& iteration,
                                               const Assumptions& assumptions);

}  // namespace sdfg
