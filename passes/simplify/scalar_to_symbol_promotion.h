#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ScalarToSymbolPromotion {
  static constexpr PassInfo info{
      .name = "scalar-to-symbol-promotion",
      .summary = "let scalars that hold integers be symbols",
      .details = R"(
    idx[2] -> [s = v + 1] -> (s)                 --{s = idx[2] + 1}-->
    (s), A -> map i { B[i] = A[i] * s }   =>     A -> map i { B[i] = A[i] * s }

A symbol has one value in a state, so that subsets, ranges and conditions can be reasoned about. Each
tasklet or copy that writes the scalar becomes an assignment in front of its state; who read the
scalar reads the symbol.

For transients of one element that are integers of 32 or 64 bits, or truth values. With
`only_control`, only for those that a condition, an assignment or the range of a map reads.

Refused when the scalar is written inside a scope, with conflict resolution, or twice in a state; when
its value is computed from containers that the same state writes, by more than one Python expression
of +, -, *, comparisons, choices and logic (// and %, too, of symbols that are certainly not negative),
or from wider numbers; when nothing writes it; when somebody reads the old value in a state that
writes a new one; and when a reader is a library node, a view or code in another language.
Refused, too, where control flow or a tasklet on the host would touch GPU memory for it.
A nested SDFG that only reads the scalar gets the symbol instead; inside, the same holds.)",
  };
  struct Options {
    bool only_control = false;
    static constexpr auto properties = property_list(property(
        "only_control", &Options::only_control, "only scalars that control flow or ranges read"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
