#pragma once

#include <optional>

#include "ir/sdfg.h"

namespace sdfg {

/// Is the edge more than an order? Code hands a value to code by connectors alone, too.
inline bool carries_data(const Edge& edge) {
  return !edge.memlet.empty() || !edge.src_connector.empty() || !edge.dst_connector.empty();
}

/// Makes one node of a state wait for another, by an empty memlet. Both must be in one scope, and
/// `after` must not come before `before` already.
///
/// Edges at library nodes are operands to DaCe, so those wait with their operands instead: what
/// comes after a library node waits for its result (an access node of its own, if that waits for
/// others, too), and a library node that has to wait reads from an access node of its own that
/// does. What comes after a view that is written waits for what it looks at.
void order(const Sdfg& sdfg, State& state, NodeId before, NodeId after);

/// The node to wait for instead of a library node: the access node that its only result goes to, if
/// nothing else is written there. Other nodes: themselves.
std::optional<NodeId> end_to_wait_for(const State& state, NodeId node);

}  // namespace sdfg
