#pragma once

#include <cstdint>

#include "ir/subset.h"

namespace sdfg {

/// How many points a box has where that is known or bounded; dimensions of unknown size count as
/// `assumed`. For weighing, not for deciding.
std::int64_t expected_points(const Subset& box, std::int64_t assumed,
                             const Assumptions& assumptions);

}  // namespace sdfg
