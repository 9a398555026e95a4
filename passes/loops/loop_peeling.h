#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct LoopPeeling {
  static constexpr PassInfo info{
      .name = "loop-peeling",
      .summary = "take the first or last iterations out of loops",
      .details = R"(
    for i in 0:N { A(i) }     =>     if 0 < N { A(0) } -> for i in 1:N { A(i) }

Where it is certain that the loop runs so often, the conditions are left out. At the end only steps
of 1 and -1 are handled. Transients that only one map of the body uses get a copy for each iteration
that is taken out.

Refused when the loop's range cannot be told, a jump leaves an iteration early, the body assigns the
variable or what the range reads or sets a container to zero, a nested SDFG keeps values for its next
run, or a container's shape depends on the variable; and when the copies of the body would have more
than `max_nodes` blocks and nodes (loops in loops multiply).)",
  };
  struct Options {
    std::int64_t count = 1, max_nodes = 100000;
    bool begin = true;
    std::vector<std::string> labels;
    static constexpr auto properties = property_list(
        property("count", &Options::count, "iterations to take out"),
        property("begin", &Options::begin, "the first ones; false: the last ones"),
        property("max_nodes", &Options::max_nodes, "blocks and nodes of all copies of one body"),
        property("labels", &Options::labels, "only loops of these labels; none: all"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
