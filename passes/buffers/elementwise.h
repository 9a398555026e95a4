#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "ir/analysis/order.h"
#include "passes/buffers/uses.h"

namespace sdfg {

/// Whether a map may write where it reads: no point of the map writes what another one reads, and
/// within one point the read comes first.
struct SameElement {
  Truth answer = Truth::Unknown;
  /// Nodes inside the map that need an ordering edge for that.
  std::vector<std::pair<NodeId, NodeId>> order;
  /// Edges from the map's entry whose element must be read into a scalar before that node runs: the
  /// reader comes after the writer.
  std::vector<std::pair<EdgeId, NodeId>> early;
};

/// Puts subsets of a container into the coordinates in which the two uses are compared.
using Coordinates = std::function<Subset(const Subset&)>;

/// `read` and `write` are uses by the same map (or tasklet) of what is going to be one container.
/// Yes when each read inside names exactly the element that its point writes, and no two points
/// write the same. All that is not such a plain case is Unknown; No is certain.
SameElement same_element(const Sdfg& sdfg, const State& state, const Order& order, const Use& read,
                         const Coordinates& read_at, const Use& write, const Coordinates& write_at);

}  // namespace sdfg
