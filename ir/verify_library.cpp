#include <algorithm>

#include "ir/library_node.h"
#include "ir/pointwise.h"
#include "ir/verify_context.h"

namespace sdfg::detail {
namespace {

/// The rules for library nodes whose meaning is known.
class LibraryRules {
 public:
  LibraryRules(const StateScope& s, NodeId id, Findings& findings)
      : s_(s), id_(id), findings_(findings) {}

  void verify() {
    const Node& node = s_.state[id_];
    const auto operation = library_operation(node);
    if (operation)
      std::visit(*this, *operation);
    else
      findings_.warning(here(), operation.error().message, operation.error().hint);
  }

  void operator()(const Reduce& reduce) {
    const auto in = s_.state.in(id_), out = s_.state.out(id_);
    edge_count(in.size(), 1, "input");
    edge_count(out.size(), 1, "output");
    if (in.size() == 1 && s_.state[in[0]].memlet.empty())
      error("expected 1 input, found an edge without data");
    if (const Expr* wcr = reduce.wcr.expr();
        !wcr || !wcr->is(Op::Lambda) || wcr->args().size() != 3)
      error("the reduction must be a lambda of two values, found '" + reduce.wcr.text() + "'");
    if (!reduce.axes || in.empty() || !s_.state[in[0]].memlet.subset()) return;
    const std::int64_t rank = std::int64_t(s_.state[in[0]].memlet.subset()->rank());
    for (std::int64_t axis : *reduce.axes)
      if (axis < -rank || axis >= rank)
        error("axis " + std::to_string(axis) + " is not one of the input's " +
              std::to_string(rank) + " dimensions");
  }
  void operator()(const Dot&) {
    edge_count(s_.state.in(id_).size(), 2, "input");
    edge_count(s_.state.out(id_).size(), 1, "output");
    const Subset *x = subset("_x"), *y = subset("_y"), *result = subset("_result");
    if (x && y && result) {
      if (squeezed(*x).size() != 1 || squeezed(*y).size() != 1)
        error("a dot product takes two vectors");
      if (num_elements(*result).as_integer() != 1)
        error("the result of a dot product is one element");
    }
    const Data *dx = data("_x"), *dy = data("_y"), *dr = data("_result");
    if (!dx || !dy || !dr) return;
    if (!(dx->dtype == dy->dtype))
      error("the operands must have one type, found " + dx->dtype.text() + " and " +
            dy->dtype.text());
    if (!(dx->dtype.element() == dr->dtype.element()))
      error("the result must have the operands' type " + dx->dtype.text() + ", found " +
            dr->dtype.text());
  }
  void operator()(const Gemv& gemv) {
    const std::size_t inputs = s_.state.in(id_).size();
    if (inputs != 2 && inputs != 3)
      error("expected 2 or 3 inputs, found " + std::to_string(inputs));
    edge_count(s_.state.out(id_).size(), 1, "output");
    const Subset *a = subset("_A"), *x = subset("_x"), *y = subset("_y");
    if (!a || !x || !y) return;
    const auto sa = squeezed(*a), sx = squeezed(*x), sy = squeezed(*y);
    if (sa.size() != 2 || sx.size() != 1 || sy.size() != 1) {
      error("expected a matrix and two vectors, found " + std::to_string(sa.size()) + ", " +
            std::to_string(sx.size()) + " and " + std::to_string(sy.size()) + " dimensions");
      return;
    }
    same_size(sa[gemv.trans_a ? 0 : 1], sx[0], "the matrix's columns", "the vector _x");
    same_size(sa[gemv.trans_a ? 1 : 0], sy[0], "the matrix's rows", "the vector _y");
  }
  void operator()(const Axpy&) {
    edge_count(s_.state.in(id_).size(), 2, "input");
    edge_count(s_.state.out(id_).size(), 1, "output");
    const Subset *x = subset("_x"), *y = subset("_y"), *result = subset("_res");
    if (!x || !y || !result) return;
    if (x->rank() != 1)
      error("expected vectors, found " + std::to_string(x->rank()) + " dimensions");
    same_size(num_elements(*x), num_elements(*y), "the vector _x", "the vector _y");
    same_size(num_elements(*x), num_elements(*result), "the vector _x", "the result");
  }
  void operator()(const Ger&) {
    const Subset *a = subset("_A"), *x = subset("_x"), *y = subset("_y");
    if (!a || !x || !y) return error("expected inputs _A, _x and _y");
    const auto sa = squeezed(*a), sx = squeezed(*x), sy = squeezed(*y);
    if (sa.size() != 2 || sx.size() != 1 || sy.size() != 1) return;
    same_size(sa[0], sx[0], "the matrix's rows", "the vector _x");
    same_size(sa[1], sy[0], "the matrix's columns", "the vector _y");
  }
  void operator()(const MatMul&) {
    connectors({"_a", "_b"}, {"_c"});
    matrices(false, false);
  }
  void operator()(const Gemm& gemm) {
    connectors({"_a", "_b"}, {"_c"});
    matrices(gemm.trans_a, gemm.trans_b);
  }
  void operator()(const BatchedMatMul&) { connectors({"_a", "_b"}, {"_c"}); }
  void operator()(const Transpose&) { connectors({"_inp"}, {"_out"}); }
  void operator()(const TensorTranspose& op) {
    connectors({"_inp_tensor"}, {"_out_tensor"});
    const Subset* in = subset("_inp_tensor");
    if (!in) return;
    if (!is_permutation(op.axes, in->rank()))
      error("the axes are no permutation of the input's " + std::to_string(in->rank()) +
            " dimensions");
  }
  void operator()(const TensorDot& op) {
    connectors({"_left_tensor", "_right_tensor"}, {"_out_tensor"});
    const Subset *left = subset("_left_tensor"), *right = subset("_right_tensor"),
                 *result = subset("_out_tensor");
    if (!left || !right || !result) return;
    if (op.left_axes.size() != op.right_axes.size())
      return error("it contracts " + counted(op.left_axes.size(), "dimension") +
                   " of the left tensor, but " + std::to_string(op.right_axes.size()) +
                   " of the right");
    if (!has_axes(*left, op.left_axes, "left tensor") ||
        !has_axes(*right, op.right_axes, "right tensor"))
      return;
    for (std::size_t i = 0; i < op.left_axes.size(); ++i)
      may_have_same_size((*left)[std::size_t(op.left_axes[i])],
                         (*right)[std::size_t(op.right_axes[i])],
                         "the contracted dimensions of both tensors");
    std::vector<Range> kept;
    for (const auto& [tensor, axes] :
         {std::pair(left, &op.left_axes), std::pair(right, &op.right_axes)})
      for (std::size_t d = 0; d < tensor->rank(); ++d)
        if (std::ranges::find(*axes, std::int64_t(d)) == axes->end()) kept.push_back((*tensor)[d]);
    if (kept.size() != result->rank())
      return error("the result should have " + counted(kept.size(), "dimension") + ", found " +
                   std::to_string(result->rank()));
    if (!op.permutation.empty() && !is_permutation(op.permutation, kept.size()))
      return error("the permutation is no order of the result's " +
                   counted(kept.size(), "dimension"));
    for (std::size_t d = 0; d < kept.size(); ++d)
      may_have_same_size(
          kept[op.permutation.empty() ? d : std::size_t(op.permutation[d])], (*result)[d],
          "dimension " + std::to_string(d) + " of the result and what is left of the tensors");
  }
  void operator()(const Cholesky&) { connectors({"_a"}, {"_b"}); }
  void operator()(const Inv&) { connectors({"_ain"}, {"_aout"}); }
  void operator()(const Solve&) { connectors({"_ain", "_bin"}, {"_bout"}); }
  void operator()(const CopyNode&) { connectors({"_cpy_in"}, {"_cpy_out"}); }
  void operator()(const Fill&) { connectors({}, {"_fill_out"}); }
  void operator()(const Pointwise& op) {
    connectors(op.inputs, {op.output});
    const Subset* result = subset(op.output);
    for (const std::string& name : op.inputs)
      if (const Subset* input = subset(name); input && result)
        if (const auto read = pointwise_read(op, sizes(*input), sizes(*result)); !read)
          error("'" + name + "': " + read.error().message);
  }
  void operator()(const Einsum&) { edge_count(s_.state.out(id_).size(), 1, "output"); }
  void operator()(const ReduceWithSkipValues& op) {
    connectors({op.input_conn, op.mask_conn}, {op.output_conn});
  }

