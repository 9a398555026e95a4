#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct SliceViewElimination {
  static constexpr PassInfo info{
      .name = "slice-view-elimination",
      .summary = "access what a view looks at without the view",
      .details = R"(
    A[i, 0:N] -> V -> map { V[k] }    =>    A[i, 0:N] -> map { A[i, k] }
    tasklet -> V[0] -> T[j]           =>    tasklet -> T[j]

Views that are slices: each of their wide dimensions has the stride of a dimension of the container.
Their accesses become accesses of it, inside and outside of maps, through nested SDFGs and further views.

Refused when a view gives the elements another type or shape; when it is both read and written at one
access node, or an empty memlet keeps an order there; when control flow reads it by name; and when a library node, a C++ tasklet or a
nested SDFG is made for the view's dimensions.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
