#include "passes/common/element_distance.h"

namespace sdfg {

std::optional<Expr> element_distance(const Subset& subset, const Array& array,
                                     const std::string& symbol) {
  Expr sum = 0;
  for (std::size_t d = 0; d < subset.rank(); ++d) {
    if (!uses_symbol(subset[d].begin, symbol)) continue;
    const auto affine = match_affine(subset[d].begin, symbol);
    if (!affine) return std::nullopt;
    sum = sum + affine->coefficient * array.strides[d];
  }
  return sum;
}

}  // namespace sdfg
