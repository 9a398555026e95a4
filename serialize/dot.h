#pragma once

#include <string>

#include "ir/sdfg.h"

namespace sdfg {

// In both forms an element's id is the number of its region (SDFGs, loops, branches and so on are
// numbered as they are met, from the outside to the inside), of its block and of its node:
// "r0.b2.n5". So ids are unique, short at any depth, and the same in both forms.

/// Graphviz: one cluster per block, scope and nested SDFG; DaCe's shapes.
std::string to_dot(const Sdfg& sdfg);
/// GraphML with nested graphs and typed attributes, for networkx, Gephi and yEd. Blocks, branches
/// and nested SDFGs are nodes with a graph inside, marked as yEd marks its groups (networkx looks
/// inside only then). Because networkx makes one graph of it, each node also names its `parent`,
/// and its `scope` (the map around it).
std::string to_graphml(const Sdfg& sdfg);

}  // namespace sdfg
