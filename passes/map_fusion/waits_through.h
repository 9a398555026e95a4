#pragma once

#include <vector>

#include "passes/map_fusion/fusion_plan.h"

namespace sdfg {

/// The second map waits for all that comes before a node between the maps. When it no longer reads
/// that node, whom does it still have to wait for? Scopes' exits and nodes beside the maps that
/// touch what it writes, or write what it touches, and do not come before the first map; added to
/// `out`. Refused when that is a copy to the node itself, which is done when the node is there.
Refusal waits_through(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                      NodeId between, std::vector<NodeId>& out);

}  // namespace sdfg
