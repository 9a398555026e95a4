#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MoveTaskletIntoMap {
  static constexpr PassInfo info{
      .name = "move-tasklet-into-map",
      .summary = "compute constants where they are used, inside maps",
      .details = R"(
    f -> (s) -> map { … }   =>   map { f -> (s') … }

A tasklet without inputs writes a scalar that maps read. Each map gets the tasklet and a scalar of
its own, so that the value is no argument of a kernel; everything in the map shares them. When
nothing else reads the scalar, it and the tasklet outside go.

Refused when the tasklet has side effects, when a map defines a name that the code reads, or
when the scalar is written at another place, too.)",
  };
  struct Options {};
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
