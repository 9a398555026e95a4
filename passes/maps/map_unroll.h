#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapUnroll {
  static constexpr PassInfo info{
      .name = "map-unroll",
      .summary = "write the body of a map once for each of its points",
      .details = R"(
    map i in 0:2 {                  B[0] = A[0]
      B[i] = A[i] }           =>    B[1] = A[1]

The parameters become numbers. Transients that only the body uses get a copy for each point. Works
at any depth, inner maps after the maps around them.

Refused when the ranges are no numbers or hold no point, or more than `max_points`, or the copies
would make more than `max_nodes` nodes of the state; when the schedule says where the body runs (GPU,
MPI, FPGA) or the map is instrumented; when it has dynamic range inputs or leads to a code node; when
its points go through a stream in their order; and when something inside depends on a parameter so that
it cannot be replaced.)",
  };
  struct Options {
    std::int64_t max_points = 64, max_nodes = 100000;
    std::vector<std::string> maps;
    static constexpr auto properties =
        property_list(property("max_points", &Options::max_points, "leave larger maps alone"),
                      property("max_nodes", &Options::max_nodes, "a state gets no more nodes"),
                      property("maps", &Options::maps, "labels of the maps to unroll (none: all)"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
