#pragma once

#include <cstdint>

#include "passes/transformation.h"

namespace sdfg {

struct MapSplitVertical {
  static constexpr PassInfo info{
      .name = "map-split-vertical",
      .summary = "cut maps where a part between them can then be fused away",
      .details = R"(
    map i in 0:9 { t[i] = f(i) }                 map i in 0:4 { t_part_0[i] = f(i) }
    map j in 0:4 { A[j] = t[j] }          =>     map j in 0:4 { A[j] = t_part_0[j] }
    map k in 4:9 { B[k] = t[k] }                 map i in 4:9 { t_part_1[i - 4] = f(i) }
                                                 map k in 4:9 { B[k] = t_part_1[k - 4] }

Prepares map-fusion-vertical. All maps that write or read one container are cut along one another's
ends, and adjacent pieces without different partners are put together again. The container is split
with them. A piece of a producer that nobody reads is dropped.

A container is cut only when all of this holds: some producer and consumer could be fused if their
ranges were equal (same number of parameters, what one reads of the other's results is of the same
iteration, no other dependence between them); what they exchange on their common range is used by nobody
else, so that it dies with the fusion; pieces lie in the original range for all values of symbols; and it
pays: where kernels become more, the bytes of the container that need not be stored and loaded must exceed
`launch_bytes` for each (of a container known to be small in all dimensions, as in a test: the bytes of
one of unknown size). A map takes part in one decision per run: repeat the pass together with fusion.

Run map-dead-range-elimination first: a map whose surplus nobody reads shrinks and need not be cut.)",
  };
  struct Options {
    std::int64_t launch_bytes = 4'000'000;
    std::int64_t assumed_extent = 1000;
    static constexpr auto properties =
        property_list(property("launch_bytes", &Options::launch_bytes,
                               "bytes that memory moves in the time one more kernel costs"),
                      property("assumed_extent", &Options::assumed_extent,
                               "iterations of a dimension whose size is not known"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
