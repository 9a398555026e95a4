#pragma once

#include <optional>

#include "ir/sdfg.h"

namespace sdfg {

/// The two sides of an edge between access nodes, each dimension that has more than one element
/// matched with one on the other side, in order. Nothing when a side is not given and cannot be
/// told, when sizes do not certainly agree, or when a range has a step.
struct CopySidesMatched {
  Subset src, dst;
  std::vector<std::optional<std::size_t>> dst_of;  ///< by dimension of src

  /// What is written when only this part of src is copied.
  Subset written_by(const Subset& part_of_src) const;
  /// May this part of src be empty in a dimension that dst lacks, so that dst does not show it?
  bool hides(const Subset& part_of_src) const;
  /// What has to be read so that this part of dst is written.
  Subset read_for(const Subset& part_of_dst) const;
};
std::optional<CopySidesMatched> match_copy(const Sdfg& sdfg, const State& state, EdgeId edge,
                                           const Assumptions& assumptions);

/// Restricts the copy to that part of its source.
void restrict_copy(Memlet& memlet, const CopySidesMatched& sides, const Subset& part_of_src);

}  // namespace sdfg
