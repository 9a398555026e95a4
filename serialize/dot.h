#pragma once

#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// Graphviz: one cluster per block, scope and nested SDFG; DaCe's shapes.
std::string to_dot(const Sdfg& sdfg);
/// GraphML with nested graphs and typed attributes, for networkx, Gephi and yEd. Node ids are
/// paths, so that they are unique and stable.
std::string to_graphml(const Sdfg& sdfg);

}  // namespace sdfg
