#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct MapFission {
  static constexpr PassInfo info{
      .name = "map-fission",
      .summary = "give each computation in a map a map of its own",
      .details = R"(
    map i in 0:N {                  map i in 0:N { t[i] = f(A[i]) }
      t = f(A[i])             =>
      B[i] = g(t) }                 map i in 0:N { B[i] = g(t[i]) }

A computation is a code node, or a map inside with all that it holds; code nodes that hand more than
one element to one another directly stay together. Transients between them get the map's dimensions in
front of their own, and so do values that tasklets hand to one another directly; containers that are
shared by all iterations stay as they are. Where no data does, empty memlets keep the order of the
computations. What is in a nested SDFG is one computation: inline-sdfg first.

Refused when there is only one computation; when the map has dynamic range inputs, or ranges that
depend on each other; when data is copied in the body without a computation; and for a transient
between computations that is used elsewhere, too, whose shape depends on the map, that resolves
conflicts, or that a view or a library node looks at.)",
  };
  struct Options {
    std::vector<std::string> maps;
    static constexpr auto properties = property_list(
        property("maps", &Options::maps, "labels of the maps to look at (none: all)"));
  };

  static Result<Changed> run(Sdfg& root, const Options& options, PassContext& context);
};

}  // namespace sdfg
