#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/library_node.h"

namespace sdfg {

/// Which element of an input goes into an element of the result of a Pointwise library node.
struct PointwiseRead {
  /// For each dimension of the input: the dimension of the result that it follows. None: it has
  /// one element, which goes into all.
  std::vector<std::optional<std::size_t>> follows;
  /// The dimension that is read `shift` elements further, modulo its size.
  std::optional<std::size_t> rotated;
  Expr shift = 0;

  /// Indices, from 0, of what goes into the element of the result at `at`.
  std::vector<Expr> index(const std::vector<Expr>& sizes, const std::vector<Expr>& at) const;
};

/// Of an input with these sizes. Sizes that are not known to differ are taken to agree. The error
/// (without a place) says what does not fit.
Result<PointwiseRead> pointwise_read(const Pointwise& operation, const std::vector<Expr>& input,
                                     const std::vector<Expr>& result);

}  // namespace sdfg
