#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct DeadStateElimination {
  static constexpr PassInfo info{
      .name = "dead-state-elimination",
      .summary = "remove control flow that can never run",
      .details = R"(
    a --[1 > 2]--> b --> c      =>    a --> d
    a -----------> d

Edges whose condition is certainly false go, and edges that are tested after one whose condition is
certainly true; then all blocks that cannot be reached any more. In a conditional, branches that
cannot be taken go; if one branch remains and it is always taken, a plain region takes its place.
Nothing follows a break, continue or return.

A condition counts as decided only when it holds (or fails) for all values of integer symbols;
values of containers are never assumed. Loops that run no iteration stay, because their variable
keeps its value. Containers and symbols that nobody uses afterwards stay declared.

Refused where the region's first block cannot be told.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
