#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct InlineFusion {
  static constexpr PassInfo info{
      .name = "inline-fusion",
      .summary = "compute again what a map reads at offsets, instead of storing it",
      .details = R"(
    map i in 0:N { T[i] = f(A[i]) }             map i in 1:N - 1 {
    map i in 1:N - 1 {                            l = f(A[i - 1])
      B[i] = g(T[i - 1], T[i + 1]) }     =>       r = f(A[i + 1])
                                                  B[i] = g(l, r) }

The first map goes into the second, once for each element that an iteration reads; equal elements share
one copy. Applied where an iteration moves no more elements than before: copies times the inputs of
the first map, against its inputs, its result and the reads of it (`always` leaves this out). Where
each iteration reads one element, map-fusion-vertical does the same without computing twice. With
`shared`, also where somebody else reads the result; the first map stays then.

Refused when anybody else reads the result, unless `shared`, or may write it in between; when the
first map holds more than tasklets and scalars, writes anything else, or has more than `most_nodes`
nodes in all copies; when it is not certain that every element read has been written; and when an input
of the first map is written in the state and that is not certain to happen before.)",
  };
  struct Options {
    bool only_toplevel_maps = false, only_inner_maps = false;
    bool always = false, shared = false;
    std::int64_t most_nodes = 100;
    static constexpr auto properties = property_list(
        property("only_toplevel_maps", &Options::only_toplevel_maps, "leave maps in maps alone"),
        property("only_inner_maps", &Options::only_inner_maps, "leave the others alone"),
        property("always", &Options::always, "even where that moves more"),
        property("shared", &Options::shared, "even where the result is read elsewhere, too"),
        property("most_nodes", &Options::most_nodes, "nodes that all copies may have together"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
