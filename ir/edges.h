#pragma once

#include <algorithm>
#include <vector>

#include "ir/control_flow.h"

namespace sdfg {

/// Counts the edge last, wherever it stands? As in DaCe, only by its text: `True` is a condition.
inline bool is_unconditional(const InterstateEdge& edge) {
  return edge.condition.text() == "1" || edge.condition.text().empty();
}

/// The ways out of a block in the order in which they are tried.
inline std::vector<InterstateEdgeId> edges_as_tried(const RegionGraph& region, BlockId block) {
  std::vector<InterstateEdgeId> out(region.out(block).begin(), region.out(block).end());
  std::ranges::stable_partition(
      out, [&](InterstateEdgeId e) { return !is_unconditional(region[e]); });
  return out;
}

}  // namespace sdfg
