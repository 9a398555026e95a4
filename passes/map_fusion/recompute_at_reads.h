#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct RecomputeAtReads {
  static constexpr PassInfo info{
      .name = "recompute-at-reads",
      .summary = "compute again where it is read what a map would have to store",
      .details = R"(
    map i in 0:N {                          map i in 0:N { B[i] = g(A[i]) }
      T[i] = f(A[i]),  B[i] = g(A[i]) }
    map j in 0:N - 1 {               =>     map j in 0:N - 1 {
      C[j] = T[j] + T[j + 1] }                C[j] = f(A[j]) + f(A[j + 1]) }

What a map computes one of its results from is taken out of it and put, as a nested SDFG, in front
of every read of that result, whichever maps read it. The container goes. Where other maps write
other parts of the container, it stays for these, and an element that may lie in either is computed
or loaded, as its place decides:

    c = i + 1 < M ? f(A[i + 1]) : T[i + 1]

A value that the first map stores, too, is loaded rather than computed again where all readers load
it anyway, or where its inputs are more.

Applied where that moves fewer bytes: the result is neither stored nor loaded, but its inputs are
loaded by each map that did not read them before (unless that map may yet join the first one, which
reads them). A load that finds its element in a cache counts as `load_bytes`, one through an index
as three times that, two operations as one byte, and a conditional as four. Of several maps that
write parts of one container, the one that writes most is taken. Run inline-sdfg,
map-split-horizontal and the fusions afterwards.

A nested SDFG that takes one element reads it, too.

Refused when somebody else than maps of the same scope reads the result or waits for it, or one
reads it by address; when an iteration of the first map writes more than one element or perhaps
none, or others may write the same ones; when what is read may not have been written; when values
inside of the first map are used in other ways; when an input is written later on; when the copies
would have more than `most_nodes` nodes, at any depth; and when the first map would go, but
something waits for it, or it for something.)",
  };
  struct Options {
    bool only_toplevel_maps = false;
    std::int64_t load_bytes = 1, assumed_extent = 1000, most_nodes = 200;
    static constexpr auto properties = property_list(
        property("only_toplevel_maps", &Options::only_toplevel_maps, "leave maps in maps alone"),
        property("load_bytes", &Options::load_bytes,
                 "bytes that memory moves in the time such a load takes"),
        property("assumed_extent", &Options::assumed_extent,
                 "iterations of a dimension whose size is not known"),
        property("most_nodes", &Options::most_nodes, "nodes that all copies may have together"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
