#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ConditionalIntoMaps {
  static constexpr PassInfo info{
      .name = "conditional-into-maps",
      .summary = "let maps choose in each iteration what a conditional chooses between them",
      .details = R"(
    map i { A[i] = f(i) }                    map i { A[i] = f(i) }
    if c: map i { A[i] = g(A[i]) }     =>    map i { if c: A[i] = g(A[i]) else: A[i] = A[i] }
    map i { B[i] = h(A[i]) }                 map i { B[i] = h(A[i]) }

A conditional between maps keeps them apart: what one writes for another goes through memory. Here
its condition moves into the maps of its branches, where every iteration decides alike; the states
around it can be joined then, and the maps fused. Maps of different branches that run over the same
range and write the same elements become one. Where another branch is taken, an element stays as it
was: it is written again if a map before the conditional has certainly written it in the same
iteration (so that those two can be fused), and not touched otherwise.

It is done where it pays: for a map of a branch that has a map before or behind the conditional, not
further than eight blocks, which runs over the same range (or over some dimensions of it) and has
arrays in common with it (integers, which are neighbour tables, do not count); and for what is
connected with that map, or writes the same elements in another branch. A map that looks nothing up
may run over a part of the other one's range, too, or over more: map-split-vertical cuts them; so
may one that looks something up where booleans decide and it updates what the other one has in
common with it, because kernels are compiled for each value of a flag. The rest stays in the
conditional. Scalars that code beside the maps computes are computed in any case.

Refused when a condition reads containers; when a branch is more than one state, or holds something
else than maps, copies that a map can make, and code without side effects that writes scalars of its
own; when an iteration writes several elements of a container at once, or resolves conflicts; when
the inside of a map uses what is used elsewhere; when what no branch guards then (ranges, places of
elements, such code) may divide by zero or never end, or such code touch an element that is not
there; and when no map around it would gain.)",
  };
  struct Options {
    bool leave_copies = false;
    static constexpr auto properties =
        property_list(property("leave_copies", &Options::leave_copies,
                               "not where branches copy: sharing storage may save that"));
  };
  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
