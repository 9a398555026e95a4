#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct TrivialDimensionFolding {
  static constexpr PassInfo info{
      .name = "trivial-dimension-folding",
      .summary = "write the value of a parameter that has only one",
      .details = R"(
    map i in 0:N, k in 7:8 {        map i in 0:N, k in 7:8 {
      B[i, k] = A[i, k] }      =>     B[i, 7] = A[i, 7] }

The dimension stays, so the map keeps its rank (see trivial-map-elimination for removing it); what is
inside names the element directly.

Refused when an inner scope, a tasklet, a library node or the shape of a container inside depends on
the name so that it cannot be replaced.)",
  };
  struct Options {
    bool only_toplevel_maps = false;
    static constexpr auto properties = property_list(
        property("only_toplevel_maps", &Options::only_toplevel_maps, "leave maps in maps alone"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
