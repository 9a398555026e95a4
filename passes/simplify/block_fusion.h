#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct BlockFusion {
  static constexpr PassInfo info{
      .name = "block-fusion",
      .summary = "remove empty states between other blocks",
      .details = R"(
    a --{k = N}--> empty --{j = 2}--> b     =>     a --{k = N, j = 2}--> b

An empty state with one unconditional way out goes; what led to it leads to the next block, and the
assignments on the edges join. An empty state that is the only, unconditional continuation of a block
gives that block its out-edges.

Refused when an edge between the two blocks is there already; when assignments would be duplicated,
or depend on those before them; when the region starts with the state and assignments follow; and
when conditions after the state read what is assigned before it.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
