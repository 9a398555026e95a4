#pragma once

#include <string>
#include <vector>

#include "passes/transformation.h"

namespace sdfg {

struct LoopBlocking {
  static constexpr PassInfo info{
      .name = "loop-blocking",
      .summary = "run blocks of a dimension, with common work done once",
      .details = R"(
    map i, k { f(i) -> t          map i, block { f(i) -> t
               g(t, k) }     =>                  map k in block { g(t, k) } }

The first of `blocking_parameters` that a map at the top of a state has is cut into blocks of
`blocking_size`. What does not depend on it (tasklets, inner maps, nested SDFGs, and the
transients that they write) runs once per block, in front of a sequential inner map. With
`promote_independent_memlets` elements that are read again for each k are read once, too.

Refused when nothing is gained (`require_independent_nodes`, more than
`independent_node_threshold`), when the dimension has no step of 1 or certainly fits into one
block; and when the points of several dimensions go through a stream in their order.)",
  };
  struct Options {
    std::int64_t blocking_size = 10;
    std::vector<std::string> blocking_parameters;
    bool require_independent_nodes = true;
    bool promote_independent_memlets = false;
    std::int64_t independent_node_threshold = 0;
    static constexpr auto properties =
        property_list(property("blocking_size", &Options::blocking_size, "iterations in a block"),
                      property("blocking_parameters", &Options::blocking_parameters,
                               "dimensions or parameters to block, best first"),
                      property("require_independent_nodes", &Options::require_independent_nodes,
                               "only where work is done once per block"),
                      property("promote_independent_memlets", &Options::promote_independent_memlets,
                               "read what a block reads repeatedly once"),
                      property("independent_node_threshold", &Options::independent_node_threshold,
                               "nodes that must be gained, and one more"));
  };
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
