#pragma once

#include <optional>
#include <vector>

#include "ir/expr.h"
#include "ir/subset.h"

namespace sdfg {

/// Questions about boxes of elements, where no box means any elements.
struct BoxAlgebra {
  const Assumptions& assumptions;

  /// May they have elements in common?
  bool overlap(const Subset& a, const Subset& b) const;
  bool overlap(const std::optional<Subset>& a, const std::optional<Subset>& b) const {
    return !a || !b || overlap(*a, *b);
  }
  /// Certainly all of `inner`?
  bool contains(const Subset& outer, const Subset& inner) const;
  bool contains(const std::optional<Subset>& outer, const std::optional<Subset>& inner) const {
    return outer && inner && contains(*outer, *inner);
  }
  /// Does the box hold all that the two have in common?
  bool contains_both(const std::optional<Subset>& outer, const std::optional<Subset>& a,
                     const std::optional<Subset>& b) const;
  /// What is left of boxes when certain elements are taken away.
  void subtract(std::vector<Subset>& boxes, const Subset& cut) const;
};

}  // namespace sdfg
