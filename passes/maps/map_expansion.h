#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapExpansion {
  static constexpr PassInfo info{
      .name = "map-expansion",
      .summary = "split a map of several dimensions into nested maps",
      .details = R"(
    map i in 0:N, j in 0:M {        map i in 0:N {
      body }                  =>      map j in 0:M {
                                        body } }

Each dimension gets a map of its own, or only the first `expansion_limit` do. The outermost map
keeps all attributes; the others run with `inner_schedule`. Memlets in between are propagated.

Refused for maps of one dimension, which have nothing to split.)",
  };
  struct Options {
    std::int64_t expansion_limit = 0;
    Schedule inner_schedule = Schedule::Sequential;
    std::vector<std::string> maps;
    static constexpr auto properties =
        property_list(property("expansion_limit", &Options::expansion_limit,
                               "dimensions to split off, from the first on (0: all)"),
                      property("inner_schedule", &Options::inner_schedule, "of the maps inside"),
                      property("maps", &Options::maps, "labels of the maps to split (none: all)"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
