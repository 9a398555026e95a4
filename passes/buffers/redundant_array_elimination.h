#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct RedundantArrayElimination {
  static constexpr PassInfo info{
      .name = "redundant-array-elimination",
      .summary = "let containers that are copied live where they are copied to or from",
      .details = R"(
    before   =>   after

Refused when …)",
  };
  struct Options {
    bool assume_pointwise = false;
    static constexpr auto properties = std::tuple{
        property("assume_pointwise", &Options::assume_pointwise,
                 "a map that reads and writes a container does so element by element")};
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
