#pragma once

#include <algorithm>

#include "ir/data.h"
#include "ir/subset.h"

namespace sdfg {

/// Are two containers that begin at the same address one, for all who index them?
inline bool same_layout(const Data& a, const Data& b) {
  const Array *one = a.as_array(), *other = b.as_array();
  return a.json_type() == b.json_type() && a.dtype == b.dtype && a.shape == b.shape &&
         (!one || !other ||
          (one->strides == other->strides && one->offset == other->offset &&
           one->start_offset == other->start_offset));
}

/// Does a part of a container begin where the container does?
inline bool is_origin(const Subset& part) {
  return std::ranges::all_of(part.ranges, [](const Range& r) { return r.begin == Expr(0); });
}

/// Does a part begin before a box of step 1 or end behind it, by literal differences alone? Then it
/// lies in the box at most where it has no elements, and who does not know that it has none (the
/// verifier, DaCe) sees it leave what the box becomes.
inline bool leaves(const Subset& box, const Subset& part) {
  const Subset all = without_gaps(part);
  for (std::size_t d = 0; d < box.rank(); ++d) {
    const auto before = (box[d].begin - all[d].begin).as_integer(),
               behind = (all[d].end - box[d].end).as_integer();
    if ((before && *before > 0) || (behind && *behind > 0)) return true;
  }
  return false;
}

}  // namespace sdfg
