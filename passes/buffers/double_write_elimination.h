#pragma once

#include "passes/buffers/buffer_elimination.h"

namespace sdfg {

struct DoubleWriteElimination {
  static constexpr PassInfo info{
      .name = "double-write-elimination",
      .summary = "let maps write the copies of what they write",
      .details = R"(
    map i { v = f(A[i]); T[i] = v }        map i { v = f(A[i])
    T[0:N] -> B[k, 0:N]               =>           B[k, i] = v
    T[0:N] -> C[3:N + 3]                           C[i + 3] = v }

All that one map writes into T is copied on: the map writes the targets, too, and the copies go. T goes
when nobody else reads it; otherwise the map still writes it. The value passes through a scalar where a
tasklet gives it to several.

Refused when the copy takes less or more than what the map certainly writes; when several edges lead
to T's access node or the write combines; when the map or something that is not certainly before it
uses the target, and an ordering edge cannot help; when the element types differ or a view, a
reference or a stream is involved; and when what produces the value inside the map is neither a
tasklet that gives one element nor a container.)",
  };
  using Options = BufferOptions;

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
