#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapFusionIntoScan {
  static constexpr PassInfo info{
      .name = "map-fusion-into-scan",
      .summary = "compute level by level, inside of a scan, what a map computes for it before",
      .details = R"(
    map k in 0:K, i in 0:N {                 map i in 0:N {
      T[i, k] = f(A[i, k]) }                   nested {
    map i in 0:N {                               for k in 0:K {
      nested {                         =>          t = f(A[i, k])
        for k in 0:K {                             s = g(s, t)
          s = g(s, T[i, k])                        B[i, k] = s } } }
          B[i, k] = s } } }

The first map's body becomes a state at the start of the loop's body; containers between the two become
scalars, and are neither written nor read any more. What the first map reads is passed to the nested
SDFG whole. Each element that the scan reads is one that one iteration of the first map wrote, and no
two iterations of the scan read the same, so nothing is computed twice.

Refused when anybody else reads what the first map writes; when an iteration of the loop reads several
elements of one container, or those of several iterations of the first map, or when several iterations
read the same; when reads lie outside of loops, in several loops or in inner maps; when it is not
certain that each element has been written; when an input of the first map may be written before the
scan reads it; and when the body of the first map cannot become a state of its own.)",
  };
  struct Options {
    bool only_toplevel_maps = false, only_inner_maps = false;
    static constexpr auto properties = property_list(
        property("only_toplevel_maps", &Options::only_toplevel_maps, "leave maps in maps alone"),
        property("only_inner_maps", &Options::only_inner_maps, "leave the others alone"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
