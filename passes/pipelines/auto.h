#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "passes/inside_maps/configure_transients.h"
#include "passes/pipelines/gt4py.h"

namespace sdfg {

struct Auto {
  static constexpr PassInfo info{
      .name = "auto",
      .summary = "optimize a program of any front end",
      .details = R"(
    sdfg-opt program.sdfgz --auto -o optimized.sdfgz

For programs that GT4Py has not lowered, as those of DaCe's NumPy front end. In short: simplify, and
loops that may be maps become maps, until nothing changes; fuse maps and let containers share storage,
until nothing changes; loops that go on run inside of maps, on CPUs only where they go along rows of
memory, and maps of consecutive states become one; then order, strides, storage and, on GPUs, kernels.
Nothing is assumed of the program: `assume_pointwise` is off by default, unlike in gt4py.

Operations on floats stay in their order, so results keep their bits, as far as the program itself
says an order. `tile_wcr` gives this up for sums and extremes that parallel iterations accumulate.

The steps and their reasons follow below for the default options.)",
  };
  struct Options {
    OptimizationTarget target = OptimizationTarget::Cpu;
    std::vector<std::string> symbols;
    TransientMemoryMode transient_memory_mode = TransientMemoryMode::Pool;
    std::int64_t tile_wcr = 0;
    bool assume_pointwise = false;
    static constexpr auto properties = property_list(
        property("target", &Options::target, "cpu, cuda or hip"),
        property("symbols", &Options::symbols,
                 "symbols known at compile time: NAME=VALUE, or JSON files"),
        property("transient_memory_mode", &Options::transient_memory_mode,
                 "scoped, persistent, pool or external"),
        property("tile_wcr", &Options::tile_wcr,
                 "iterations that accumulate on their own before they meet (0: none)"),
        property("assume_pointwise", &Options::assume_pointwise,
                 "element p of an argument depends on no other element of it, but in gathers"));
  };
  static Result<std::vector<PlannedStep>> steps(const Options& options);
};

}  // namespace sdfg
