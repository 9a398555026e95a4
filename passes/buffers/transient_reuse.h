#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct TransientReuse {
  static constexpr PassInfo info{
      .name = "transient-reuse",
      .summary = "let transients that are needed one after the other share memory",
      .details = R"(
    A -> map -> t -> map -> B -> map -> u -> map -> C
        =>   A -> map -> t -> map -> B -> map -> t -> map -> C

Within a state that runs once a call: all who use one transient come before all who use the other, on
paths that are there already, so no order is added. The last step of a pipeline, as two values in one
container keep other passes from seeing them apart.

Left alone: transients that several states use, that are of another type, shape, layout or storage,
that live inside scopes, in registers or beyond a call, that are read before they are written, and those
that views or references look at. Refused where nobody comes before.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
