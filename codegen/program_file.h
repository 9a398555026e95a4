#pragma once

#include "codegen/program.h"

namespace sdfg {

/// The file of a program: state, functions, entry points. Connector types must be known.
/// `found` takes what only generation finds out: memory, and where the host waits.
Result<Bundle> generate(const Sdfg& sdfg, const Dataflows& flows, const Target& target,
                        GpuPlan* found = nullptr);

// gpu.cpp: what a program with a GPU has besides.

/// Prototypes of the entry points that the program's own code may call.
std::string gpu_declarations(const Program& program);
/// The plan's `graph`: a program whose calls differ although their arguments do not, or that waits,
/// cannot be recorded. Arguments and what was found out in `program` must be complete.
Status check_graph(const Program& program, const std::vector<Argument>& arguments);
/// Declarations before a launch that time it and name it, as the plan says.
std::vector<std::string> around_launch(const GpuPlan& plan, const KernelPlan& kernel);
/// The end of __dace_exit_NAME: gives memory back and returns the first error.
std::string gpu_exit(const Program& program);
/// Entry points for streams and errors; `init` is the parameter list of __dace_init_cuda.
std::string gpu_entry_points(const Program& program, const std::string& init);

}  // namespace sdfg
