#pragma once

#include <cstdint>

#include "passes/transformation.h"

namespace sdfg {

struct MapSplitHorizontal {
  static constexpr PassInfo info{
      .name = "map-split-horizontal",
      .summary = "cut maps that read the same data where the part in common can be fused",
      .details = R"(
    map i in 0:9 { B[i] = f(A[i]) }         map i in 0:4 { B[i] = f(A[i]) }
    map j in 4:9 { C[j] = g(A[j]) }   =>    map i in 4:9 { B[i] = f(A[i]) }
                                            map j in 4:9 { C[j] = g(A[j]) }

Prepares map-fusion-horizontal. Maps at the top of a state whose ranges overlap, and differ in at most
`dimensions` dimensions, are cut at each other's ends. It pays when the kernels do not become more, or
the bytes that both read in common exceed `launch_bytes` for each kernel more (of maps known to be small
in all dimensions, as in a test: the bytes of maps of unknown size). A map takes part in one
decision per run: repeat the pass together with fusion. One map may also read what the other writes, if
each iteration reads what the same iteration of the other has written; fusion saves reading that.
Ranges with the same points that are written differently are written alike.

Refused when a path leads from one map to the other otherwise, or one writes what the other touches;
when the ranges' ends cannot be ordered; when the ranges may lie apart or only touch, and both would be
cut; when schedules differ, a step is not 1, or a range is dynamic; when a map has no points or
has side effects, or cannot be copied; and when it does not pay.)",
  };
  struct Options {
    std::int64_t dimensions = 1;
    std::int64_t launch_bytes = 4'000'000;
    std::int64_t assumed_extent = 1000;
    static constexpr auto properties =
        property_list(property("dimensions", &Options::dimensions,
                               "in so many dimensions the ranges may differ"),
                      property("launch_bytes", &Options::launch_bytes,
                               "bytes that memory moves in the time one more kernel costs"),
                      property("assumed_extent", &Options::assumed_extent,
                               "iterations of a dimension whose size is not known"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
