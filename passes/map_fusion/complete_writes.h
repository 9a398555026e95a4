#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct CompleteWrites {
  static constexpr PassInfo info{
      .name = "complete-writes",
      .summary = "write the old value where a map may not write",
      .details = R"(
    map i in 0:N { if m[i]: A[i] = 0 }   =>   map i in 0:N { A[i] = A[i]; if m[i]: A[i] = 0 }

so that a masked update, as `A[m] = 0` in NumPy, can fuse with the maps that write and read `A`. Applied to
tasklets in maps at the top level of a state, where a map of the same ranges has written `A` before or
reads it afterwards: else more would be moved for nothing. Maps of more dimensions that get what comes of it
might come to compute all of it again for each of their points, so then it stays.

Refused when iterations may write the same element, or one that `A` does not have, or read others of `A`;
when the tasklet is not Python, or does more with the output than to assign it; when types differ; when the
value before is not at hand in the same state; when `A` is an argument of a nested SDFG; and when it may be
the same memory as another container, or is used by name.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
