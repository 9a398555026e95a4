#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "passes/transformation.h"

namespace sdfg {

struct GpuTransformation {
  static constexpr PassInfo info{
      .name = "gpu-transformation",
      .summary = "run maps as GPU kernels on data in GPU memory",
      .details = R"(
    map i { B[i] = A[i] }  =>  map i {schedule = GPU_Device, gpu_block_size = [64, 1, 1]} { … }

Maps and library nodes at the top of a state become kernels, what is inside them runs
sequentially, transients inside go to registers. Arrays, arguments included, are in GPU memory;
scalars stay on the host unless a kernel writes them. Tasklets outside of maps that touch GPU
memory become kernels of one thread, and so does a nested SDFG with control flow that has nothing to
run in parallel: a scan over a single column. A value that one tasklet hands straight to another gets
a scalar. Copies in GPU memory that update what is there, or change the shape of what they move, become
kernels, too; the runtime makes all others. Between host and GPU it moves things as they are: what such a
copy updates, reshapes or converts is copied to the target's side first. Library nodes read there, too.

Block sizes are (x, y, z); x goes along the last parameter of a map. A size is reduced to the
known extent of its dimension; a map of which only one dimension has more than one value counts as
having one. Where a range depends on another parameter of its map, threads are started for the most
steps there can be, and those that have none do nothing. The launch bound is `gpu_launch_bounds`, or
`gpu_launch_factor` times the threads of a block.

Where control flow on the host reads what a kernel writes, the host waits for the GPU; a warning
says where. Elements of arrays, or arrays, are copied to the host in a state before. Where the body of
a loop writes what the condition in front of it reads, each iteration begins with a conditional that
asks, and breaks.

States that no kernel can do stay on the host: those with consume scopes, streams, structures of
the program's own, arguments' structures inside of maps, callbacks, or tasklets that keep state. They
get copies of the arrays that they share with others, made in a state before and written back in
one after; a warning says which. Members of arguments' structures that kernels read through views
are in GPU memory; the structures themselves lie on the host.

Impossible, and an error, when the init or update statement of a loop, or a condition behind the body,
reads an array that its body writes, or the symbols of a nested SDFG one that a kernel writes; when a scalar argument is written by a kernel;
when a state that stays on the host uses a reference; or when control flow reads a view that no
state before shows. The program moves as a whole: `--limit` allows all of it or nothing.)",
  };
  struct Options {
    std::vector<std::int64_t> gpu_block_size{32, 8, 1};
    std::vector<std::int64_t> gpu_block_size_1d{64, 1, 1};
    std::vector<std::int64_t> gpu_block_size_2d, gpu_block_size_3d;
    std::string gpu_launch_bounds;
    std::int64_t gpu_launch_factor = 0;
    std::int64_t gpu_maxnreg = 0;
    static constexpr auto properties = property_list(
        property("gpu_block_size", &Options::gpu_block_size, "threads of a block in x, y and z"),
        property("gpu_block_size_1d", &Options::gpu_block_size_1d,
                 "the same for maps of one dimension"),
        property("gpu_block_size_2d", &Options::gpu_block_size_2d, "of two dimensions"),
        property("gpu_block_size_3d", &Options::gpu_block_size_3d, "of three dimensions and more"),
        property("gpu_launch_bounds", &Options::gpu_launch_bounds, "threads per block at most"),
        property("gpu_launch_factor", &Options::gpu_launch_factor,
                 "or how many times those of the block size"),
        property("gpu_maxnreg", &Options::gpu_maxnreg, "registers per thread (0: no limit)"));
  };
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
