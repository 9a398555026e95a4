#pragma once

#include "ir/sdfg.h"
#include "passes/common/gpu_memory.h"
#include "passes/gpu/placement.h"
#include "passes/maps/nest.h"
#include "passes/transformation.h"

namespace sdfg {

/// Leaves of the copies of a state, outside of scopes, those that calls of the runtime make, or the
/// host on its own memory. Where both sides are on the GPU, copies that update what is there or
/// change the shape become maps. Between host and GPU these go as they are to a container on the
/// target's side, and so do those that convert:
///
///     A -> B : A[0:N] -> [2:N + 2]   =>   A -> A_host -> B : A_host[0:N] -> [2:N + 2]
///
/// Scalars of the host that library nodes read go to the GPU.
Changed make_copies_feasible(Sdfg& sdfg, State& state, const GpuPlacement& placement,
                             const GpuMemory& gpu, AssignedNames& assigned, const Trail& trail,
                             PassContext& context);

}  // namespace sdfg
