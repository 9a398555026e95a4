#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapToLoop {
  static constexpr PassInfo info{
      .name = "map-to-loop",
      .summary = "run maps of one parameter as loops",
      .details = R"(
    A -> map i in 0:N { x } -> B     =>     A -> nested { loop i in 0:N { A -> x -> B } } -> B

The inside becomes a nested SDFG that is given the parts of the containers that the map touches.

Refused for maps of several parameters (map-expansion takes them apart), maps on GPUs, MPI or FPGAs,
instrumented ones, dynamic ranges, ranges that read a symbol of the parameter's name, conflict
resolution at the border, containers that come from or go to several nodes, and for streams, views and
structures; and for maps without a schedule over GPU memory, which run there, where the loop would
not.)",
  };
  struct Options {
    std::vector<std::string> labels;
    static constexpr auto properties =
        property_list(property("labels", &Options::labels, "only maps of these labels; none: all"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

struct MoveLoopIntoMap {
  static constexpr PassInfo info{
      .name = "move-loop-into-map",
      .summary = "run loops around a map inside of it",
      .details = R"(
    for k in 0:K { map i in 0:N { x(k, i) } }     =>     map i in 0:N { for k in 0:K { x(k, i) } }

For loops whose body is one state with one map. What different points of the map touch must be apart
in all iterations together, as far as one of them writes. On a GPU that saves a launch for each
iteration; a CPU loses where the points of the map are neighbours in memory, and the iterations of the
loop are not: `only_to_neighbours` looks.

Refused when the loop's range cannot be told, when the body is more than one map, when the map's range
depends on the loop, when points of the map may meet (the message names the accesses), when the host
runs the map, for kernels inside, and for what map-to-loop refuses.)",
  };
  struct Options {
    bool only_to_neighbours = false;
    static constexpr auto properties = property_list(
        property("only_to_neighbours", &Options::only_to_neighbours,
                 "only loops that go to the next element in at least as many accesses as the map"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
