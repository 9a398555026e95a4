#pragma once

#include <optional>

#include "ir/subset.h"

// Internal to ir/: questions that are linear but for minima and maxima, which nearly all are that
// compare borders of ranges. A hundred times faster than isl. Subterms that are not linear count as
// unknown integers, the same one for equal subterms.

namespace sdfg::detail {

/// Nothing: not decided here. Unknown: both are possible as far as the assumptions go, or there are
/// too many cases to try.
using Decision = std::optional<Truth>;

Decision linear_decide(const Expr& condition, const Assumptions& assumptions);
/// Of normal expressions: Lt or Le.
Decision linear_order(Op op, const Expr& a, const Expr& b, const Assumptions& assumptions);
/// Ranks agree.
Decision linear_covers(const Subset& outer, const Subset& inner, const Assumptions& assumptions);
Decision linear_intersects(const Subset& a, const Subset& b, const Assumptions& assumptions);

}  // namespace sdfg::detail
