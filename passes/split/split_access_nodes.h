#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct SplitAccessNodes {
  static constexpr PassInfo info{
      .name = "split-access-nodes",
      .summary = "give independent parts of a container containers of their own",
      .details = R"(
    P -> t[0:5]           R <- t[0:5]         P -> t_part_0 -> R
    Q -> t[5:9]  ->  t ;  S <- t[5:9]    =>   Q -> t_part_1 -> S

Uses that may touch a common element stay together; so do the parts between them. Where at least two
groups are left whose boxes are disjoint for all values of symbols, each becomes a container of the
size of its box, and each access node as many nodes as it touches parts. This holds for all accesses
of the container in its SDFG, in one state or several. Conflicting accesses of other containers that
were ordered only through the old access node get an ordering edge.

Refused for containers that are not transient arrays, or are read by name; when all uses may touch
common elements; when a part is read that nothing writes; when an access node lies in a scope, or a
memlet does not say what it touches; when a border depends on a symbol that the SDFG assigns; and when
copies into one part and out of another touch the same elements.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
