#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct OptionalArrayInference {
  static constexpr PassInfo info{
      .name = "optional-array-inference",
      .summary = "tell which arrays cannot be absent",
      .details = R"(
    f(A?):                              f(A):
      if A is None { B = 0 }     =>       if A is None { B = 0 }
      A -> map -> B                       A -> map -> B

An argument may be None unless the program touches it in any case: in a state that certainly runs.
Transients are always there, and what a nested SDFG is given is there if it is in the SDFG around.
Sets `optional = false` and nothing else; conditions that ask (`A is None`) are then decided by
dead-state-elimination and lift-trivial-if.

Arrays that are marked already stay as they are, except inside of nested SDFGs. States behind the
first edge with a condition count as states that may not run: run control-flow-raising before.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
