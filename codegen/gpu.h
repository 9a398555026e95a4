#pragma once

#include "codegen/codegen.h"
#include "codegen/gpu_plan.h"

namespace sdfg {

/// CUDA or HIP with DaCe's binary interface: one file for host and device. Pure: the same SDFG and
/// options give the same bytes. What cannot be generated is a located error before the first line
/// is written; a program without GPU maps is one. The SDFG is used up, as by generate_cpu.
Result<Bundle> generate_gpu(Sdfg sdfg, const GpuOptions& options = {});

}  // namespace sdfg
