#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct OutLocalStorage {
  static constexpr PassInfo info{
      .name = "out-local-storage",
      .summary = "collect what an inner map writes in a transient behind it",
      .details = R"(
    map ti in 0:N:4 {                map ti in 0:N:4 {
      map i in ti:ti+4 {               map i in ti:ti+4 {
        B[i] = f(A[i]) } }       =>      trans_B[i - ti] = f(A[i]) }
                                       B[ti:ti+4] = trans_B }

The transient holds exactly what the inner map writes of the container. Between every two nested
maps with data from the inner to the outer one, or where the data is `array`.

Refused when the outer map reads the container, too; when writes resolve conflicts (see
accumulate-transient); when it is not certain that each element of the box is written, as copying it
back would write what was never there; when the box has no bound without map parameters; and when a
nested SDFG or a view depends on where the container lies.)",
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
