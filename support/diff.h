#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sdfg {

/// What changed between two texts, line by line: "-old" and "+new" lines with `context` unchanged
/// lines (" same") around each group, and "..." between groups that have context. Empty when
/// nothing changed. Shortest edit script up to a few thousand changed lines; beyond that everything
/// between the first and the last difference counts as replaced.
std::string diff_lines(std::string_view before, std::string_view after, std::size_t context = 0);

}  // namespace sdfg
