#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct InlineMultistateSdfg {
  static constexpr PassInfo info{
      .name = "inline-multistate-sdfg",
      .summary = "put the control flow of nested SDFGs in place of their nodes",
      .details = R"(
    state s: A -> map -> [nested: a --if--> b] -> B -> map -> C

      =>  state s: A -> map  -->  a --if--> b  -->  state s_after: B -> map -> C

For nested SDFGs outside of maps, from the innermost outwards. The state is split: what comes before
the node or has nothing to do with it, the blocks inside, and what comes after the node. Connectors
become the containers behind them, with their subsets moved by the origin of the memlet. Mapped
symbols are replaced by their expressions; symbols that are assigned inside keep their meaning under
names of their own, with an assignment on the edge that leads inside. States that are left without
nodes go. Since all three parts run one after the other, no further order is needed.

Refused when the node says so (no_inline); when the nested SDFG returns from within a loop or a
branch; when a connector reinterprets the memory behind it (see inline-sdfg); when an argument that
is only part of a container is read by name in a state, or the start or step of a loop; when control
flow reads an element of an array in memory of the GPU, given as a scalar; when an input is written
inside; when a container is set to zero inside or where it is given; and when the
split would cut an edge between two tasklets, or a view, reference or stream from what it belongs to.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