 private:
  Place here() const { return Place().node(s_.state, id_); }
  void error(std::string message) { findings_.error(here(), std::move(message)); }
  void edge_count(std::size_t found, std::size_t expected, std::string_view what) {
    if (found != expected)
      error("expected " + counted(expected, what) + ", found " + std::to_string(found));
  }
  void connectors(const std::vector<std::string>& in, const std::vector<std::string>& out) {
    const Node& node = s_.state[id_];
    for (const std::string& name : in)
      if (!node.in_connectors.contains(name)) error("the in connector '" + name + "' is missing");
    for (const std::string& name : out)
      if (!node.out_connectors.contains(name)) error("the out connector '" + name + "' is missing");
  }
  const Memlet* memlet(std::string_view connector) const {
    for (EdgeId e : s_.state.out(id_))
      if (s_.state[e].src_connector == connector) return &s_.state[e].memlet;
    for (EdgeId e : s_.state.in(id_))
      if (s_.state[e].dst_connector == connector) return &s_.state[e].memlet;
    return nullptr;
  }
  const Subset* subset(std::string_view connector) const {
    const Memlet* m = memlet(connector);
    return m && m->subset() ? &*m->subset() : nullptr;
  }
  const Data* data(std::string_view connector) const {
    const Memlet* m = memlet(connector);
    return m ? s_.find_data(m->data) : nullptr;
  }
  /// Sizes without those that are 1; [1] when all are.
  static std::vector<Expr> squeezed(const Subset& subset) {
    std::vector<Expr> kept;
    for (const Expr& size : sizes(subset))
      if (size != Expr(1)) kept.push_back(size);
    if (kept.empty()) kept.push_back(Expr(1));
    return kept;
  }
  static bool is_permutation(std::vector<std::int64_t> axes, std::size_t rank) {
    std::ranges::sort(axes);
    bool all = axes.size() == rank;
    for (std::size_t i = 0; all && i < rank; ++i) all = axes[i] == std::int64_t(i);
    return all;
  }
  bool has_axes(const Subset& tensor, const std::vector<std::int64_t>& axes,
                std::string_view what) {
    const auto wrong = std::ranges::find_if(axes, [&](std::int64_t axis) {
      return axis < 0 || axis >= std::int64_t(tensor.rank());
    });
    if (wrong == axes.end()) return true;
    error("axis " + std::to_string(*wrong) + " is not one of the " + std::string(what) + "'s " +
          counted(tensor.rank(), "dimension"));
    return false;
  }
  /// The sizes of a product of two matrices. Where a side has more dimensions, some are of one
  /// element or batches.
  void matrices(bool trans_a, bool trans_b) {
    const Subset *a = subset("_a"), *b = subset("_b"), *c = subset("_c");
    if (!a || !b || !c || a->rank() != 2 || b->rank() != 2 || c->rank() != 2) return;
    may_have_same_size((*a)[trans_a ? 0 : 1], (*b)[trans_b ? 1 : 0],
                       "the columns of _a and the rows of _b");
    may_have_same_size((*a)[trans_a ? 1 : 0], (*c)[0], "the rows of _a and _c");
    may_have_same_size((*b)[trans_b ? 0 : 1], (*c)[1], "the columns of _b and _c");
  }
  /// An error only where the sizes are certainly not the same.
  void may_have_same_size(const Range& a, const Range& b, std::string_view what) {
    const Expr one = a.size(), other = b.size();
    if (one != other && equal(one, other) == Truth::No)
      error(std::string(what) + " must have one size, found " + to_text(one) + " and " +
            to_text(other));
  }
  void same_size(const Expr& a, const Expr& b, std::string_view what, std::string_view other) {
    if (a != b && equal(a, b) != Truth::Yes)
      error(std::string(what) + " and " + std::string(other) + " must have one size, found " +
            to_text(a) + " and " + to_text(b));
  }

  const StateScope& s_;
  NodeId id_;
  Findings& findings_;
};

}  // namespace

void verify_library_node(const StateScope& scope, NodeId node, Findings& findings) {
  LibraryRules(scope, node, findings).verify();
}

}  // namespace sdfg::detail
