#pragma once

#include "ir/sdfg.h"
#include "passes/pass.h"

namespace sdfg {

/// Calls visit(sdfg, region, trail, containers) for each region of an SDFG and, at last, the SDFG
/// itself: what is inside a region's blocks first, nested SDFGs included. `containers` are the
/// names of the SDFG's. The answer says whether any visit changed something.
template <class F>
Changed walk_regions(Sdfg& sdfg, const Trail& trail, F&& visit);

namespace detail {
template <class F>
Changed walk_region(Sdfg& sdfg, Region& region, const Trail& trail, const SymbolSet& containers,
                    F& visit) {
  Changed changed = Changed::No;
  for (BlockId b : region.nodes()) {
    Block& block = region[b];
    const Trail here = trail.in(block);
    if (Region* inner = block.region())
      changed |= walk_region(sdfg, *inner, here, containers, visit);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches)
        changed |= walk_region(sdfg, branch.region(), here.in(branch.block), containers, visit);
    if (auto* state = block.as<State>())
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
          changed |= walk_regions(**nested->sdfg, here.in(*state, n), visit);
  }
  return changed | visit(sdfg, region, trail, containers);
}
}  // namespace detail

template <class F>
Changed walk_regions(Sdfg& sdfg, const Trail& trail, F&& visit) {
  SymbolSet containers;
  for (const auto& [name, data] : sdfg.arrays) containers.insert(name);
  return detail::walk_region(sdfg, sdfg, trail, containers, visit);
}

}  // namespace sdfg
