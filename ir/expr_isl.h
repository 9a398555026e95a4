#pragma once

#include "ir/expr.h"
#include "ir/subset.h"

// What isl decides, each question within a bounded effort; Unknown when that is not enough, when
// there is nothing affine to reason about, or when the arithmetic leaves what isl can express.
// Subterms that are not affine count as unknown integers, the same one for equal subterms.

namespace sdfg::detail {

Truth isl_decide(const Expr& condition, const Assumptions& assumptions);
/// Ranks agree.
Truth isl_covers(const Subset& outer, const Subset& inner, const Assumptions& assumptions);
Truth isl_intersects(const Subset& a, const Subset& b, const Assumptions& assumptions);

}  // namespace sdfg::detail
