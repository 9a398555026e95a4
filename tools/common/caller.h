#pragma once

#include "tools/common/build.h"
#include "tools/common/run.h"

namespace sdfg {

/// Generates C++ for the program, builds it, and calls it once through its entry points
/// (docs/abi.md), in a process of its own: one that crashes is an error that names the signal.
/// Sizes that are not given are read off the shapes of given arrays; arrays named `__return…` need
/// not be given.
Backend cpu_backend(const BuildOptions& options = {});

/// The same for a GPU, or for the stand-in for one (tools/common/gpu_build.h). Arrays that are in
/// the GPU's memory are copied there and back. The program is called twice with the same arguments;
/// warnings say whether the second call gave other results, allocated memory or waited.
using Generator = std::function<Result<Bundle>(const Sdfg& sdfg)>;
Backend gpu_backend(const Generator& generator, const BuildOptions& options);

}  // namespace sdfg
