#pragma once

#include "ir/sdfg.h"
#include "passes/gpu/placement.h"
#include "passes/transformation.h"

namespace sdfg {

/// The entry of a new map of one point around a tasklet or a nested SDFG.
NodeId put_into_map_of_one_point(const Sdfg& sdfg, State& state, NodeId code);

/// Puts what a single column does level by level into a map of one point, which becomes one kernel:
/// a nested SDFG outside of maps, with control flow, on arrays in GPU memory only, and with nothing
/// that many threads could share. On the host each of its tasklets would be a kernel, launched in
/// each turn of a loop, and no condition could read what they write.
Changed columns_into_kernels(Sdfg& sdfg, const GpuPlacement& placement, PassContext& context);

}  // namespace sdfg
