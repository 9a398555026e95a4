#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ShrinkTransients {
  static constexpr PassInfo info{
      .name = "shrink-transients",
      .summary = "give transients the size of what is used of them",
      .details = R"(
    transient t: float64[N, 80]                  transient t: float64[N, 3]
    map i, k in 0:N, 77:80 { t[i, k] = … }  =>   map i, k in 0:N, 77:80 { t[i, k - 77] = … }
    map i, k in 0:N, 77:80 { … = t[i, k] }       map i, k in 0:N, 77:80 { … = t[i, k - 77] }

What remains of a container when most of its values went into maps. Each dimension becomes the part
that certainly holds all accesses. Where all writes are to one index of a dimension, as at the surface,
only this index stays: what is read elsewhere was never written, so nobody uses it.

Left alone: containers that are not transient arrays, are demoted fields, read by name, or accessed
in scopes; dimensions that are not certainly smaller. Refused when a border depends on a symbol that
the SDFG assigns, and when a nested SDFG knows the strides, with which less takes as much memory.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
