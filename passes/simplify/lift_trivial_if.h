#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct LiftTrivialIf {
  static constexpr PassInfo info{
      .name = "lift-trivial-if",
      .summary = "remove branches that the loops and conditions around them decide",
      .details = R"(
    for i in 1:N { if i > 0 { A } else { B } }     =>     for i in 1:N { A }

Besides what a condition says by itself, the ranges of loops around it count, and that all conditions
around it hold and those before it in the same conditional do not. A conditional with one certain
branch becomes a plain region.

Conditions that read containers, or symbols that are no integers, are left alone; so are facts about
symbols that change between where they hold and the condition.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
