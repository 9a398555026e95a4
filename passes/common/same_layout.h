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

}  // namespace sdfg
