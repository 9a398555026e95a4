#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ir/sdfg.h"
#include "passes/pass.h"

namespace sdfg {

/// Which iteration of one map meets which of the other, when they become one.
struct IterationMatch {
  /// The map that both become.
  std::vector<std::string> params;
  std::vector<Range> ranges;
  /// What the parameters of either map become; those that keep their names are left out.
  Substitution first, second;
  bool shrinks = false;   ///< the first map's range becomes smaller
  bool promotes = false;  ///< the first map gets dimensions, along which it repeats itself
};

/// What the subsets ask for: parameter `second` of the second map equals parameter `first` of the
/// first one plus a constant, so that what one iteration writes is what the other one reads.
struct ParameterPair {
  std::size_t first, second;
  Expr shift;
};

struct MatchOptions {
  bool shrink = false;   ///< the second map may run over a part of the first one's range
  bool promote = false;  ///< the second map may have more dimensions
};

/// Finds a match, or says why there is none. Pairs that the subsets ask for come first, then equal
/// names, then equal ranges in order. A dimension with one point needs no partner.
Refusal match_iterations(const MapEntry& first, const MapEntry& second,
                         const std::vector<ParameterPair>& wanted, const MatchOptions& options,
                         const Assumptions& assumptions, IterationMatch& out);

/// The pairs for which `read`, of the second map, begins in each dimension where `written` does.
void collect_pairs(const Subset& written, const std::vector<std::string>& first,
                   const Subset& read, const std::vector<std::string>& second,
                   std::vector<ParameterPair>& out);

/// Is it certain that two different iterations of the map never touch the same element, one through
/// `a` and the other through `b`? Bounds of the parameters belong into the assumptions.
bool independent(const Subset& a, const Subset& b, const std::vector<std::string>& params,
                 const std::vector<Range>& ranges, const Assumptions& assumptions);

/// Is it certain that some iteration touches through `b` the element that another one touches
/// through `a`, where the ranges are long enough? So it is for single elements a constant distance
/// apart, and for a row and a column.
bool shifted(const Subset& a, const Subset& b, const std::vector<std::string>& params,
             const std::vector<Range>& ranges);

}  // namespace sdfg
