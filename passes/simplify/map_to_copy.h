#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapToCopy {
  static constexpr PassInfo info{
      .name = "map-to-copy",
      .summary = "replace maps that only copy by copies",
      .details = R"(
    A -> map i in 0:N, j in 2:M { b = a } -> B      =>     A -> B : A[0:N, 2:M] -> [1:N + 1, 0:M - 2]
         A[i, j]           B[i + 1, j - 2]

One element goes in and out of the tasklet. Each parameter appears in one dimension on either side,
with a coefficient above 0, and in the same order of dimensions, so that the copy visits the elements
in pairs as the map did: a transposition or a reversal stays a map.

Refused when the tasklet does anything else, or converts the type; when anything else goes through the
map; when the ends are not access nodes of two different plain containers; when a memlet resolves
conflicts, or may leave the bounds; when a range depends on another parameter; when strides are unknown
and the map walks in another order than that of dimensions; and when the schedule says where the body
runs, or the map is instrumented.)",
  };
  struct Options {};

  using Match = Path<MapEntry, Tasklet, MapExit>;
  static Refusal check(const Sdfg&, const State&, const Match&, const Options&);
  static std::vector<NodeId> apply(Sdfg&, State&, const Match&, const Options&);
};

}  // namespace sdfg
