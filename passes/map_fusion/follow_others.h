#pragma once

#include "passes/map_fusion/fusion_plan.h"

namespace sdfg {

/// Whom the fused map no longer keeps apart. Adds to `plan.follow` whom has to be made to wait for
/// whom, where both touch the same elements and one of them writes:
///
/// - Others may write a node between the maps, too. Whoever comes after the second map came after
///   them, because the second map read that node; the fused map, which does not, comes before it.
///   When it is not easily told who has to wait, all that follows the second map directly waits for
///   the node.
/// - Others may read a node between the maps that the first map writes no more. They came after all
///   that the first map waits for. When it is not easily told, the node waits for that.
///
/// Asked when the rest of the plan stands. Changes nothing.
Refusal follow_others(const FusionSite& site, const FusionMap& first, const FusionMap& second,
                      FusionPlan& plan);

}  // namespace sdfg
