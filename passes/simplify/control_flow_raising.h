#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ControlFlowRaising {
  static constexpr PassInfo info{
      .name = "control-flow-raising",
      .summary = "make loops and conditionals of edges between states",
      .details = R"(
    init --{i = 0}--> guard --[i < N]--> body --{i = i + 1}--> guard     =>     init -> loop -> end
                      guard --[i >= N]--> end

A cycle that is entered at one block and left towards one block becomes a loop: with the condition in
front when an empty state decides, at the end when the last block does, else without condition and
left by `break`. The variable that the way in sets, the way back moves and the condition reads is the
loop's. Ways that part at a block and meet at another become a conditional. One sweep from the end to
the start, so that inner constructs are found first.

Refused, and left as it is: cycles with several entries or several places where they lead to; ways
that cross; and blocks whose conditions may all fail although there is more to run, for the program
would end there.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
