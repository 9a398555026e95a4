#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ExpandPointwise {
  static constexpr PassInfo info{
      .name = "expand-pointwise",
      .summary = "write np.where, np.roll and np.broadcast_to as maps",
      .details = R"(
    C[0:N] = where(m[0:N], A[0:N], B[0])   =>   map i in 0:N { C[i] = A[i] if m[i] else B[0] }

for the library nodes that DaCe has for them since 2.0.0b1 (MergeLibraryNode, CShift, Broadcast): each
element of the result is one element of an input. The map has the dimensions of the result, and can fuse
with the maps that make the inputs and use the result.

Refused when the result overlaps an input or may be the same memory through a view, as elements would be
written before all are read; when a subset has tiles; when sizes do not fit; and, outside of all scopes,
when its data is in GPU memory.)",
  };
  struct Options {
    static constexpr auto properties = property_list();
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
