#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct DeadDataflowElimination {
  static constexpr PassInfo info{
      .name = "dead-dataflow-elimination",
      .summary = "remove what computes values that nobody reads",
      .details = R"(
    A -> map 1 -> t                          A -> map 2 -> B
    A -> map 2 -> B, u     =>

What is written to a container counts when the container outlives the program (or the nested SDFG,
where somebody outside wants it), or when something that counts reads it afterwards: in the state or
in one that may follow. Everything else goes, from the last use backwards: copies, tasklets, maps,
outputs of maps and of nested SDFGs, statements of Python tasklets, and the inputs that only those
needed. So do maps that certainly have no iteration, copies without an element, connectors of nested
SDFGs that nobody uses inside, access nodes without data, and containers that nothing names.

Who came before a removed node still comes before those behind it, by an empty memlet, where the
order can be observed.

Kept: side effects; what is read by name; streams that are read somewhere; references and what they
point to; structures; persistent and external memory; an output that its producer cannot do without.
Writes are not weighed against one another: a value counts although all of it is overwritten before
somebody reads the container.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
