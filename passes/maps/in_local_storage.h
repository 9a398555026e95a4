#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct InLocalStorage {
  static constexpr PassInfo info{
      .name = "in-local-storage",
      .summary = "copy what an inner map reads into a transient before it",
      .details = R"(
    map ti in 0:N:4 {                map ti in 0:N:4 {
      map i in ti:ti+4 {               trans_A = A[ti:ti+4]
        B[i] = f(A[i]) } }       =>    map i in ti:ti+4 {
                                         B[i] = f(trans_A[i - ti]) } }

The transient holds the box around all that the inner map reads of the container, and gets memory
for the largest box. Between every two nested maps with data from the outer to the inner one, or
where the data is `array`.

Refused when the outer map writes the container, too; when it is not known how much is read; when
the box may leave the container, has steps or has no bound without map parameters; and when a nested
SDFG, a view or an inner scope's stream depends on where the container lies.)",
  };
  struct Options {
    std::string array;
    Storage storage = Storage::Default;
    std::vector<std::string> maps;
    static constexpr auto properties = property_list(
        property("array", &Options::array, "the container to copy (none: each)"),
        property("storage", &Options::storage, "of the transient"),
        property("maps", &Options::maps, "labels of outer maps to look at (none: all)"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
