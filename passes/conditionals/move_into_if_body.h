#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MoveIntoIfBody {
  static constexpr PassInfo info{
      .name = "move-into-if-body",
      .summary = "run dataflow in the only branch that needs it",
      .details = R"(
    t = f(a)                       if c:
    if c: x = t + 1       =>         t = f(a)
    else: x = 0                      x = t + 1
                                   else: x = 0

An if is a nested SDFG that holds conditionals. A computation (tasklet, inner map, library node,
nested SDFG) moves together with the transients that it writes, to the innermost branch in which
all their uses lie; so chains of ifs become nests, and what two branches need stays in front of
them. What is moved reads through connectors that carry just the elements it reads.

Refused, with the reason, when a container is accessed elsewhere, too, outlives the scope, is a
view, a stream, or the target of a write-conflict resolution; when the code has side effects; when
a symbol or container has another meaning inside the if; and when the if writes what would be
read.)",
  };
  struct Options {};
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
