#pragma once

#include "passes/transformation.h"

namespace sdfg {

struct LocalDoubleBuffering {
  static constexpr PassInfo info{
      .name = "local-double-buffering",
      .summary = "read elements once before a map writes them",
      .details = R"(
    map i { x = f(A[i])                    map i { (b) = A[i]
            A[i] = g(x)          =>                x = f(b); A[i] = g(x)
            y = h(A[i]) }                          y = h(b) }

Where one iteration reads and writes an element and not every read certainly comes before every
write, all reads of the element go through one scalar, and the writes wait for it.

Each container is decided alone. Nothing is to be done when reads and writes have no element in
common or are in order. Refused, aloud, when they may overlap without being the same element: such
a map is right only by accident; when a nested SDFG may read, behind what it has written, the same
element under another name: that order stays; and when one reads and writes it through one connector.)",
  };
  struct Options {};
  static Result<Changed> run(Sdfg&, const Options&, PassContext&);
};

}  // namespace sdfg
