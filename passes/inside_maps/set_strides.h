#pragma once

#include "passes/inside_maps/map_iteration_order.h"

namespace sdfg {

struct SetStrides {
  static constexpr PassInfo info{
      .name = "set-strides",
      .summary = "lay transients out for neighbouring iterations",
      .details = R"(
    transient t: float64[N, K]  =>  transient t: float64[N, K] {strides = [1, N]}

in a program whose maps run fastest along the first dimension. With `unit_strides_kind` it is the
dimension that parameters of that kind index (where none does: the first for horizontal, otherwise
the last); by default the one that the last parameters of maps index. Views and the containers of
nested SDFGs follow.

Refused when the layout is not packed already, when code in another language than Python knows it,
when a reference with other strides is set to it, when it is a matrix of a linear solver (DaCe's take
them row by row only), and when something that looks at the memory cannot follow.)",
  };
  struct Options {
    DimensionKind unit_strides_kind = DimensionKind::Unspecified;
    static constexpr auto properties =
        property_list(property("unit_strides_kind", &Options::unit_strides_kind,
                               "kind of the dimension whose elements lie side by side"));
  };
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
