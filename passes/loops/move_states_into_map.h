#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MoveStatesIntoMap {
  static constexpr PassInfo info{
      .name = "move-states-into-map",
      .summary = "run the maps of consecutive states inside of one map",
      .details = R"(
    state a: map i in 0:N { x(i) }
    state b: map i in 0:N { y(i) }     =>     map i in 0:N { state a: x(i); state b: y(i) }

What the maps hand over stays in memory, so it may be parts of a container that overlap in any way, as
in solvers of columns: one map starts the recurrence, one goes up and one goes down. Different points
must not meet in any of the maps, as far as one of them writes. A state that only copies as many
elements as the maps before it have points counts as a map. It is for what map fusion cannot join:
that gets rid of what is between.

Refused when a state holds anything but one map and access nodes; when symbols are assigned between
the states; when the maps have other points, schedules or settings; when they have no container in
common; when points may meet (the message names the accesses); when a transient keeps a value for the
next time that the states run; when the host runs the map, for kernels inside; and for what
map-to-loop refuses.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
