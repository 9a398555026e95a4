#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ContinueToCondition {
  static constexpr PassInfo info{
      .name = "continue-to-condition",
      .summary = "turn `continue` in loops into branches",
      .details = R"(
    loop { if c { A; continue }; B }     =>     loop { if c { A } else { B } }
    loop { if c { continue }; B }        =>     loop { if not c { B } }

Works on conditionals directly in a loop's body, the last one first. What follows one must not be
reached in another way.

Refused when the conditional has several branches or its branch does more than run to the jump; when
it goes on in several ways or under a condition; and when its condition is no Python expression.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
