#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/analysis/memlet_path.h"
#include "ir/sdfg.h"
#include "passes/common/accesses.h"
#include "passes/pass.h"

namespace sdfg {

/// One edge at an access node of a container: it writes or reads a part of it.
struct ContainerUse {
  State* state;
  std::size_t site;  ///< index into ContainerUses::sites
  EdgeId edge;
  bool write;
  Subset subset;  ///< holds all that is touched, inside scopes as well
};

/// Every use of one container in its SDFG.
struct ContainerUses {
  std::string name;
  std::vector<AccessSite> sites;
  std::vector<ContainerUse> uses;     ///< with data, by site, in-edges first
  bool through_pointers = false;   ///< by a nested SDFG or a view, which know the strides
};

/// The uses of a transient array that are all known: no view or reference itself, read by name
/// nowhere, no access node inside a scope, a subset on every edge. `top_level` tells whether a
/// node is in no scope. In time linear in the edges of the memlet trees.
struct FoundUses {
  ContainerUses value;
  Refusal refusal;
};
FoundUses find_uses(const Sdfg& sdfg, const Accesses& accesses, const std::string& name,
                    const Assumptions& assumptions);

/// All that an edge at an access node of the container touches of it, from its innermost memlets.
/// Nothing when a memlet on the way does not say.
std::optional<Subset> footprint(const Sdfg& sdfg, const State& state, EdgeId edge, bool write,
                                const std::string& name, const Assumptions& assumptions);

/// The edges of the memlet tree that begins (reads) or ends (writes) with this edge, outer before
/// inner.
std::vector<EdgeId> memlet_tree(const State& state, EdgeId edge, bool write);

}  // namespace sdfg
