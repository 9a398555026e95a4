#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct StateFusion {
  static constexpr PassInfo info{
      .name = "state-fusion",
      .summary = "join consecutive states into one dataflow graph",
      .details = R"(
    state a: A -> map -> B          state a: A -> map -> B -> map -> C
    state b: B -> map -> C     =>

Two states that always run one after the other become one. What the second reads is taken from the
access node that the first wrote, where one write decides; wherever two accesses to the same elements
would lose their order (write after read, write after write, several writers), an empty memlet keeps
it, so no program is refused for its data. Subsets that provably do not meet need no order.

Refused when the edge has a condition; when its assignments cannot move in front of the first state;
when either state is reached or left in another way, is instrumented or hands over by a reference or a
stream; when one reads by name (in a subset, a range or code) what the other writes; when the second
leaves a value for the next run of the first in a transient that no other state uses, which would
begin anew; and when both have side effects.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
