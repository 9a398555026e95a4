#include "ir/expr_budget.h"

#include <algorithm>

namespace sdfg {

std::size_t count_terms(const Expr& e, std::size_t most) {
  if (e.args().empty()) return 1;
  std::size_t count = 0;
  for (const Expr& arg : e.args()) {
    if (count > most) break;
    count += count_terms(arg, most - count);
  }
  return count;
}

bool has_at_most(std::size_t most, const Subset& box) {
  return std::ranges::all_of(box.ranges, [&](const Range& r) {
    return count_terms(r.begin, most) <= most && count_terms(r.end, most) <= most;
  });
}

bool extend(Subset& box, const Subset& more, const Assumptions& assumptions) {
  box = bounding_box(box, more, assumptions);
  return has_at_most(most_terms_asked, box);
}

}  // namespace sdfg
