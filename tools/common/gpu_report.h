#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/gpu_plan.h"
#include "support/result.h"

namespace sdfg {

/// What a compiler made of one kernel.
struct KernelResources {
  std::string name;
  std::int64_t registers = 0;         ///< per thread; AMD: vector registers
  std::int64_t scalar_registers = 0;  ///< per wave; AMD only
  std::int64_t spilled = 0;           ///< NVIDIA: bytes stored and loaded; AMD: registers
  std::int64_t stack = 0;             ///< bytes per thread
  std::int64_t shared = 0;            ///< bytes per block
  std::int64_t code = 0;              ///< bytes of machine code
};

/// From what `ptxas -v` prints and the compiled program (an ELF file; empty: sizes of code are 0).
std::vector<KernelResources> parse_ptxas(std::string_view printed, std::string_view cubin);
/// From assembly text of LLVM's AMDGPU backend.
std::vector<KernelResources> parse_amdgpu(std::string_view assembly);

/// Compiles the program for sm_90 and gfx90a, or as far as compilers are found, and lists
/// registers, spills, memory and code size of each kernel, with warnings. Needs no GPU. The error
/// says what cannot be generated or compiled, or that no compiler was found. `plan`: see
/// GpuOptions.
Result<std::string> gpu_report(const Sdfg& sdfg, const std::string& plan = {});

}  // namespace sdfg
