#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct LoopUnrolling {
  static constexpr PassInfo info{
      .name = "loop-unrolling",
      .summary = "put the iterations of short loops one after the other",
      .details = R"(
    for i in 0:3 { A(i) }     =>     A(0) -> A(1) -> A(2)

For loops with a constant number of iterations, from the inside out. The variable keeps its value
behind the loop. Transients that only one map of the body uses get a copy for each iteration.

Refused when the number of iterations is not constant or above `max_iterations`, or the copies would
have more than `max_nodes` blocks and nodes (loops in loops multiply); when a jump leaves an iteration
early; when the body assigns the variable or what the range reads, or sets a container to zero; when a
nested SDFG keeps values for its next run; and when a container's shape depends on the variable.)",
  };
  struct Options {
    std::int64_t max_iterations = 128, max_nodes = 100000;
    std::vector<std::string> labels;
    static constexpr auto properties = property_list(
        property("max_iterations", &Options::max_iterations, "longer loops stay"),
        property("max_nodes", &Options::max_nodes, "blocks and nodes of all copies of one body"),
        property("labels", &Options::labels, "only loops of these labels; none: all"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
