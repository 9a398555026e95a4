#pragma once

#include <optional>

#include "codegen/interpreter/expression.h"

namespace sdfg::interpreter {

/// One side of a copy: a container and the part of it, whose sizes are evaluated when it runs.
struct Side {
  Container* container = nullptr;
  struct Dimension {
    Index begin, end, step, tile;
  };
  std::vector<Dimension> subset;  ///< empty for none: what the other side's shape says, from 0 on
  bool given = false;
};

Side compile_side(Container* container, const std::optional<Subset>& subset,
                  const Context& context);

/// Copies element by element, both sides in row-major order of their subsets; the shapes may
/// differ, the numbers of elements not. Elements that were never written stay so.
struct Copy {
  Machine* machine;
  const Where* place;
  Side from, to;
  Combine combine;  ///< may be empty
  void run() const;
};

/// The elements of a side in row-major order, and its shape.
struct Gathered {
  std::vector<std::int64_t> shape;
  std::vector<Number> values;
};
Gathered gather(Machine& machine, const Side& side, const Where* place);
/// The shape alone.
std::vector<std::int64_t> shape_of(const Side& side);
/// Writes as many values as the side has elements.
void scatter(Machine& machine, const Side& side, std::span<const Number> values,
             const Combine& combine, const Where* place);

}  // namespace sdfg::interpreter
