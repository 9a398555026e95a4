#pragma once

#include "passes/gpu/placement.h"
#include "passes/pass.h"

namespace sdfg {

/// Control flow on the host cannot read arrays in GPU memory. What edges between states, conditions
/// of branches and loops read of them is copied in a state before: single elements to scalars
/// where the element is certainly read, else the array.
///
///     s -> t {x = A[i]}    =>    s -> {A[i] -> x_host} -> t {x = x_host}
///
/// What a loop's statements read of arrays that its body writes stays; GpuPlacement::check refuses
/// it. An error where an array may be null: nobody has asked yet when it is copied.
Result<Changed> copy_to_host(Sdfg& sdfg, const GpuPlacement& placement, PassContext& context);

/// Scalar arguments are passed by value, and scalars that only states on the host write lie there.
/// Where a nested SDFG is given one whose address its kernels take (as an array of one element), it
/// gets a copy in GPU memory. Arguments that the program writes stay; GpuPlacement::check refuses
/// them, since what is written would be lost.
Changed scalars_to_gpu(Sdfg& root, const GpuPlacement& placement, PassContext& context);

/// Gives each value that a tasklet outside of maps hands straight to another one a scalar of its
/// own: either may become a kernel. An error where it goes elsewhere, or its type is unknown.
Result<Changed> values_into_scalars(Sdfg& root, const GpuPlacement& placement,
                                    PassContext& context);

/// A transient like the container, in memory of the host.
Data on_host(const Data& data);

}  // namespace sdfg
