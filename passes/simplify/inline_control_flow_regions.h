#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct InlineControlFlowRegions {
  static constexpr PassInfo info{
      .name = "inline-control-flow-regions",
      .summary = "put the blocks of plain regions in place of the regions",
      .details = R"(
    a -> region { b -> c } -> d     =>     a -> b -> c -> d

Plain regions, named ones and those of function calls group blocks and mean nothing else. Where a
region can be left from several blocks, these lead to a new empty state. Branches, loops and regions
marked as unstructured stay.

Refused when it cannot be told where the region starts.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
