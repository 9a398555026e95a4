#pragma once

#include <cstdint>

#include "passes/transformation.h"

namespace sdfg {

struct KernelOrder {
  static constexpr PassInfo info{
      .name = "kernel-order",
      .summary = "number nodes so that few transients are in use at one time",
      .details = R"(
    n1 = map p writes t      n1 = map p writes t
    n2 = map q writes u      n2 = map r reads t
    n3 = map r reads t   =>  n3 = map q writes u
    n4 = map s reads u       n4 = map s reads u

Nodes of a state that no path orders run in the order of their numbers, in the interpreter and in
generated programs, and a transient takes up memory from the first to the last kernel that touches it.
Of a state outside of maps, the order that is there is compared with three others: always the kernel
next that lets memory in use grow least, the same from the last kernel to the first, and depth first.
The nodes get new numbers when one of these needs less memory at its peak. No edge is added.

Left alone are states whose order is as good; where two transients meet, remarks say so.)",
  };
  struct Options {
    std::int64_t assumed_extent = 1000;
    static constexpr auto properties = property_list(property(
        "assumed_extent", &Options::assumed_extent, "elements of a dimension of unknown size"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
