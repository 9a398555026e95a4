#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct ScalarCopyElimination {
  static constexpr PassInfo info{
      .name = "scalar-copy-elimination",
      .summary = "read a scalar where it was written instead of from a copy",
      .details = R"(
    (s) -> (t) -> f   =>   (s) -> f

Both are transients of one element, and t has one access node, which the copy alone writes.

Refused when the element types differ (the copy converts), when the storages lie on different
devices, when s is written at another place, too, when t is read by name, through a view or after
something else than the copy.)",
  };
  struct Options {};
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
