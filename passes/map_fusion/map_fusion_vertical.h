#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapFusionVertical {
  static constexpr PassInfo info{
      .name = "map-fusion-vertical",
      .summary = "join maps that write with maps that read what was written",
      .details = R"(
    map i in 0:N { T[i] = f(A[i]) }         map j in 0:N {
    map j in 0:N { B[j] = g(T[j]) }   =>      t = f(A[j])
                                              B[j] = g(t) }

The container between becomes a scalar, or as small an array as one iteration writes, inside the joined
map. It stays if anybody else reads it, and is written behind the joined map then. Parameters are
renamed (and shifted) so that each iteration reads what it wrote itself; which one becomes which is
taken from the subsets. Where the second map is alone in reading what the first writes, and runs over a
part of the first one's range, the first map does not compute the rest any more (`shrink`).

Refused when for some container that both touch an iteration of one map may meet another iteration of
the other; when what is read is not exactly one value written in the same iteration; when writes are
dynamic or combine values; when something else lies on a path from the first map to the second; when
ranges, schedules or scopes differ; when both use one container inside; and when a nested SDFG cannot
follow the smaller container.)",
  };
  struct Options {
    bool only_toplevel_maps = false, only_inner_maps = false;
    bool shrink = true;
    bool assume_pointwise = false;
    bool require_exclusive_intermediates = false, require_all_intermediates = false;
    bool assume_always_shared = false;
    bool never_consolidate_edges = false, consolidate_edges_only_if_not_extending = false;
    static constexpr auto properties = property_list(
        property("only_toplevel_maps", &Options::only_toplevel_maps, "leave maps in maps alone"),
        property("only_inner_maps", &Options::only_inner_maps, "leave the others alone"),
        property("shrink", &Options::shrink,
                 "let the first map compute no more than the second one reads"),
        property("assume_pointwise", &Options::assume_pointwise,
                 "element p of an argument depends on no other element of it, but in gathers"),
        property("require_exclusive_intermediates", &Options::require_exclusive_intermediates,
                 "only where every container between the maps goes"),
        property("require_all_intermediates", &Options::require_all_intermediates,
                 "only where the second map reads all that the first one writes"),
        property("assume_always_shared", &Options::assume_always_shared,
                 "keep the containers between the maps"),
        property("never_consolidate_edges", &Options::never_consolidate_edges,
                 "keep the edges of both maps from one access node apart"),
        property("consolidate_edges_only_if_not_extending",
                 &Options::consolidate_edges_only_if_not_extending,
                 "keep them apart unless one reads all that the other one does"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
