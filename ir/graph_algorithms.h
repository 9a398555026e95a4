#pragma once

#include <optional>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Nodes with every node after its predecessors; among those that are ready, the smallest id comes
/// first. Nothing when the graph has a cycle.
std::optional<std::vector<NodeId>> topological_order(const StateGraph& graph);
/// The nodes of one cycle in edge order, for messages; empty when there is none.
std::vector<NodeId> find_cycle(const StateGraph& graph);

/// Where control enters: the only block without predecessors; if there are several or none, the
/// stored start block. Nothing when that leaves it open.
std::optional<BlockId> start(const RegionGraph& graph, std::optional<BlockId> stored);
inline std::optional<BlockId> start(const Region& region) {
  return start(region, region.start_block);
}
/// Is it where control enters? Looks at the other blocks only where this one does not tell.
bool is_start(const Region& region, BlockId block);
/// Blocks reachable from the start in depth-first preorder, out-edges in order.
std::vector<BlockId> reachable_blocks(const Region& region);
/// Blocks in reverse postorder from the start: without cycles a topological order. Where ways part,
/// the shorter comes first: a loop's body, or what ends soon, stands beside what leads there.
std::vector<BlockId> reverse_postorder(const Region& region);
/// Immediate dominators, indexed by block id; the start and unreachable blocks have none.
std::vector<BlockId> immediate_dominators(const Region& region);
/// Strongly connected component numbers by block id, ~0 for erased ids; numbered in topological
/// order of the condensation.
std::vector<std::size_t> strong_components(const Region& region);

}  // namespace sdfg
