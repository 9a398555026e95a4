#include "passes/split/extent.h"

#include <algorithm>

#include "ir/expr_interval.h"

namespace sdfg {

std::int64_t expected_points(const Subset& box, std::int64_t assumed,
                             const Assumptions& assumptions) {
  std::int64_t out = 1;
  for (const Range& range : box.ranges) {
    const Expr size = range.size();
    std::int64_t extent = assumed;
    if (const auto known = size.as_integer())
      extent = *known;
    else if (const auto high = detail::interval(size, assumptions).high)
      extent = std::min(extent, high->num / high->den);
    out = std::min<std::int64_t>(out, 1ll << 40) * std::max<std::int64_t>(extent, 0);
  }
  return out;
}

}  // namespace sdfg
