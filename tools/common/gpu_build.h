#pragma once

#include "codegen/gpu_plan.h"
#include "tools/common/build.h"

namespace sdfg {

/// How generated GPU programs are compiled for the device of this machine: with nvcc (CUDACXX, else
/// on the path, in CUDA_HOME or /usr/local/cuda, or in NVIDIA's wheels for Python) or hipcc
/// (HIPCXX, else on the path or in /opt/rocm). Multiplications and additions are not contracted.
/// The error says where was looked and what helps.
Result<BuildOptions> device_build(GpuDialect dialect);

/// The compiler alone, with what this installation of it needs: the command's first words.
Result<std::vector<std::string>> gpu_compiler(GpuDialect dialect);

/// For running without a device: the C++ compiler and codegen/runtime/sdfg_gpu_on_cpu.h. CXXFLAGS
/// is appended, so that sanitizers can be switched on.
BuildOptions stand_in_build();

}  // namespace sdfg
