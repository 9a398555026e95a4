#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/node.h"

namespace sdfg {

// Typed access to the library nodes whose meaning we know. A library node carries its properties
// as JSON texts among Node::extras; each struct below reads those of one class, with DaCe's
// defaults for absent ones. Connector names are fixed per class and given in the comments.

/// Reduces the only input along `axes` (none: all) with `wcr` into the only output, which starts
/// from `identity`, or from what is there. The edges need no connectors.
struct Reduce {
  Code wcr;
  std::optional<std::vector<std::int64_t>> axes;
  std::optional<Expr> identity;
};
/// GT4Py's sum over neighbours, leaving out those that `mask_conn` (a neighbour table) says -1 for.
struct ReduceWithSkipValues {
  Code wcr;
  std::optional<Expr> identity, init;
  std::string input_conn, output_conn, mask_conn;
};
/// _c = alpha * _a @ _b + beta * _c, for vectors, matrices and batches, as NumPy's matmul.
struct MatMul {
  Expr alpha = 1, beta = 0;
};
/// _c = alpha * op(_a) @ op(_b) + beta * _c, where op transposes if asked to.
struct Gemm {
  bool trans_a = false, trans_b = false;
  Expr alpha = 1, beta = 0;
  bool cin = true;  ///< reads _c through an in-connector when beta is not 0
};
/// The same for each matrix of a batch.
struct BatchedMatMul {
  bool trans_a = false, trans_b = false;
  Expr alpha = 1, beta = 0;
};
/// _y = alpha * op(_A) @ _x + beta * _y
struct Gemv {
  bool trans_a = false;
  Expr alpha = 1, beta = 0;
};
/// _result = sum of _x * _y
struct Dot {};
/// _res = a * _x + _y
struct Axpy {
  Expr a = Expr::symbol("a");
};
/// _res = alpha * outer(_x, _y) + _A
struct Ger {
  Expr alpha = 1;
};
/// The out-connector = alpha * einsum(in-connectors in order of name) + beta * old value.
struct Einsum {
  std::string subscripts;  ///< "ij,jk->ik"
  Expr alpha = 1, beta = 0;
};
/// _out = transpose of _inp
struct Transpose {};
/// _out_tensor = alpha * (_inp_tensor with its modes in the order `axes`) + beta * _out_tensor
struct TensorTranspose {
  std::vector<std::int64_t> axes;
  Expr alpha = 1, beta = 0;
};
/// _out_tensor: _left_tensor and _right_tensor contracted over pairs of axes, then permuted.
struct TensorDot {
  std::vector<std::int64_t> left_axes, right_axes, permutation;
};
/// _b = the Cholesky factor of _a, lower or upper.
struct Cholesky {
  bool lower = true;
};
/// _aout = inverse of _ain
struct Inv {};
/// _bout = solution x of _ain @ x = _bin
struct Solve {};
/// _cpy_out = _cpy_in
struct CopyNode {};
/// _fill_out = value, or what comes in at _fill_val.
struct Fill {
  Expr value = 0;
};
/// Each element of the result is one element of the input, or of two inputs the one that a mask
/// chooses: what np.where, np.broadcast_to and np.roll are since DaCe 2.0.0b1. `pointwise.h` says
/// which element.
struct Pointwise {
  std::vector<std::string> inputs;  ///< connectors: {value}, or {mask, where true, where false}
  std::string output;
  /// The axis of the result that the input does not have. Without one, axes are aligned from the
  /// right and those of size 1 stretched, as NumPy broadcasts.
  std::optional<std::int64_t> missing_axis;
  /// The input is read `shift` elements further along this axis, and from the start again.
  std::optional<std::int64_t> rotated_axis;
  Expr shift = 0;
};

using LibraryOperation = std::variant<Reduce, ReduceWithSkipValues, MatMul, Gemm, BatchedMatMul,
                                      Gemv, Dot, Axpy, Ger, Einsum, Transpose, TensorTranspose,
                                      TensorDot, Cholesky, Inv, Solve, CopyNode, Fill,
                                      Pointwise>;

/// Is it of a class whose meaning we know? Such a node does what its memlets say, and nothing else.
bool has_known_class(const LibraryNode& node);
/// What a library node does. The error (without a place) names the class when it is not one of
/// these, or the property that cannot be read.
Result<LibraryOperation> library_operation(const Node& node);

/// May what a library node writes depend on what its output holds? So it is where the meaning is
/// not known.
bool reads_its_output(const Node& node);

/// Do the sizes of a product's operands fit as NumPy's matmul has them, dimensions of one element
/// included? If not, they are cut out of larger arrays: only the dimensions wider than one count.
bool fits_matmul(std::span<const Expr> a, std::span<const Expr> b, std::span<const Expr> c,
                 bool trans_a = false, bool trans_b = false);

/// The JSON text of a property; nothing when the node has none of that name.
std::optional<std::string_view> property_text(const Node& node, std::string_view name);
/// The values of the properties that are symbolic expressions, defaults included.
std::vector<Expr> symbolic_properties(const Node& node);

}  // namespace sdfg
