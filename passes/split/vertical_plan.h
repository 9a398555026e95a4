#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "passes/common/side_effects.h"
#include "passes/split/container_split.h"
#include "passes/split/overlap.h"

namespace sdfg {

/// What splitting costs and gains, in bytes that the memory moves in the meantime.
struct SplitCosts {
  std::int64_t launch_bytes;     ///< moved in the time that a kernel takes to start
  std::int64_t assumed_extent;   ///< of a dimension whose size is not known
};

/// A map around the container, in the plan's own numbering of parameters.
struct PlannedMap {
  NodeId entry, exit;
  bool producer;
  std::vector<std::size_t> common;  ///< by parameter: its number in the plan
  Subset box;                       ///< the range, by number in the plan
  std::vector<Subset> pieces;       ///< likewise: what the map becomes; none: it stays as it is
  bool only_writes = false;         ///< nobody misses iterations whose outputs nobody reads
};

/// How the maps that write and read one container are cut so that what overlaps can be fused and
/// the container's part in between dies.
struct VerticalPlan {
  std::vector<PlannedMap> maps;
  FragmentPlan fragments;   ///< of the container afterwards, as foreseen
  std::int64_t launches_before = 0, launches_after = 0, bytes_saved = 0;
  std::string text;         ///< the decision with its numbers
  Refusal refusal;
  bool candidate = false;   ///< there are maps on both sides, and their ranges differ

  /// The range of a map's own parameters for one of its pieces.
  static std::vector<Range> ranges(const PlannedMap& map, const Subset& piece);
};

/// `uses` are all uses of a container with one access node; `assigned`: symbols that the SDFG
/// assigns. The maps' ends are refined once; adjacent pieces that have no different partners are
/// put together again.
VerticalPlan plan_vertical_split(const Sdfg& sdfg, const State& state, const ScopeTree& tree,
                                 const Accesses& accesses, SideEffects& effects,
                                 Overlaps& overlaps, const ContainerUses& uses,
                                 const SymbolSet& assigned, const SplitCosts& costs,
                                 const Assumptions& assumptions);

}  // namespace sdfg
