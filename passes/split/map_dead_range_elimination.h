#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapDeadRangeElimination {
  static constexpr PassInfo info{
      .name = "map-dead-range-elimination",
      .summary = "make maps and copies compute only what is read",
      .details = R"(
    map i in 0:10 { t[i] = f(i) }                 map i in 2:6 { t[i] = f(i) }
    map j in 2:6 { B[j] = t[j] }          =>      map j in 2:6 { B[j] = t[j] }

The iterations that are needed follow from what is read of all outputs, for any number of readers and
outputs and for subsets that move with a parameter in either direction. Where reads leave a gap, the
map covers it. A smaller map reads less, so what comes before shrinks, too. Copies into a container
shrink likewise. Nothing is cut into pieces, and a range only changes where the new one lies in the old
one for all values of symbols.

Refused when an output is not transient, is read by name or through a memlet that does not say what; when
its subset does not move with a parameter; when the order of the borders is not known; when the
output is read before that, too (by a later round of a loop, or as another value): reads could shrink
because the map does, and the map because they do; and when nothing of an output is read, which is dead
code for other passes.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
