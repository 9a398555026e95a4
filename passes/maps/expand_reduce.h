#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ExpandReduce {
  static constexpr PassInfo info{
      .name = "expand-reduce",
      .summary = "write reductions as maps",
      .details = R"(
    B[0:N] = reduce(A[0:N, 0:M], +, 0)   =>   map o in 0:N {
                                                acc = 0
                                                map r in 0:M { acc += A[o, r] }
                                                B[o] = acc }

for DaCe's Reduce and GT4Py's ReduceWithSkipValues, whose neighbours with -1 in the table count as
the identity; and for dot products (Dot, and MatMul of two vectors) inside of maps. One map over the dimensions that stay (none, if none does) and one inside over those
that go, which runs in order, so that floats are added in the order of the library node. Without an
identity the inner map accumulates in the output itself.

map-expansion and map-fusion-vertical then join it with the map that computes A, if that has the
dimensions in this order (map-dim-shuffle): DaCe's MapReduceFusion, without a conflict to resolve.

Refused when the output overlaps the input or may be the same memory through a view, as elements
would be written before all are read; when the dimensions that stay cannot be matched with those of
the output; when a subset has tiles; for a reduction without identity whose output resolves conflicts;
outside of all scopes, when its data is in GPU memory; for dot products there, which libraries
compute; and for those of vectors that are not known to have one length.)",
  };
  struct Options {
    Schedule inner_schedule = Schedule::Sequential;
    static constexpr auto properties = property_list(
        property("inner_schedule", &Options::inner_schedule, "of the map over what is reduced"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
