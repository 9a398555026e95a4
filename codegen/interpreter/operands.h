#pragma once

#include <string>
#include <vector>

#include "codegen/interpreter/copy.h"
#include "ir/library_node.h"
#include "support/by_name.h"

namespace sdfg::interpreter {

/// The data that a library node works on, by connector. Inputs and outputs may share a name.
struct Operands {
  struct Operand {
    Side side;
    std::vector<Expr> sizes;  ///< of the subset
    const Where* place;
    Combine combine;  ///< of an output's memlet; may be empty
  };
  Context context;
  ByName<Operand> inputs, outputs;

  const Operand& input(std::string_view name) const;
  const Operand& output(std::string_view name) const;
  const Operand& only_input() const;
  const Operand& only_output() const;
};

// Each gives the step that carries out the operation. Sums run in the order of the indices, from
// left to right.
Step compile_reduce(const Reduce& reduce, const Operands& operands);
Step compile_reduce_skip(const ReduceWithSkipValues& reduce, const Operands& operands);
Step compile_copy_node(const Operands& operands);
Step compile_pointwise(const Pointwise& pointwise, const Operands& operands);
Step compile_fill(const Fill& fill, const Operands& operands);
/// Products and transpositions: everything that is a contraction of labelled tensors.
Step compile_contraction(const LibraryOperation& operation, const Operands& operands);
/// Cholesky, Inv, Solve.
Step compile_factorization(const LibraryOperation& operation, const Operands& operands);

}  // namespace sdfg::interpreter
