// Questions about subsets. expr_linear.cpp answers most; then each dimension is compared by its
// first and last point, and what that leaves open goes to isl, all dimensions together.

#include <algorithm>

#include "ir/expr_answers.h"
#include "ir/expr_interval.h"
#include "ir/expr_isl.h"
#include "ir/expr_linear.h"
#include "ir/subset.h"
#include "ir/subset_points.h"

namespace sdfg {
namespace {

using detail::decide_quickly;
using detail::Points;
using detail::points_of;

class Quick {
 public:
  explicit Quick(const Assumptions& assumptions) : assumptions_(assumptions) {}

  bool certainly(Op op, const Expr& a, const Expr& b) const {
    return certain(decide_quickly(op, a, b, assumptions_));
  }
  Truth empty(const Points& p) const {
    return decide_quickly(Op::Lt, p.last, p.first, assumptions_);
  }

  /// Yes: inner's points are among outer's. No: some point certainly is not, if inner has any.
  Truth covers(const Points& outer, const Points& inner) const {
    if (outer.stride == 1) {
      if (certainly(Op::Le, outer.first, inner.first) &&
          certainly(Op::Le, inner.upper_bound(), outer.last))
        return Truth::Yes;
    } else if (inner.is_single()) {
      const auto at = mod(inner.first - outer.first, outer.stride).as_integer();
      if (at && *at >= outer.block) return Truth::No;
      if (at && certainly(Op::Le, outer.first, inner.first) &&
          certainly(Op::Le, inner.first - *at, outer.last))
        return Truth::Yes;
    } else if (inner.stride % outer.stride == 0 && inner.block <= outer.block) {
      const auto at = mod(inner.first - outer.first, outer.stride).as_integer();
      if (at == 0 && certainly(Op::Le, outer.first, inner.first) &&
          certainly(Op::Le, inner.exact_last().value_or(inner.last), outer.last))
        return Truth::Yes;
    }
    if (certainly(Op::Lt, inner.first, outer.first)) return Truth::No;
    if (inner.stride == 1 && certainly(Op::Gt, inner.last, outer.upper_bound())) return Truth::No;
    return Truth::Unknown;
  }

  /// Whether they share a point, if neither is empty.
  Truth intersects(const Points& a, const Points& b) const {
    if (certainly(Op::Lt, a.upper_bound(), b.first) || certainly(Op::Lt, b.upper_bound(), a.first))
      return Truth::No;
    if (a.stride == b.stride && a.stride > 1) {
      // Blocks at the same phase meet, blocks at phases apart never do.
      const auto at = mod(b.first - a.first, a.stride).as_integer();
      if (at && *at >= a.block && *at + b.block <= a.stride) return Truth::No;
    }
    const auto holds = [&](const Points& p, const Expr& x) {
      return p.stride == 1 && certainly(Op::Le, p.first, x) && certainly(Op::Le, x, p.last);
    };
    if (a.first == b.first || holds(a, b.first) || holds(b, a.first)) return Truth::Yes;
    if (a.stride == 1 && b.stride == 1 && a.last == b.last) return Truth::Yes;
    return Truth::Unknown;
  }

