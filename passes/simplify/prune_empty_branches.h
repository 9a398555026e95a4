#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct PruneEmptyBranches {
  static constexpr PassInfo info{
      .name = "prune-empty-branches",
      .summary = "remove branches of conditionals that do nothing",
      .details = R"(
    if a { } elif b { B } else { }     =>     if not a and b { B }

Empty branches at the end go. An empty one right before the last makes the last branch's condition
stricter, so that it runs when it did before. A conditional without branches becomes an empty state.

Refused when more than one branch follows an empty one (each would have to repeat its condition), and
when the condition is no Python expression.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
