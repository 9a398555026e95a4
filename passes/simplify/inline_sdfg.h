#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct InlineSdfg {
  static constexpr PassInfo info{
      .name = "inline-sdfg",
      .summary = "put the dataflow of nested SDFGs in place of their nodes",
      .details = R"(
    A -> [x: nested: x -> map -> y :y] -> B     =>     A -> map -> B

Works inside and outside of maps, from the innermost nested SDFG outwards. A connector becomes the
container behind it: its subsets move by the origin of the memlet at the connector, dimension by
dimension as the strides tell. Transients move to the parent under new names where theirs are taken;
mapped symbols are replaced by their expressions. Where a container is also used elsewhere in the
state, empty memlets keep the order that the node as a whole had stood for.

Refused when the node says so (no_inline); when the nested SDFG has more than one block, or its state
is instrumented; when a connector reinterprets the memory behind it (other element type, strides that
are not among the container's, a dimension of its own); when an input is copied straight to an
output, or an output read again, inside a map; when the memlets of an input that is also an output
differ; when nothing inside reads what a consume scope pops; when a copy inside from or to a
connector would lose its order with what the nested SDFG waits for, with what waits for it, or with
who uses the container elsewhere; when the size of a transient depends on what a map around defines;
and when a symbol's value, a subset or code reads a container by name.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
