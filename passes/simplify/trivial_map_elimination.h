#pragma once

#include "passes/common/gpu_memory.h"
#include "passes/transformation.h"

namespace sdfg {

struct TrivialMapElimination {
  static constexpr PassInfo info{
      .name = "trivial-map-elimination",
      .summary = "remove map dimensions that have one point",
      .details = R"(
    map i in 0:N, k in 3:4 {        map i in 0:N {
      B[i, k] = A[i, k] }      =>     B[i, 3] = A[i, 3] }

The parameter is replaced by its only value. A map that has no other dimension goes altogether; its
edges are joined, and empty memlets keep the order between what came before it, inside it and after
it where no data does.

Refused when the range may have more points; when the schedule says where the body runs (GPU, MPI,
FPGA) or the map is instrumented; when a map to be removed has dynamic range inputs; and when an
inner scope, a tasklet, a library node or the shape of a container inside depends on the name so that
it cannot be replaced.)",
  };
  struct Options {};

  using Match = Path<MapEntry>;
  using Facts = GpuMemory;
  static Refusal check(const Sdfg&, const State&, const Match&, const Options&, const Facts&);
  static std::vector<NodeId> apply(Sdfg&, State&, const Match&, const Options&);
};

}  // namespace sdfg
