#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct LoopToMap {
  static constexpr PassInfo info{
      .name = "loop-to-map",
      .summary = "make loops whose iterations do not depend on each other maps",
      .details = R"(
    for i in 0:N { B[i] = A[i] + A[i + 1] }     =>     map i in 0:N { nested { B[i] = A[i] + A[i + 1] } }

The inner loops first. For each container that is written, what one iteration writes must be certainly
apart from what any other reads or writes; transients that are used in the loop alone, and written in
each iteration before they are read, become the iteration's own. The body becomes a nested SDFG that
is given the part of each container that it touches; inline-sdfg can open it.

Refused when the range cannot be told, a jump leaves an iteration early, a symbol or a container
carries a value from one iteration to the next (the message names the accesses), the body sets a
container to zero, a tasklet may have side effects, the host runs the loop and the data is in GPU memory,
and for streams, references and structures.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
