#pragma once

#include <optional>
#include <vector>

#include "ir/analysis/order.h"
#include "passes/pass.h"

namespace sdfg {

/// One edge's use of a container at the top level of a state. It waits for what comes before
/// `begin` and is done after `end`: of a read these are the access node and the consumer (of a map,
/// its exit), of a write the producer (of a map, its entry) and the access node.
struct Use {
  NodeId node;  ///< the access node
  EdgeId edge;  ///< at that node
  NodeId begin, end;
  std::optional<Subset> box;  ///< none: anything
  bool write = false;
  bool combines = false;  ///< a write that also reads what is there
  bool exact = false;     ///< a write of every element of the box
  bool viewed = false;    ///< through a view; `edge` is the viewing edge
};

/// Looks again at where the use's edge leads: nodes may have become one. False when the edge is
/// gone.
bool refresh(const State& state, const Order& order, Use& use);

/// Adds the uses at one access node, those through views included. Fails for what is no plain read
/// or write: references, nodes inside scopes, filling with zeros.
Refusal collect_uses(const Sdfg& sdfg, const State& state, const Order& order, NodeId node,
                     std::vector<Use>& out);

}  // namespace sdfg