 private:
  const Assumptions& assumptions_;
};

/// Numbers that no element of a range lies before and behind.
struct Reach {
  std::optional<std::int64_t> first, last;
};
Reach reach(const Range& r) {
  if (r.tile != Expr(1)) return {};
  const auto begin = r.begin.as_integer(), end = r.end.as_integer(), step = r.step.as_integer();
  if (step) return *step > 0 ? Reach{begin, end} : Reach{end, begin};
  if (begin && end) return {std::min(*begin, *end), std::max(*begin, *end)};
  return {};
}

Truth quick_covers(const Subset& outer, const Subset& inner, const Assumptions& assumptions) {
  const Quick quick(assumptions);
  bool all = true, some_not = false, filled = true;
  for (std::size_t d = 0; d < outer.rank(); ++d) {
    const auto i = points_of(inner[d], assumptions);
    const Truth empty = i ? quick.empty(*i) : Truth::Unknown;
    if (empty == Truth::Yes) return Truth::Yes;
    filled = filled && empty == Truth::No;
    if (outer[d] == inner[d]) continue;
    const auto o = points_of(outer[d], assumptions);
    const Truth t = o && i ? quick.covers(*o, *i) : Truth::Unknown;
    all = all && t == Truth::Yes;
    some_not = some_not || t == Truth::No;
  }
  if (all) return Truth::Yes;
  return some_not && filled ? Truth::No : Truth::Unknown;
}

Truth quick_intersects(const Subset& a, const Subset& b, const Assumptions& assumptions) {
  const Quick quick(assumptions);
  bool all = true;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    const auto x = points_of(a[d], assumptions), y = points_of(b[d], assumptions);
    const Truth empty_x = x ? quick.empty(*x) : Truth::Unknown;
    const Truth empty_y = y ? quick.empty(*y) : Truth::Unknown;
    if (empty_x == Truth::Yes || empty_y == Truth::Yes) return Truth::No;
    Truth t = x && y ? quick.intersects(*x, *y) : Truth::Unknown;
    if (a[d] == b[d]) t = Truth::Yes;
    if (t == Truth::No) return t;
    all = all && t == Truth::Yes && empty_x == Truth::No && empty_y == Truth::No;
  }
  return all ? Truth::Yes : Truth::Unknown;
}

}  // namespace

Truth covers(const Subset& outer, const Subset& inner, const Assumptions& assumptions) {
  if (outer.rank() != inner.rank()) return Truth::Unknown;
  if (outer == inner) return Truth::Yes;
  return answer(detail::Answers::About::Covers, outer, inner, assumptions, [&] {
    if (const auto linear = detail::linear_covers(outer, inner, assumptions)) return *linear;
    const Truth quick = quick_covers(outer, inner, assumptions);
    return quick == Truth::Unknown ? detail::isl_covers(outer, inner, assumptions) : quick;
  });
}
bool lie_apart(const Subset& a, const Subset& b) {
  const auto before = [](const Reach& x, const Reach& y) {
    return x.last && y.first && *x.last < *y.first;
  };
  for (std::size_t d = 0; d < std::min(a.rank(), b.rank()); ++d) {
    const Reach x = reach(a[d]), y = reach(b[d]);
    if (before(x, y) || before(y, x)) return true;
  }
  return false;
}
Truth intersects(const Subset& a, const Subset& b, const Assumptions& assumptions) {
  if (a.rank() != b.rank()) return Truth::Unknown;
  if (lie_apart(a, b)) return Truth::No;
  return answer(detail::Answers::About::Intersects, a, b, assumptions, [&] {
    if (const auto linear = detail::linear_intersects(a, b, assumptions)) return *linear;
    const Truth quick = quick_intersects(a, b, assumptions);
    return quick == Truth::Unknown ? detail::isl_intersects(a, b, assumptions) : quick;
  });
}
Truth same_points(const Subset& a, const Subset& b, const Assumptions& assumptions) {
  const Truth forth = covers(a, b, assumptions);
  if (forth == Truth::No) return forth;
  const Truth back = covers(b, a, assumptions);
  return back == Truth::No ? back : forth == Truth::Yes ? back : forth;
}

