#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapInterchange {
  static constexpr PassInfo info{
      .name = "map-interchange",
      .summary = "swap two nested maps",
      .details = R"(
    map i in 0:N {                  map j in 0:M {
      map j in 0:M {          =>      map i in 0:N {
        body } }                        body } }

A map moves with all its attributes, its schedule too. Dynamic range inputs of the inner map are
read at the outer one. A map takes part in one swap only; outer pairs are looked at first.

Refused when anything else stands between the two maps; when a range or a dynamic range input inside
uses a parameter of the outer map, or reads what the nest writes, or an element that may not exist
where the outer map has no points, or GPU memory, which the host cannot read for the range of a
kernel; when the range outside is read in GPU memory and the map inside runs on the host; when both
maps define the same name; and when the points go through a stream in their order.)",
  };
  struct Options {
    std::vector<std::string> maps;
    static constexpr auto properties = property_list(
        property("maps", &Options::maps, "labels of outer maps to look at (none: all)"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
