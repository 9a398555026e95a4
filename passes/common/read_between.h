#pragma once

#include <span>
#include <vector>

#include "ir/analysis/order.h"
#include "ir/sdfg.h"

namespace sdfg {

/// Who writes at an access node, and who reads there; orders are neither.
std::vector<NodeId> writers_at(const State& state, NodeId access);
std::vector<NodeId> readers_at(const State& state, NodeId access);

/// Does one of the readers come after one of some writers and before one of others, whichever of
/// the two are the first? Then what these write must not become one access node: it stands for one
/// time. Yes, too, where there are too many to ask.
bool is_read_between(const Order& order, std::span<const NodeId> readers,
                     std::span<const NodeId> writers, std::span<const NodeId> others);

}  // namespace sdfg
