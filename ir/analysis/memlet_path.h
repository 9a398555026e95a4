#pragma once

#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// The edges that carry one datum through scopes, outermost source first: backward through the
/// edge into IN_x of each OUT_x, forward through the first edge out of OUT_x of each IN_x, until a
/// node that is no scope node, or a dynamic range input. Stops when a connector has no edge.
std::vector<EdgeId> memlet_path(const State& state, EdgeId edge);
/// First and last node of that path.
NodeId path_source(const State& state, EdgeId edge);
NodeId path_target(const State& state, EdgeId edge);
/// The consume scope whose popped element the edge carries, because its path leaves the entry at
/// OUT_stream; none for all other edges.
NodeId popped_by(const State& state, EdgeId edge);
/// Innermost edges of the tree of paths that passes this edge, in edge order: one for a plain
/// edge, all fan-outs behind an entry's OUT_x, all fan-ins before an exit's IN_x.
std::vector<EdgeId> path_leaves(const State& state, EdgeId edge);
/// A memlet's subset at the end where the container is.
std::optional<Subset>& subset_at(Memlet& memlet, const std::string& name, bool write);
const std::optional<Subset>& subset_at(const Memlet& memlet, const std::string& name, bool write);
/// The edge that binds a view's access node to the container it views, by DaCe's rules
/// (`views` connector, then which memlet names whom); nothing when it cannot be told.
std::optional<EdgeId> viewed_edge(const Sdfg& sdfg, const State& state, NodeId view);

}  // namespace sdfg
