#include "passes/buffers/box_algebra.h"

#include <algorithm>
#include <iterator>

namespace sdfg {

bool BoxAlgebra::overlap(const Subset& a, const Subset& b) const {
  return intersects(a, b, assumptions) != Truth::No;
}

bool BoxAlgebra::contains(const Subset& outer, const Subset& inner) const {
  if (lie_apart(outer, inner)) return lie_apart(inner, inner);  // no elements are in every box
  return outer == inner || certain(covers(outer, inner, assumptions));
}

bool BoxAlgebra::contains_both(const std::optional<Subset>& outer, const std::optional<Subset>& a,
                               const std::optional<Subset>& b) const {
  if (contains(outer, a) || contains(outer, b)) return true;
  if (!outer || !a || !b || a->rank() != b->rank()) return false;
  Subset common = *a;
  for (std::size_t d = 0; d < common.rank(); ++d) {
    if ((*a)[d].step != Expr(1) || (*b)[d].step != Expr(1)) return false;
    common[d] = {max((*a)[d].begin, (*b)[d].begin), min((*a)[d].end, (*b)[d].end), Expr(1)};
  }
  return contains(outer, common);
}

void BoxAlgebra::subtract(std::vector<Subset>& boxes, const Subset& cut) const {
  std::vector<Subset> left;
  for (Subset& box : boxes) {
    if (contains(cut, box)) continue;
    if (intersects(cut, box, assumptions) == Truth::No) {
      left.push_back(std::move(box));
      continue;
    }
    auto pieces = left.size() < 16 ? difference(box, cut, assumptions) : std::nullopt;
    if (!pieces)
      left.push_back(std::move(box));
    else
      std::ranges::move(*pieces, std::back_inserter(left));
  }
  boxes = std::move(left);
}

}  // namespace sdfg
