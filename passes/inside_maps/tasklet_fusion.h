#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct TaskletFusion {
  static constexpr PassInfo info{
      .name = "tasklet-fusion",
      .summary = "join tasklets that hand a scalar on into one",
      .details = R"(
    a -> [t = a + 1] -> (s) -> [o = t * b] -> o     =>     a, b -> [t = a + 1; o = t * b] -> o

A tasklet whose only result is a transient scalar that one other tasklet reads becomes the
beginning of that tasklet's code. Whole trees are joined at once. The scalar's type is kept by a
conversion where the code computes another one; names of local variables and connectors stay
apart; what several parts read is read once.

Refused when the code is not Python made of assignments to names, when a result is assigned on
some ways only or resolves conflicts, when a tasklet has side effects, and when the scalar is used
elsewhere, too.)",
  };
  struct Options {};
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