std::optional<std::vector<Subset>> difference(const Subset& a, const Subset& b,
                                              const Assumptions& assumptions) {
  if (a.rank() != b.rank()) return std::nullopt;
  if (certain(covers(b, a, assumptions))) return std::vector<Subset>{};
  if (intersects(a, b, assumptions) == Truth::No) return std::vector<Subset>{a};
  const auto at_most = [&](const Expr& x, const Expr& y) {
    return certain(less_equal(x, y, assumptions));
  };
  // Dimension by dimension: what lies before and behind b; the middle goes on to the next one.
  std::vector<Subset> out;
  Subset middle = a;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (a[d] == b[d]) continue;
    const auto x = points_of(a[d], assumptions), y = points_of(b[d], assumptions);
    if (!x || !y || x->stride != 1 || y->stride != 1) return std::nullopt;
    const bool begins_inside = at_most(x->first, y->first), ends_inside = at_most(y->last, x->last);
    if (!begins_inside && !at_most(y->first, x->first)) return std::nullopt;
    if (!ends_inside && !at_most(x->last, y->last)) return std::nullopt;
    const Expr first = begins_inside ? y->first : x->first, last = ends_inside ? y->last : x->last;
    // Otherwise the two pieces would overlap.
    if (!at_most(first, last + 1)) return std::nullopt;
    const auto piece = [&](Range range) {
      Subset s = middle;
      s[d] = std::move(range);
      out.push_back(std::move(s));
    };
    if (first != x->first) piece({x->first, first - 1});
    if (last != x->last) piece({last + 1, x->last});
    middle[d] = {first, last};
  }
  return out;
}

Subset without_gaps(Subset subset) {
  for (Range& r : subset.ranges) {
    if (r.step == Expr(1) && r.tile == Expr(1)) continue;
    const std::optional<std::int64_t> step = r.step.as_integer();
    const Expr begin = step ? (*step > 0 ? r.begin : r.end) : min(r.begin, r.end);
    const Expr end = step ? (*step > 0 ? r.end : r.begin) : max(r.begin, r.end);
    r = Range{begin, end + (r.tile - 1)};
  }
  return subset;
}

Subset bounding_box(const Subset& a, const Subset& b, const Assumptions& assumptions) {
  if (a == b) return a;
  SDFG_ASSERT(a.rank() == b.rank()) << "bounding box of subsets of ranks " << a.rank() << " and "
                                    << b.rank();
  // What holds nothing needs no room.
  const auto certainly_empty = [&](const Subset& s) {
    return std::ranges::any_of(s.ranges, [&](const Range& r) {
      const auto p = points_of(r, assumptions);
      return p && certain(decide_quickly(Op::Lt, p->last, p->first, assumptions));
    });
  };
  if (certainly_empty(b)) return a;
  if (certainly_empty(a)) return b;
  const auto smaller = [&](const Expr& x, const Expr& y) {
    if (certain(decide_quickly(Op::Le, x, y, assumptions))) return x;
    return certain(decide_quickly(Op::Le, y, x, assumptions)) ? y : min(x, y);
  };
  const auto larger = [&](const Expr& x, const Expr& y) {
    if (certain(decide_quickly(Op::Le, x, y, assumptions))) return y;
    return certain(decide_quickly(Op::Le, y, x, assumptions)) ? x : max(x, y);
  };
  Subset out;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (a[d] == b[d]) {
      out.ranges.push_back(a[d]);
      continue;
    }
    const auto x = points_of(a[d], assumptions), y = points_of(b[d], assumptions);
    // Where the points are not known exactly, begin and end with their tiles bound them, in either
    // order of a step's sign.
    const auto ends = [&](const std::optional<Points>& p, const Range& r) {
      if (p) return std::pair(p->first, p->upper_bound());
      return std::pair(min(r.begin, r.end), max(r.begin, r.end) + (r.tile - 1));
    };
    const auto [first_x, last_x] = ends(x, a[d]);
    const auto [first_y, last_y] = ends(y, b[d]);
    Range r{smaller(first_x, first_y), larger(last_x, last_y)};
    const bool same_grid = x && y && x->stride > 1 && x->stride == y->stride && x->block == 1 &&
                           y->block == 1 && mod(x->first - y->first, x->stride) == Expr(0);
    if (same_grid) r.step = x->stride;
    out.ranges.push_back(std::move(r));
  }
  return out;
}

}  // namespace sdfg
