#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MoveBeforeConditional {
  static constexpr PassInfo info{
      .name = "move-before-conditional",
      .summary = "do what does not depend on a conditional before it, beside what it belongs to",
      .details = R"(
    state a: A -> map -> B              state a: A -> map -> B; A -> map -> D
    if c: state b: B -> map -> C   =>   if c: state b: B -> map -> C
    state d: A -> map -> D; ...         state d: ...

Dataflow behind a conditional moves between it and the state before it, where state-fusion joins
it with that state, and maps that read the same data, or what the other has written, can become one.
What moves neither reads what a branch writes nor writes what a branch or a condition reads or
writes; with it moves all that it waits for. It moves if it has more arrays in common with states
before the conditional than with what stays behind it (integers, which are neighbour tables, are not
counted).

Refused when a branch holds views, references, streams or side effects, or more than 64 states; when
the edges around the conditional have conditions or assignments, or other blocks lead to it or to
what follows; when nothing can move; and when what can has more in common with what stays.)",
  };
  struct Options {};
  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
