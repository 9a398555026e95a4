#pragma once

#include "passes/map_fusion/fusion_plan.h"

namespace sdfg {

/// How edges of both maps to one access node become one edge.
struct JoinOptions {
  bool never_consolidate_edges = false;
  bool consolidate_edges_only_if_not_extending = false;
};

/// Makes one map of two, as planned, and says whether that is the first one: the smaller one goes
/// into the larger one, so that joining many maps one after the other costs n log n. Containers
/// that nobody uses any more are added to `unused`.
bool join_maps(const FusionSite& site, FusionMap& first, FusionMap& second, const FusionPlan& plan,
               const JoinOptions& options, SymbolSet& unused);

}  // namespace sdfg
