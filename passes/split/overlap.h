#pragma once

#include <map>
#include <tuple>
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

/// Why two maps, connected through an access node, could not be fused even on a range that they
/// have in common: other parameters or schedules, reads at an offset, another container that both
/// touch, a path from one to the other beside what they exchange. As long as the state does not
/// change; `order` is its order. Two maps may be connected through many nodes: all but what the
/// node itself says is found out once.
class Overlaps {
 public:
  Overlaps(const Sdfg& sdfg, const State& state, const Order& order,
           const Assumptions& assumptions)
      : sdfg_(sdfg), state_(state), order_(order), assumptions_(assumptions) {}

  Refusal check(NodeId access, NodeId producer_exit, NodeId consumer, OverlapPair& pair);

 private:
  /// The exit, the consumer, and the parameters of the same iteration.
  using Key = std::tuple<NodeId, NodeId, std::vector<std::size_t>>;
  const Sdfg& sdfg_;
  const State& state_;
  const Order& order_;
  const Assumptions& assumptions_;
  std::map<Key, Refusal> known_;
};

}  // namespace sdfg
