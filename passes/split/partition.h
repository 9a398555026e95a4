#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/subset.h"

namespace sdfg {

// Taking boxes apart and putting them together. Boxes have step 1 here; others are refused. Every
// piece is a subset of what it was cut from, and the pieces are disjoint and together the whole,
// for all values that the symbols can have.

/// Is the one certainly not above the other? Quick where they are the same tree.
inline bool at_most(const Expr& a, const Expr& b, const Assumptions& assumptions) {
  return a == b || certain(less_equal(a, b, assumptions));
}

/// A box cut along the borders of another one.
struct Cut {
  std::optional<Subset> inside;  ///< what lies in the other box; none: certainly nothing
  std::vector<Subset> outside;   ///< the rest: before and behind, dimension by dimension
};

/// What to do where the order of two borders is not known.
enum class Undecided : std::uint8_t {
  Refuse,  ///< cut nothing
  Clamp    ///< bound the piece with min and max, which makes it empty where it has to be
};

/// Nothing when a range has a step, or a border cannot be placed and may not be clamped.
std::optional<Cut> cut(const Subset& box, const Subset& by, const Assumptions& assumptions,
                       Undecided undecided = Undecided::Refuse);

/// The points in both, as a box. Clamped, it is the same whichever comes first.
std::optional<Subset> intersection(const Subset& a, const Subset& b, const Assumptions& assumptions,
                                   Undecided undecided = Undecided::Refuse);

/// Joins disjoint boxes that agree in all dimensions but one and touch there, where both certainly
/// hold a point or end right before they begin. The result depends on the set of boxes, not on
/// their order; n log n comparisons for each dimension.
std::vector<Subset> merge_adjacent(std::vector<Subset> boxes, const Assumptions& assumptions = {});

/// A total order on the structure of boxes.
bool structurally_less(const Subset& a, const Subset& b);

/// Tells whether boxes certainly have no point in common. Parts of one box repeat each other's
/// ranges, so dimensions are asked about first, each pair of ranges once; whole boxes only where no
/// dimension decides.
class Apart {
 public:
  explicit Apart(const Assumptions& assumptions) : assumptions_(assumptions) {}
  bool operator()(const Subset& a, const Subset& b);

 private:
  std::size_t number(const Range& range);

  const Assumptions& assumptions_;
  std::map<Subset, std::size_t, decltype(&structurally_less)> numbers_{&structurally_less};
  std::map<std::pair<std::size_t, std::size_t>, bool> known_;  ///< by numbers, the smaller first
};

/// Finds, among boxes, those that may share a point with another one. Boxes whose borders differ by
/// known numbers in some dimension are found by searching, so that many slices of one container
/// cost n log n; the others are tried one by one.
class BoxIndex {
 public:
  BoxIndex(std::span<const Subset> boxes, const Assumptions& assumptions);
  /// Indices into the boxes, ascending. Boxes that are not wanted are left out without a
  /// comparison.
  std::vector<std::size_t> may_intersect(
      const Subset& box, const std::function<bool(std::size_t)>& wanted = {});

 private:
  struct Interval {
    std::int64_t low, high, highest_so_far;
    std::size_t box;
  };
  std::optional<Interval> interval(const Subset& box, std::size_t dimension) const;

  std::span<const Subset> boxes_;
  Apart apart_;
  std::size_t dimension_ = 0;        ///< by which the boxes are sorted
  std::vector<Interval> intervals_;  ///< by low
  std::vector<std::size_t> others_;  ///< boxes that are not among the intervals
};

}  // namespace sdfg
