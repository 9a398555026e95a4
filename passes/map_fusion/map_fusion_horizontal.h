#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapFusionHorizontal {
  static constexpr PassInfo info{
      .name = "map-fusion-horizontal",
      .summary = "join independent maps over the same range",
      .details = R"(
    map i in 0:N { B[i] = f(A[i]) }         map i in 0:N {
    map j in 0:N { C[j] = g(A[j]) }   =>      B[i] = f(A[i])
                                              C[i] = g(A[i]) }

What both read is read once. Maps meet in buckets of equal scope, schedule and ranges, so the cost
grows with the number of maps, not with its square. Parameters of the second map are renamed.

Refused when a path leads from one map to the other; when one writes a container that the other one
touches, unless different iterations certainly never meet and one iteration touches different elements;
when both use one container inside; when one takes from a stream; with `only_if_common_ancestor`, when
no node precedes both; and, with `producers_first`, when one of the maps could otherwise join all who
read what it writes, and some of them read neighbours of what the other one writes.)",
  };
  struct Options {
    bool only_toplevel_maps = false, only_inner_maps = false;
    bool only_if_common_ancestor = false, producers_first = false;
    bool assume_pointwise = false;
    bool never_consolidate_edges = false, consolidate_edges_only_if_not_extending = false;
    static constexpr auto properties = property_list(
        property("only_toplevel_maps", &Options::only_toplevel_maps, "leave maps in maps alone"),
        property("only_inner_maps", &Options::only_inner_maps, "leave the others alone"),
        property("only_if_common_ancestor", &Options::only_if_common_ancestor,
                 "only maps that read the same node"),
        property("producers_first", &Options::producers_first,
                 "not where a map could no longer join those who read its results"),
        property("assume_pointwise", &Options::assume_pointwise,
                 "element p of an argument depends on no other element of it, but in gathers"),
        property("never_consolidate_edges", &Options::never_consolidate_edges,
                 "keep the edges of both maps from one access node apart"),
        property("consolidate_edges_only_if_not_extending",
                 &Options::consolidate_edges_only_if_not_extending,
                 "keep them apart unless one reads all that the other one does"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
