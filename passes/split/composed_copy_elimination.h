#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ComposedCopyElimination {
  static constexpr PassInfo info{
      .name = "composed-copy-elimination",
      .summary = "read what is composed of copies where the copies came from",
      .details = R"(
    A[0:5] -> t[0:5]                             map i in 0:9 {
    B[0:4] -> t[5:9]                       =>      x = A[i] if i < 5 else B[i - 5]
    map i in 0:9 { C[i] = f(t[i]) }                C[i] = f(x) }

Each read chooses its source where it happens: directly, where it certainly lies in one part, and by a
tasklet that tests the index otherwise. A test that is certainly true in the scope is left out. The
container and the copies go. Sources come in through all scopes around, each once, as far as they are
read.

Refused when the container is not transient or used elsewhere, when something else than plain copies
of disjoint parts writes it, or one copy alone; when a reader takes more than one element of several
parts, or is a library node or a nested SDFG that is given more than one element; when the copy converts
or goes to memory of the GPU or out of it, and when the host would have to choose there; and when a
source may be overwritten before the last reader has read.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
