#pragma once

#include "passes/map_fusion/fusion_plan.h"

namespace sdfg {

/// Others may write a node between the maps, too. Whoever comes after the second map came after
/// them, because the second map read that node; the fused map, which does not, comes before it.
/// Adds to `plan.follow` whom has to be made to wait for whom: what comes before such a node and
/// what comes after the second map, where both touch the same elements and one of them writes. When
/// that is not easily told, all that follows the second map directly waits for the node.
///
/// Asked when the rest of the plan stands. Changes nothing.
Refusal follow_others(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                      FusionPlan& plan);

}  // namespace sdfg
