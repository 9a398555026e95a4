// The image of a subset under a map: what its parameters reach, dimension by dimension.

#include <algorithm>

#include "ir/expr_interval.h"
#include "ir/subset.h"
#include "ir/subset_points.h"
#include "support/assert.h"

namespace sdfg {
namespace {

using detail::Interval;
using detail::interval;

/// One parameter with its first and last value.
struct Parameter {
  std::string name;
  Expr low, high;
  std::optional<std::int64_t> stride;  ///< distance of neighbouring values, if constant
};

class Image {
 public:
  Image(const std::vector<std::string>& params, const std::vector<Range>& ranges,
        const Assumptions& assumptions)
      : outside_(assumptions) {
    SDFG_ASSERT(params.size() == ranges.size());
    for (std::size_t p = 0; p < params.size(); ++p) {
      const Range& r = ranges[p];
      const auto points = detail::points_of({r.begin, r.end, r.step, 1}, assumptions);
      Parameter parameter{params[p], r.begin, r.end, r.step.as_integer()};
      if (points) {
        const Expr last =
            points->stride == 1
                ? points->last
                : points->first +
                      floor_div(points->last - points->first, points->stride) * points->stride;
        parameter = {params[p], points->first, last, points->stride};
      } else if (!certain(detail::decide_quickly(Op::Gt, r.step, 0, assumptions))) {
        unbounded_.push_back(params[p]);  // which end is the first is not known
        continue;
      }
      parameters_.push_back(std::move(parameter));
    }
  }

  std::optional<Range> of(const Range& r) const {
    if (!uses(r.begin) && !uses(r.end) && !uses(r.step) && !uses(r.tile)) return r;
    if (auto exact = affine(r)) return exact;
    if (uses(r.tile)) return std::nullopt;
    const bool down = certain(detail::decide_quickly(Op::Lt, r.step, 0, assumptions()));
    if (!down && !certain(detail::decide_quickly(Op::Gt, r.step, 0, assumptions())))
      return std::nullopt;
    const auto low = extreme(down ? r.end : r.begin, false, 0);
    const auto high = extreme(down ? r.begin : r.end, true, 0);
    if (!low || !high) return std::nullopt;
    return Range{*low, *high + (r.tile - 1)};
  }

 private:
  bool uses(const Expr& e) const {
    return std::ranges::any_of(parameters_,
                               [&](const Parameter& p) { return uses_symbol(e, p.name); }) ||
           std::ranges::any_of(unbounded_, [&](const std::string& p) { return uses_symbol(e, p); });
  }
  std::optional<int> sign(const Expr& e) const {
    if (const auto value = e.as_integer()) return (*value > 0) - (*value < 0);
    return detail::weak_sign(interval(e, assumptions()));
  }

  /// a * p + b for one parameter p, moved as a block of constant width: the result is exact.
  std::optional<Range> affine(const Range& r) const {
    const Parameter* moving = nullptr;
    for (const Parameter& p : parameters_) {
      if (!uses_symbol(r.begin, p.name)) continue;
      if (moving) return std::nullopt;
      moving = &p;
    }
    if (!moving || !moving->stride || r.step != Expr(1) || uses(r.tile)) return std::nullopt;
    const auto parts = match_affine(r.begin, moving->name);
    const Expr width = r.end - r.begin + r.tile;  // of the block, in elements
    if (!parts || uses(parts->coefficient) || uses(parts->rest) || uses(width)) return std::nullopt;
    const auto direction = sign(parts->coefficient);
    if (!direction || *direction == 0) return std::nullopt;
    const Expr jump = parts->coefficient * *moving->stride * *direction;
    const Expr at_low = parts->coefficient * moving->low + parts->rest;
    const Expr at_high = parts->coefficient * moving->high + parts->rest;
    if (uses(at_low) || uses(at_high)) return std::nullopt;  // ranges that depend on one another
    const Expr first = *direction > 0 ? at_low : at_high, last = *direction > 0 ? at_high : at_low;
    if (at_least(width, jump)) return Range{first, last + (width - 1)};
    // A width that may be 0 or less covers nothing at some points; the hull holds it all the same.
    if (at_least(width, 1) && positive(jump))
      return Range{first, last, jump, width};
    return Range{first, last + (width - 1)};
  }

