#include "passes/split/extent.h"

#include <algorithm>

#include "ir/expr_interval.h"

namespace sdfg {
namespace {

constexpr std::int64_t most_points = 1ll << 40;

std::int64_t extent(const Range& range, std::int64_t assumed, const Assumptions& assumptions) {
  const Expr size = range.size();
  if (const auto known = size.as_integer()) return *known;
  const auto high = detail::interval(size, assumptions).high;
  return high ? std::min(assumed, high->num / high->den) : assumed;
}

}  // namespace

std::int64_t expected_points(const Subset& box, std::int64_t assumed,
                             const Assumptions& assumptions) {
  std::int64_t out = 1;
  for (const Range& range : box.ranges)
    out = std::min(out, most_points) *
          std::max<std::int64_t>(extent(range, assumed, assumptions), 0);
  return out;
}

std::int64_t production_scale(const Subset& box, std::int64_t assumed,
                              const Assumptions& assumptions) {
  std::int64_t here = 1, there = 1;
  for (const Range& range : box.ranges) {
    const std::int64_t points = extent(range, assumed, assumptions);
    if (points >= assumed || points <= 0) return 1;
    if (points == 1) continue;
    here = std::min(here, most_points) * points;
    there = std::min(there, most_points) * assumed;
  }
  return std::max<std::int64_t>(there / here, 1);
}

}  // namespace sdfg
