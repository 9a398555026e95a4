#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/expr.h"
#include "support/by_name.h"
#include "support/result.h"

namespace sdfg {

/// What `--assume` says: conditions, separated by commas. The error names what is none.
Result<std::vector<Expr>> parse_conditions(std::string_view text);

/// The first condition that does not hold for the values; one with a symbol that has no value
/// cannot be judged. Null when there is none.
const Expr* first_broken(const std::vector<Expr>& conditions, const ByName<std::int64_t>& values);

/// Changes values of `free` symbols, as few and as little as it finds, until no condition is
/// broken. Not every solution is found: for the first broken condition, one symbol that has not
/// changed yet becomes one of 0 … `size`, or what makes the two sides of a comparison meet.
/// Returns what changed.
SymbolSet keep_to(const std::vector<Expr>& conditions, const SymbolSet& free, std::int64_t size,
                  ByName<std::int64_t>& values);

}  // namespace sdfg
