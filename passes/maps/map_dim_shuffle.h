#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapDimShuffle {
  static constexpr PassInfo info{
      .name = "map-dim-shuffle",
      .summary = "reorder the dimensions of maps",
      .details = R"(
    map i in 0:N, j in 0:M      =>      map j in 0:M, i in 0:N

with `parameters=j,i`. Maps that have other parameters stay as they are.

Refused when a range would come before the parameter that it uses, and when the points go through a
stream in their order.)",
  };
  struct Options {
    std::vector<std::string> parameters;
    std::vector<std::string> maps;
    static constexpr auto properties = property_list(
        property("parameters", &Options::parameters, "the new order"),
        property("maps", &Options::maps, "labels of the maps to look at (none: all)"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
