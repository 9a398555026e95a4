#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct AccumulateTransient {
  static constexpr PassInfo info{
      .name = "accumulate-transient",
      .summary = "collect what an inner map accumulates in a transient behind it",
      .details = R"(
    map ti in 0:N:4 {                map ti in 0:N:4 {
      map i in ti:ti+4 {               trans_r[0] = 0
        r[0] += A[i] } }       =>      map i in ti:ti+4 {
                                         trans_r[0] += A[i] }
                                       r[0] += trans_r[0] }

The transient starts from the value that the reduction leaves alone. Between every two nested maps
with accumulated data from the inner to the outer one, or where the data is `array`. Sums of floats
change their order.

Refused when the outer map reads the container, too; when writes inside do not all resolve conflicts
in the same way, or by something else than a sum, product, extreme, or logical or bitwise operation;
when the box may leave the container or has no bound without map parameters; and when a nested SDFG
or a view depends on where the container lies.)",
  };
  struct Options {
    std::string array;
    Storage storage = Storage::Default;
    std::vector<std::string> maps;
    static constexpr auto properties = property_list(
        property("array", &Options::array, "the container to collect (none: each)"),
        property("storage", &Options::storage, "of the transient"),
        property("maps", &Options::maps, "labels of outer maps to look at (none: all)"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
