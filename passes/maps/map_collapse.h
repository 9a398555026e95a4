#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapCollapse {
  static constexpr PassInfo info{
      .name = "map-collapse",
      .summary = "join nested maps into one of more dimensions",
      .details = R"(
    map i in 0:N {                  map i in 0:N, j in 0:M {
      map j in 0:M {          =>      body }
        body } }

The outer map keeps its attributes and takes the inner one's dimensions behind its own. Dynamic
range inputs of the inner map are read at the outer one. Works from the outside in, so that a nest
of any depth becomes one map.

Refused when anything else stands between the two maps; when a range or a dynamic range input inside
uses a parameter of the outer map, or reads what the nest writes, or an element that may not exist
where the outer map has no points, or GPU memory, which the host cannot read for the range of a
kernel; when both maps define the same name; and, unless `permissive`, when their schedules differ or
the inner map is instrumented.)",
  };
  struct Options {
    bool permissive = false;
    std::vector<std::string> maps;
    static constexpr auto properties = property_list(
        property("permissive", &Options::permissive, "the outer schedule wins if they differ"),
        property("maps", &Options::maps, "labels of outer maps to look at (none: all)"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
