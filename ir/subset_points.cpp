#include "ir/subset_points.h"

namespace sdfg::detail {

std::optional<Points> points_of(const Range& r, const Assumptions& assumptions) {
  const auto certainly = [&](Op op, const Expr& a, const Expr& b) {
    return certain(decide_quickly(op, a, b, assumptions));
  };
  const auto tile = r.tile.as_integer();
  if (tile && *tile < 1) return std::nullopt;
  if (!tile && !certainly(Op::Ge, r.tile, 1)) return std::nullopt;
  if (r.is_index()) return Points{r.begin, r.begin + (r.tile - 1)};

  const auto step = r.step.as_integer();
  if (step && *step < 0) {
    if (tile != 1) return std::nullopt;
    if (*step == -1) return Points{r.end, r.begin};
    const Expr first = r.begin + floor_div(r.begin - r.end, -*step) * *step;
    return Points{first, r.begin, -*step, 1};
  }
  if (r.step == Expr(0)) return std::nullopt;
  if (r.step == Expr(1) && tile == 1) return Points{r.begin, r.end};
  const Expr last_start = r.begin + floor_div(r.end - r.begin, r.step) * r.step;
  if (r.tile == r.step) {
    // Blocks that touch. An empty range stays empty: its last start lies a step before the first.
    if (!step && !certainly(Op::Ge, r.step, 1)) return std::nullopt;
    return Points{r.begin, last_start + (r.step - 1)};
  }
  if (!step) return std::nullopt;
  if (tile && *tile < *step) return Points{r.begin, r.end, *step, *tile};
  // Blocks that overlap, of a range that must not be empty.
  const bool overlap = tile || certainly(Op::Ge, r.tile, r.step);
  if (!overlap || !certainly(Op::Le, r.begin, r.end)) return std::nullopt;
  return Points{r.begin, last_start + (r.tile - 1)};
}

}  // namespace sdfg::detail
