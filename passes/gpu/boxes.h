#pragma once

#include "ir/sdfg.h"
#include "passes/maps/nest.h"

namespace sdfg {

/// Kernels start boxes of threads. A map whose later ranges depend on earlier parameters gets one
/// around it that counts their steps, up to the most there can be; inside, each thread runs one
/// point or none:
///
///     map i, j in 0:N, i:N { … }   =>   map i, k in 0:N, 0:N {
///                                         map j in i+k : min(N, i+k+1) { … } }
///
/// Where the most cannot be bounded, the ranges stay as they are, in the map inside. Returns the
/// entry of the outer map, which is a box (or the same one, if it was one before).
NodeId put_into_box(const Sdfg& sdfg, State& state, MapEnds map, AssignedNames& assigned);

}  // namespace sdfg
