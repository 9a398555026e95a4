#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapPromotion {
  static constexpr PassInfo info{
      .name = "map-promotion",
      .summary = "give a map the dimensions of the map that reads it, and join them",
      .details = R"(
    map i in 0:N { T[i] = f(A[i]) }                   map i in 0:N, k in 0:K {
    map i in 0:N, k in 0:K { B[i, k] = g(T[i]) }  =>    t = f(A[i])
                                                        B[i, k] = g(t) }

The first map repeats itself along the new dimension instead of storing its result: one container and
one launch less. What a dimension is called says what it costs: along *_vertical and *_local* it is
taken for cheap (blocking hoists it again); along *_horizontal only a small first map is repeated, of
tasklets and scalars, with 22 nodes at most; others only with `promote_everything`. A first map with
a loop inside (a scan of columns) is repeated only with that, too.

Refused when anything but the second map reads what the first one writes, when a new parameter means
something else in the first map, and where map-fusion-vertical refuses.)",
  };
  struct Options {
    bool only_toplevel_maps = false, only_inner_maps = false;
    bool promote_vertical = true, promote_local = true, promote_horizontal = false;
    bool promote_everything = false;
    std::int64_t most_nodes = 22;
    bool assume_pointwise = false;
    bool never_consolidate_edges = false, consolidate_edges_only_if_not_extending = true;
    static constexpr auto properties = property_list(
        property("only_toplevel_maps", &Options::only_toplevel_maps, "leave maps in maps alone"),
        property("only_inner_maps", &Options::only_inner_maps, "leave the others alone"),
        property("promote_vertical", &Options::promote_vertical,
                 "along dimensions named *_vertical"),
        property("promote_local", &Options::promote_local, "along dimensions named *_local*"),
        property("promote_horizontal", &Options::promote_horizontal,
                 "along dimensions named *_horizontal, if the first map is small"),
        property("promote_everything", &Options::promote_everything, "along any dimension"),
        property("most_nodes", &Options::most_nodes,
                 "nodes, its own two included, of a first map that counts as small"),
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
