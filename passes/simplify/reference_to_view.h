#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ReferenceToView {
  static constexpr PassInfo info{
      .name = "reference-to-view",
      .summary = "make references that are set to one thing views of it",
      .details = R"(
    a: A[0:N] --set--> (R)      =>      a:
    b: (R) -> f -> (R)                  b: A -> (R) -> f -> (R) -> A

A view says in each state what it looks at, so that other passes see which container is touched. Where
a reference is set, no more happens.

Refused when the reference is an argument, is read by name or refers to a structure; when a node of code sets
it, it is set to a view or another reference, or to several things; when it is set or used inside a scope, or
its access node is set to zero; and when where it points depends on a symbol that the program assigns.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