  /// A bound of the expression that mentions no parameter: at least (`up`) or at most all values.
  std::optional<Expr> extreme(const Expr& e, bool up, int depth) const {
    if (!uses(e)) return e;
    if (depth > 20) return std::nullopt;
    // Linear in a parameter with a known sign: it is extreme at an end of the parameter.
    for (const Parameter& p : parameters_) {
      if (!uses_symbol(e, p.name)) continue;
      const auto parts = match_affine(e, p.name);
      const auto direction = parts ? sign(parts->coefficient) : std::nullopt;
      if (!direction) continue;
      const bool at_high = up == (*direction >= 0);
      return extreme(parts->coefficient * (at_high ? p.high : p.low) + parts->rest, up, depth + 1);
    }
    const auto all = [&](std::span<const Expr> args,
                         bool upwards) -> std::optional<std::vector<Expr>> {
      std::vector<Expr> out;
      for (const Expr& a : args) {
        auto bound = extreme(a, upwards, depth + 1);
        if (!bound) return std::nullopt;
        out.push_back(*std::move(bound));
      }
      return out;
    };
    switch (e.op()) {
      case Op::Add:
      case Op::Min:
      case Op::Max:
        if (auto bounds = all(e.args(), up))
          return simplify(Expr::make(e.op(), *std::move(bounds)));
        return std::nullopt;
      case Op::Mul: return product(e, up, depth);
      case Op::FloorDiv:
      case Op::CeilDiv: {
        if (uses(e.arg(1)) || !positive(e.arg(1))) return std::nullopt;
        const auto bound = extreme(e.arg(0), up, depth + 1);
        if (!bound) return std::nullopt;
        return e.is(Op::FloorDiv) ? floor_div(*bound, e.arg(1)) : ceil_div(*bound, e.arg(1));
      }
      case Op::Mod:
        if (uses(e.arg(1)) || !positive(e.arg(1))) return std::nullopt;
        return up ? e.arg(1) - 1 : Expr(0);
      case Op::Pow: {
        const auto n = e.arg(1).as_integer();
        const Interval base = interval(e.arg(0), assumptions());
        if (!n || *n < 0 || !base.low || base.low->num < 0) return std::nullopt;
        const auto bound = extreme(e.arg(0), up, depth + 1);
        return bound ? std::optional(pow(up ? *bound : max(*bound, 0), *n)) : std::nullopt;
      }
      case Op::Select: {
        const auto bounds = all(e.args().subspan(1), up);
        if (!bounds) return std::nullopt;
        return up ? max((*bounds)[0], (*bounds)[1]) : min((*bounds)[0], (*bounds)[1]);
      }
      case Op::Call: {
        if (e.name() != "abs") return std::nullopt;
        if (!up) return 0;
        const auto high = extreme(e.arg(0), true, depth + 1),
                   low = extreme(e.arg(0), false, depth + 1);
        return high && low ? std::optional(max(*high, -*low)) : std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  /// Factors without parameters need a known sign; factors with parameters must not be negative.
  std::optional<Expr> product(const Expr& e, bool up, int depth) const {
    Expr fixed = 1;
    std::vector<Expr> moving;
    for (const Expr& f : e.args())
      if (uses(f)) moving.push_back(f);
      else fixed = fixed * f;
    const auto direction = sign(fixed);
    if (!direction) return std::nullopt;
    const bool upwards = up == (*direction >= 0);
    Expr out = fixed;
    for (const Expr& f : moving) {
      if (moving.size() > 1) {
        const Interval i = interval(f, assumptions());
        if (!i.low || i.low->num < 0) return std::nullopt;
      }
      const auto bound = extreme(f, upwards, depth + 1);
      if (!bound) return std::nullopt;
      // The factor is not negative, but what bounds it from below may be.
      out = out * (moving.size() > 1 && !upwards ? max(*bound, 0) : *bound);
    }
    return out;
  }
  bool at_least(const Expr& a, const Expr& b) const {
    const auto x = a.as_integer(), y = b.as_integer();
    return x && y ? *x >= *y : certain(detail::decide_quickly(Op::Ge, a, b, assumptions()));
  }
  bool positive(const Expr& e) const {
    const Interval i = interval(e, assumptions());
    return i.low && i.low->num > 0;
  }

  /// What holds inside. Most images need none of it: their coefficients and widths are numbers.
  const Assumptions& assumptions() const {
    if (!inside_) {
      inside_ = outside_;
      for (const Parameter& p : parameters_) inside_->assume(p.name, p.low, p.high);
    }
    return *inside_;
  }

  const Assumptions& outside_;
  mutable std::optional<Assumptions> inside_;
  std::vector<Parameter> parameters_;
  std::vector<std::string> unbounded_;  ///< parameters of unknown direction
};

}  // namespace

std::vector<std::optional<Range>> image(const Subset& subset,
                                        const std::vector<std::string>& params,
                                        const std::vector<Range>& ranges,
                                        const Assumptions& assumptions) {
  const Image map(params, ranges, assumptions);
  std::vector<std::optional<Range>> out;
  for (const Range& r : subset.ranges) out.push_back(map.of(r));
  return out;
}

}  // namespace sdfg
