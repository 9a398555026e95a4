#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct RefineNestedAccess {
  static constexpr PassInfo info{
      .name = "refine-nested-access",
      .summary = "give nested SDFGs only the part of a container that they use",
      .details = R"(
    A[0:N, 0:M] -> nested { if c { A[i, j] = 1 } }     =>     A[i, j] -> nested { if c { A[0, 0] = 1 } }

DaCe's RefineNestedAccess. Front ends hand whole containers to what they put into a nested SDFG, and
whoever looks at the memlets outside must think that each iteration meets all others. Each dimension of
which the accesses inside certainly stay within a smaller range is narrowed to it, and counts from the
range's begin; strides stay. What a container is given for reading and for writing begins at the same
element. The innermost SDFGs first; memlets at the scopes around follow.

Dimensions stay as they are where a range depends on what changes inside, names a constant of the nested
SDFG or a symbol that is read from a container, or may leave the container (an access that only a
condition keeps inside); so do containers with an offset. Refused for containers that conditions,
assignments or code read by name, and for nested SDFGs with side effects, streams, references or
structures, or with a container that is no plain part of the one outside.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
