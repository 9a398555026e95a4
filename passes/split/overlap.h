#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/analysis/order.h"
#include "passes/pass.h"

namespace sdfg {

/// A producing and a consuming map that could be fused if their ranges were equal: iteration by
/// iteration, the consumer reads of what the producer writes only what its same iteration writes.
struct OverlapPair {
  NodeId producer, consumer;  ///< entries
  /// By parameter of the consumer: the producer's parameter of the same iteration.
  std::vector<std::size_t> producer_parameter;
};

/// Why the two maps, connected through the access node, could not be fused even on a range that
/// they have in common: other parameters or schedules, reads at an offset, another container that
/// both touch, a path from one to the other beside what they exchange. `order` is that of the
/// state.
Refusal check_overlap(const Sdfg& sdfg, const State& state, NodeId access, NodeId producer_exit,
                      NodeId consumer, const Order& order, const Assumptions& assumptions,
                      OverlapPair& pair);

}  // namespace sdfg
