#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MinMaxElimination {
  static constexpr PassInfo info{
      .name = "min-max-elimination",
      .summary = "replace minima and maxima whose winner is known",
      .details = R"(
    map[Max(1, begin):end]   begin <= 0 is assumed     =>     map[1:end]

In ranges of maps, subsets of memlets, descriptors of transients and what nested SDFGs are given,
arguments of Min and Max that another argument dominates go. What is known are the assumptions
(`--assume`, extents of arguments, conditions of a version). With nothing assumed about a symbol,
expressions stay as they are; so do those that mention parameters of maps.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options&, PassContext& context);
};

}  // namespace sdfg
