#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MergeAccessNodes {
  static constexpr PassInfo info{
      .name = "merge-access-nodes",
      .summary = "merge access nodes that hold the same values",
      .details = R"(
    A -> map 1          A -> map 1 -> B          A -> map 1 -> B
    A -> map 2     =>   A -> map 2          and  C -> map 2 -> B     =>   both into one B

At the top level of a state: access nodes of a container that nothing precedes become one, and so do
those that nothing follows. The order of the readers and writers among themselves stays as it is.
What then goes to one map through several connectors is for consolidate-edges.

Refused for views, references and streams; when an access node sets its container to zero or is
instrumented; for readers that come after a write to the container elsewhere in the state, which
then do not see what the first access node stands for; and for writers where somebody reads what one
of them wrote before the other one writes.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
