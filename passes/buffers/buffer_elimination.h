#pragma once

#include <array>

#include "passes/transformation.h"

namespace sdfg {

// The array eliminations. All ask one question (passes/buffers/shared_storage.h: may this container
// live in that one?) and rewrite in one way; each is about the containers that its picture shows. The
// names are those under which DaCe's and GT4Py's users know them.

/// Options of all of them.
struct BufferOptions {
  bool assume_pointwise = false;
  static constexpr auto properties = std::tuple{
      property("assume_pointwise", &BufferOptions::assume_pointwise,
               "where a map or a nested SDFG reads and writes one container, and it cannot be told "
               "which elements, it does so element by element")};
};

struct RedundantArrayElimination {
  static constexpr PassInfo info{
      .name = "redundant-array-elimination",
      .summary = "let copied containers live in what they are copied to or from",
      .details = R"(
    map -> T -> G[5:15]        =>   map -> G[5:15]
    G[5:15] -> T -> map        =>   G[5:15] -> map
    G -> T -> map -> T -> G    =>   G -> map -> G

A transient T that is copied to a part of G, or from it, may live there: its accesses become accesses
of G, in every state, through maps, views and nested SDFGs, and the copies go. Copies of a container
onto itself go, too. Unit dimensions may come and go; containers that are copied as a whole or in part,
to the caller's containers or among transients, in one state or over branches and loops, are one case:
T and G may be one as long as they never hold different values that are both still needed. The order
of the nodes in a state counts; where edges leave the order of a read and a write open, an empty memlet
is added.

Refused when G is written while T's values are still read; when G is read, or seen by the caller,
after T is written and before that is copied; when parts of T lie beyond what is copied and may not
exist in G; when a map reads one and writes the other, and not certainly each point the element that
it writes; when element types, storages or lifetimes differ, the copy changes the order of elements, or
one is a view, a reference or read by name; and when what a library node, a C++ tasklet or a view sees
would have other dimensions or strides than it is made for.)",
  };
  using Options = BufferOptions;

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
