#pragma once

#include <string>
#include <vector>

#include "passes/transformation.h"

namespace sdfg {

/// What a dimension of a GT4Py program is for; its loops' parameters end in `_` and this word.
enum class DimensionKind : std::uint8_t { Unspecified, Horizontal, Vertical, Local };
template <>
inline constexpr std::array<std::string_view, 4> names<DimensionKind>{"", "horizontal", "vertical",
                                                                      "local"};
/// Does the parameter run along a dimension of that kind?
bool is_of_kind(std::string_view parameter, DimensionKind kind);

struct MapIterationOrder {
  static constexpr PassInfo info{
      .name = "map-iteration-order",
      .summary = "let the dimension of neighbouring elements vary fastest",
      .details = R"(
    map (i, k) { B[i, k] = A[i, k] }   =>   map (k, i) { … }        for strides [1, N]

The last parameter is the innermost loop on the CPU and x on the GPU. By default it becomes the one
along which most accesses go to the next element. Options say otherwise: `unit_strides_kind` moves
parameters of that kind to the end, `unit_strides_dims` those named, the first one last.

Refused when the range of a parameter depends on one that would come after it, and when the points go
through a stream in their order.)",
  };
  struct Options {
    DimensionKind unit_strides_kind = DimensionKind::Unspecified;
    std::vector<std::string> unit_strides_dims;
    static constexpr auto properties =
        property_list(property("unit_strides_kind", &Options::unit_strides_kind,
                               "kind of the dimension to vary fastest"),
                      property("unit_strides_dims", &Options::unit_strides_dims,
                               "dimensions or parameters to vary fastest, the fastest first"));
  };
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
