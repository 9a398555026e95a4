#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "passes/inside_maps/configure_transients.h"
#include "passes/inside_maps/map_iteration_order.h"
#include "passes/registry.h"

namespace sdfg {

/// What a program is optimized for.
enum class OptimizationTarget : std::uint8_t { Cpu, Cuda, Hip };
template <>
inline constexpr std::array<std::string_view, 3> names<OptimizationTarget>{"cpu", "cuda", "hip"};

/// For which case a program gets a version of its own without being told.
enum class GuardedVersions : std::uint8_t { Off, Likely };
template <>
inline constexpr std::array<std::string_view, 2> names<GuardedVersions>{"off", "likely"};

struct Gt4py {
  static constexpr PassInfo info{
      .name = "gt4py",
      .summary = "optimize a program lowered by GT4Py",
      .details = R"(
    sdfg-opt lowered.sdfgz --gt4py=target=cuda -o optimized.sdfgz

GT4Py's auto-optimizer under its own option names; `gpu` is `target`. The copies between access nodes
that ICON4Py's hook removes for the implicit solvers always go; hooks are lists of passes, with their
options in braces: post_hook=map-tiling{tile_sizes=8,8},map-collapse. In short:
simplify; fuse maps and let containers share storage until nothing changes; choose sources of composed
containers where they are read; order what maps read and write in place; then the inside of maps:
blocking, tasklets, conditionals; then order, strides and storage for the target.

Where bounds are left that only a call decides (`Max(1, begin)`), everything after the first
simplify is done again for a copy in which symbols have the order that ranges of maps suggest:
maps have points, and what cuts a range lies inside it; so it is where two results that are made of
the same elements have symbols of their own for their sizes, which are likely equal. The copy stays as a version of its own
where it is estimated to move at least one percent fewer bytes, or no more in fewer kernels
(remarks of `versions` say what was assumed and the estimate); `versions=off` never makes one.
With `typical` or `when` the copy is made instead for the conditions that were stated, or that
follow from the typical values (which branch is taken, which of two bounds is the larger). A check
at the start of a call chooses; results are the same for all values.

The steps and their reasons follow below for the default options.)",
  };
  struct Options {
    OptimizationTarget target = OptimizationTarget::Cpu;
    DimensionKind unit_strides_kind = DimensionKind::Unspecified;
    TransientMemoryMode transient_memory_mode = TransientMemoryMode::Pool;
    std::vector<std::int64_t> gpu_block_size{32, 8, 1};
    std::vector<std::int64_t> gpu_block_size_1d{64, 1, 1};
    std::vector<std::int64_t> gpu_block_size_2d, gpu_block_size_3d;
    std::int64_t gpu_maxnreg = 0;
    std::int64_t gpu_launch_bounds = 0;
    double gpu_launch_factor = 0;
    std::vector<std::string> blocking_dims;
    std::int64_t blocking_size = 10;
    bool blocking_only_if_independent_nodes = true;
    bool promote_independent_memlets_for_blocking = false;
    std::int64_t blocking_independent_node_threshold = 0;
    bool scan_loop_unrolling = false;
    std::int64_t scan_loop_unrolling_factor = 0;
    bool disable_splitting = false;
    bool assume_pointwise = true;
    bool fuse_tasklets = false, reuse_transients = false;
    std::vector<std::string> symbols, demote_fields;
    std::vector<std::string> pre_hook, step_hook, post_hook, after_to_gpu_hook;
    GuardedVersions versions = GuardedVersions::Likely;
    std::vector<std::string> typical, when;
    static constexpr auto properties = property_list(
        property("target", &Options::target, "cpu, cuda or hip"),
        property("symbols", &Options::symbols,
                 "symbols known at compile time: NAME=VALUE, or JSON files"),
        property("versions", &Options::versions,
                 "off, or likely: a version for what ranges and results suggest of symbols"),
        property("typical", &Options::typical,
                 "values symbols usually have (likewise): a version for what they decide"),
        property("when", &Options::when, "conditions that a version of its own is made for"),
        property("demote_fields", &Options::demote_fields, "arguments that nobody needs outside"),
        property("pre_hook", &Options::pre_hook, "passes before maps are fused"),
        property("step_hook", &Options::step_hook, "passes at the end of each round of fusion"),
        property("post_hook", &Options::post_hook, "passes after the last round"),
        property("after_to_gpu_hook", &Options::after_to_gpu_hook, "passes on what is on the GPU"),
        property("unit_strides_kind", &Options::unit_strides_kind,
                 "kind of the dimension with stride 1; GPUs take horizontal"),
        property("transient_memory_mode", &Options::transient_memory_mode,
                 "scoped, persistent, pool or external"),
        property("gpu_block_size", &Options::gpu_block_size, "threads of a block in x, y and z"),
        property("gpu_block_size_1d", &Options::gpu_block_size_1d, "for maps of one dimension"),
        property("gpu_block_size_2d", &Options::gpu_block_size_2d, "of two dimensions"),
        property("gpu_block_size_3d", &Options::gpu_block_size_3d, "of three dimensions and more"),
        property("gpu_maxnreg", &Options::gpu_maxnreg, "registers per thread (0: no limit)"),
        property("gpu_launch_bounds", &Options::gpu_launch_bounds, "threads per block at most"),
        property("gpu_launch_factor", &Options::gpu_launch_factor,
                 "or how many times those of the block size"),
        property("blocking_dims", &Options::blocking_dims,
                 "dimensions to block, best first; none: no blocking"),
        property("blocking_size", &Options::blocking_size, "iterations in a block"),
        property("blocking_only_if_independent_nodes", &Options::blocking_only_if_independent_nodes,
                 "only where work is done once per block"),
        property("promote_independent_memlets_for_blocking",
                 &Options::promote_independent_memlets_for_blocking,
                 "read what a block reads repeatedly once"),
        property("blocking_independent_node_threshold",
                 &Options::blocking_independent_node_threshold, "nodes that must be gained"),
        property("scan_loop_unrolling", &Options::scan_loop_unrolling, "unroll loops of scans"),
        property("scan_loop_unrolling_factor", &Options::scan_loop_unrolling_factor,
                 "0: the compiler decides"),
        property("disable_splitting", &Options::disable_splitting,
                 "do not split maps and access nodes"),
        property("assume_pointwise", &Options::assume_pointwise,
                 "element p of an argument depends on no other element of it, but in gathers"),
        property("reuse_transients", &Options::reuse_transients,
                 "share memory between transients that are needed one after the other"),
        property("fuse_tasklets", &Options::fuse_tasklets, "join tasklets inside maps"));
  };
  static Result<std::vector<PlannedStep>> steps(const Options& options);
};

}  // namespace sdfg
