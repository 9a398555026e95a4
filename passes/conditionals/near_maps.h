#pragma once

#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Where a conditional stands: the branch that holds it, and the place of that one's conditional.
struct BlockPlace {
  const Region& region;
  BlockId block;
  const BlockPlace* around = nullptr;
};

/// A map outside of scopes and the containers that it reads or writes.
struct NearMap {
  const State* state;
  NodeId entry, exit;
  bool always;  ///< it runs whenever the block does that it is near to
  SymbolSet containers;
};

/// Containers at a map's border.
SymbolSet containers_of(const State& state, NodeId entry, NodeId exit);

/// The maps of the nearest eight blocks that always run before the block (or behind it), the
/// nearest first: those of states, and of branches that are states. Around a conditional whose
/// branch begins (or ends) there the search goes on.
std::vector<NearMap> maps_near(const BlockPlace& place, bool before);

}  // namespace sdfg
