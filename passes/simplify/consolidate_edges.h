#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ConsolidateEdges {
  static constexpr PassInfo info{
      .name = "consolidate-edges",
      .summary = "let data enter and leave a scope through one connector",
      .details = R"(
    A -- A[0:N] --> IN_A   map                A -- A[0:N] --> IN_A   map
    A -- A[2:N] --> IN_A_0             =>

Several edges from one access node (or one connector of the scope around) into a scope become one,
when the elements that one of them names cover those of the other; likewise edges out of a scope to
one access node. What is read and written inside stays as it is. From the outermost scope inwards, so
that what has become one outside can become one inside.

With `grow`, edges that do not cover one another become one, too, which names the smallest box around
both. Such a box says less about what is read and written, so passes that ask will refuse more.

Refused when the memlets resolve conflicts in different ways, or are for different ends; and when an
access node is a stream or reference.)",
  };
  struct Options {
    bool grow = false;
    static constexpr auto properties = property_list(
        property("grow", &Options::grow, "join edges although the box around both is larger"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
