#include "passes/map_fusion/writing_iteration.h"

#include <algorithm>

namespace sdfg {

std::optional<Substitution> possible_iteration(const MapEntry& map, const Subset& written,
                                               const Subset& element) {
  if (written.rank() != element.rank()) return std::nullopt;
  Substitution iteration;
  for (std::size_t d = 0; d < written.rank(); ++d)
    for (const std::string& param : map.params) {
      const auto affine = match_affine(written[d].begin, param);
      if (!affine || !(affine->coefficient == Expr(1)) || iteration.contains(param)) continue;
      const bool alone = std::ranges::none_of(
          map.params, [&](const std::string& p) { return uses_symbol(affine->rest, p); });
      if (alone) iteration.emplace(param, element[d].begin - affine->rest);
    }
  if (iteration.size() != map.params.size()) return std::nullopt;
  return iteration;
}

std::optional<Substitution> writing_iteration(const MapEntry& map, const Subset& written,
                                              const Subset& element) {
  auto iteration = possible_iteration(map, written, element);
  if (!iteration || !(substitute(written, *iteration) == element)) return std::nullopt;
  return iteration;
}

std::optional<std::size_t> uncertain_parameter(const MapEntry& map, const Substitution& iteration,
                                               const Assumptions& assumptions) {
  for (std::size_t k = 0; k < map.params.size(); ++k) {
    const Expr& at = iteration.at(map.params[k]);
    const Range& r = map.ranges[k];
    if (!(r.step == Expr(1)) || !certain(less_equal(r.begin, at, assumptions)) ||
        !certain(less_equal(at, r.end, assumptions)))
      return k;
  }
  return std::nullopt;
}

}  // namespace sdfg
