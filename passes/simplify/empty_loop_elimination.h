#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct EmptyLoopElimination {
  static constexpr PassInfo info{
      .name = "empty-loop-elimination",
      .summary = "remove loops whose body does nothing",
      .details = R"(
    for i in 0:N { } -> a(i)     =>     --{i = max(0, N)}--> a(i)

The variable gets the value it has after the loop, in case somebody reads it;
unused-symbol-elimination removes the assignment if nobody does.

Refused when the loop may run forever or its range cannot be told, and when its bounds are not
computed from integer symbols.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
