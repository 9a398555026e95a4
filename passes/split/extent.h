#pragma once

#include <cstdint>

#include "ir/subset.h"

namespace sdfg {

/// How many points a box has where that is known or bounded; dimensions of unknown size count as
/// `assumed`. For weighing, not for deciding.
std::int64_t expected_points(const Subset& box, std::int64_t assumed,
                             const Assumptions& assumptions);

/// How many times as many points the box has at production size: 1, unless all of its dimensions
/// are known and shorter than `assumed`. Then it belongs to a test, and is weighed like a box of
/// unknown size: what is decided, and measured, on a small grid is what happens on a large one.
std::int64_t production_scale(const Subset& box, std::int64_t assumed,
                              const Assumptions& assumptions);

}  // namespace sdfg
