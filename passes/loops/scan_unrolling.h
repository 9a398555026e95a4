#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ScanUnrolling {
  static constexpr PassInfo info{
      .name = "scan-unrolling",
      .summary = "ask the compiler to unroll sequential loops",
      .details = R"(
    for k in 0:K { … }     =>     #pragma unroll for k in 0:K { … }

Sets a mark on the loops whose label begins with `label`; nothing else changes. Only loops that count
with a constant step: others cannot be unrolled.)",
  };
  struct Options {
    std::int64_t unroll_factor = 0;
    std::string label = "scan_";
    static constexpr auto properties = property_list(
        property("unroll_factor", &Options::unroll_factor, "0: the compiler decides"),
        property("label", &Options::label, "how labels of these loops begin; empty: all loops"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
