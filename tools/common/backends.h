#pragma once

#include <array>
#include <string_view>

#include "tools/common/run.h"

namespace sdfg {

/// What `--run` can run with. `…-on-cpu`: the GPU program on a stand-in for the GPU.
inline constexpr std::array<std::string_view, 6> backend_names{"interpreter", "cpu", "cuda-on-cpu",
                                                               "hip-on-cpu", "cuda", "hip"};

/// One of these; `count`: the interpreter counts what kernels move; `plan`: the text of a plan for
/// GPU programs. The error says which compiler is missing.
Result<Backend> backend_by_name(std::string_view name, bool count, const std::string& plan = {});

}  // namespace sdfg
