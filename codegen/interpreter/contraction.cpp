// Products and transpositions of tensors, each as one contraction in Einstein's notation: every
// operand's dimensions carry labels; labels that the result lacks are summed over.

#include <algorithm>
#include <complex>

#include "codegen/interpreter/operands.h"

namespace sdfg::interpreter {
namespace {

using Labels = std::vector<int>;  // one per dimension
constexpr int squeezed = -1;      // a dimension of one element that has no label

struct Factor {
  Operands::Operand operand;
  Labels labels;
};

struct Contraction {
  Machine* machine;
  std::vector<Factor> factors;
  Operands::Operand result;
  Labels labels;
  Eval alpha, beta;  ///< of the result's type; empty: 1 and 0
  std::optional<Operands::Operand> old;  ///< what beta multiplies; none: the result itself

  void run() const;
};

/// The four types in which sums are computed; integers in 64 bits.
template <class F>
void with_number(BaseType type, F&& f) {
  switch (promoted(type)) {
    case BaseType::Float32: return f.template operator()<float>(BaseType::Float32);
    case BaseType::Float64: return f.template operator()<double>(BaseType::Float64);
    case BaseType::Complex64:
      return f.template operator()<std::complex<float>>(BaseType::Complex64);
    case BaseType::Complex128:
      return f.template operator()<std::complex<double>>(BaseType::Complex128);
    default: return f.template operator()<std::int64_t>(BaseType::Int64);
  }
}

template <class T>
struct Dense {
  std::vector<std::int64_t> shape;
  std::vector<T> values;
};

template <class T>
Dense<T> dense(Machine& machine, const Operands::Operand& operand, BaseType type) {
  const Gathered gathered = gather(machine, operand.side, operand.place);
  Dense<T> result{gathered.shape, {}};
  for (const Number& v : gathered.values)
    result.values.push_back(get<T>(convert(v, operand.side.container->type, type)));
  return result;
}

/// For each label in use, how far a step along it moves in a tensor.
std::vector<std::size_t> strides_by_label(const Labels& labels,
                                          const std::vector<std::int64_t>& shape,
                                          std::size_t label_count) {
  std::vector<std::size_t> strides(label_count, 0);
  std::size_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    // A dimension of one element is repeated along its label (broadcasting).
    if (labels[d] != squeezed && shape[d] != 1) strides[std::size_t(labels[d])] += stride;
    stride *= std::size_t(shape[d]);
  }
  return strides;
}

void Contraction::run() const {
  machine->step();
  const BaseType stored = result.side.container->type;
  with_number(stored, [&]<class T>(BaseType type) {
    std::vector<Dense<T>> inputs;
    for (const Factor& f : factors) inputs.push_back(dense<T>(*machine, f.operand, type));
    const std::vector<std::int64_t> shape = shape_of(result.side);

    std::vector<std::int64_t> extent;  // by label
    const auto note = [&](const Labels& all, const std::vector<std::int64_t>& sizes) {
      if (all.size() != sizes.size())
        throw Stop("an operand has " + std::to_string(sizes.size()) + " dimensions, expected " +
                   std::to_string(all.size()));
      for (std::size_t d = 0; d < all.size(); ++d) {
        if (all[d] == squeezed) continue;
        const auto label = std::size_t(all[d]);
        if (extent.size() <= label) extent.resize(label + 1, 1);
        if (extent[label] != 1 && sizes[d] != 1 && extent[label] != sizes[d])
          throw Stop("operands do not fit: a dimension has " + std::to_string(extent[label]) +
                     " elements in one and " + std::to_string(sizes[d]) + " in another");
        extent[label] = extent[label] == 1 ? sizes[d] : extent[label];
      }
    };
    for (std::size_t i = 0; i < factors.size(); ++i) note(factors[i].labels, inputs[i].shape);
    note(labels, shape);

    // The result's labels outermost, in its order; the sums run innermost.
    Labels order;
    for (int label : labels)
      if (label != squeezed && std::ranges::find(order, label) == order.end())
        order.push_back(label);
    for (int label = 0; label < int(extent.size()); ++label)
      if (std::ranges::find(order, label) == order.end()) order.push_back(label);
    std::vector<std::vector<std::size_t>> strides;
    for (std::size_t i = 0; i < factors.size(); ++i)
      strides.push_back(strides_by_label(factors[i].labels, inputs[i].shape, extent.size()));
    const std::vector<std::size_t> out_stride = strides_by_label(labels, shape, extent.size());

    std::size_t count = 1;
    for (std::int64_t e : shape) count *= std::size_t(e);
    std::vector<T> sums(count, T(0));
    std::vector<std::int64_t> index(extent.size(), 0);
    bool empty = std::ranges::find(extent, 0) != extent.end();
    while (!empty) {
      std::size_t out = 0;
      for (std::size_t l = 0; l < extent.size(); ++l) out += std::size_t(index[l]) * out_stride[l];
      T product{};
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::size_t at = 0;
        for (std::size_t l = 0; l < extent.size(); ++l)
          at += std::size_t(index[l]) * strides[i][l];
        product = i == 0 ? inputs[i].values[at] : product * inputs[i].values[at];
      }
      sums[out] += product;
      std::size_t d = order.size();
      while (d-- > 0) {
        const auto l = std::size_t(order[d]);
        if (++index[l] < extent[l]) break;
        index[l] = 0;
      }
      if (d == ~std::size_t(0)) break;
    }

    const auto number = [&](const Eval& e, T fallback) {
      return e ? get<T>(convert(e(), stored, type)) : fallback;
    };
    const T a = number(alpha, T(1)), b = number(beta, T(0));
    std::vector<T> before;
    if (b != T(0)) before = dense<T>(*machine, old ? *old : result, type).values;
    if (!before.empty() && before.size() != sums.size())
      throw Stop("the summand has another shape than the result");
    std::vector<Number> values;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      T value = a == T(1) ? sums[i] : a * sums[i];
      if (!before.empty()) value += b == T(1) ? before[i] : b * before[i];
      values.push_back(convert(number_of(value), type, stored));
    }
    scatter(*machine, result.side, values, result.combine, result.place);
  });
}

// ---- The operations. Ranks are those of the memlets' subsets.

std::size_t rank_of(const Operands::Operand& o) { return o.side.container->data->shape.size(); }

/// Labels for a subset of which dimensions of one element may have to be left out.
Labels fit(const Operands::Operand& operand, const std::vector<std::size_t>& wide, Labels labels) {
  const std::size_t rank = rank_of(operand);
  if (labels.size() == rank) return labels;
  if (wide.size() > labels.size())
    throw Stop("an operand has " + std::to_string(wide.size()) +
               " dimensions of more than one element, expected " + std::to_string(labels.size()));
  Labels fitted(rank, squeezed);
  // The last dimensions first, so that a kept dimension of one element is the innermost.
  std::vector<std::size_t> kept = wide;
  for (std::size_t d = rank; d-- > 0 && kept.size() < labels.size();)
    if (std::ranges::find(kept, d) == kept.end()) kept.push_back(d);
  std::ranges::sort(kept);
  if (kept.size() > labels.size()) kept.resize(labels.size());
  for (std::size_t i = 0; i < kept.size(); ++i)
    fitted[kept[i]] = labels[labels.size() - kept.size() + i];
  return fitted;
}

std::vector<std::size_t> wide_of(const Operands::Operand& o) {
  std::vector<std::size_t> wide;
  const Side& side = o.side;
  if (!side.given) {
    for (std::size_t d = 0; d < side.container->data->shape.size(); ++d)
      if (!(side.container->data->shape[d] == Expr(1))) wide.push_back(d);
    return wide;
  }
  for (std::size_t d = 0; d < side.subset.size(); ++d) {
    const auto& [begin, end, step, tile] = side.subset[d];
    const bool index = begin.constant == end.constant && !begin.code && !end.code &&
                       std::ranges::equal(begin.terms, end.terms, [](const auto& a, const auto& b) {
                         return a.symbol == b.symbol && a.coefficient == b.coefficient;
                       });
    if (!index) wide.push_back(d);
  }
  return wide;
}

class Builder {
 public:
  explicit Builder(const Operands& operands) : operands_(operands) {}

  Step operator()(const MatMul& op) const { return matmul(op.alpha, op.beta); }
  Step operator()(const BatchedMatMul& op) const {
    if (!op.trans_a && !op.trans_b) return matmul(op.alpha, op.beta);
    return batched(op);
  }
  Step operator()(const Gemm& op) const {
    return make({{operands_.input("_a"), op.trans_a ? Labels{2, 0} : Labels{0, 2}},
                 {operands_.input("_b"), op.trans_b ? Labels{1, 2} : Labels{2, 1}}},
                operands_.output("_c"), {0, 1}, op.alpha, op.beta, "_c");
  }
  Step operator()(const Gemv& op) const {
    return make({{operands_.input("_A"), op.trans_a ? Labels{1, 0} : Labels{0, 1}},
                 {operands_.input("_x"), {1}}},
                operands_.output("_y"), {0}, op.alpha, op.beta, "_y");
  }
  Step operator()(const Dot&) const {
    return make({{operands_.input("_x"), {0}}, {operands_.input("_y"), {0}}},
                operands_.output("_result"), {}, 1, 0, "");
  }
  Step operator()(const Axpy& op) const {
    return make({{operands_.input("_x"), {0}}}, operands_.output("_res"), {0}, op.a, 1, "_y");
  }
  Step operator()(const Ger& op) const {
    return make({{operands_.input("_x"), {0}}, {operands_.input("_y"), {1}}},
                operands_.output("_res"), {0, 1}, op.alpha, 1, "_A");
  }
  Step operator()(const Transpose&) const {
    return make({{operands_.only_input(), {1, 0}}}, operands_.only_output(), {0, 1}, 1, 0, "");
  }
  Step operator()(const TensorTranspose& op) const {
    Labels labels(op.axes.begin(), op.axes.end()), in(labels.size());
    for (std::size_t d = 0; d < in.size(); ++d) in[d] = int(d);
    return make({{operands_.only_input(), in}}, operands_.only_output(), labels, op.alpha, op.beta,
                "_out_tensor");
  }
  Step operator()(const TensorDot& op) const {
    const auto left = operands_.input("_left_tensor"), right = operands_.input("_right_tensor");
    Labels a(rank_of(left)), b(rank_of(right), squeezed), out;
    for (std::size_t d = 0; d < a.size(); ++d) a[d] = int(d);
    for (std::size_t i = 0; i < op.left_axes.size() && i < op.right_axes.size(); ++i)
      b.at(std::size_t(op.right_axes[i])) = int(op.left_axes[i]);
    for (int label : a)
      if (std::ranges::find(op.left_axes, label) == op.left_axes.end()) out.push_back(label);
    int next = int(a.size());
    for (int& label : b)
      if (label == squeezed) out.push_back(label = next++);
    if (!op.permutation.empty()) {
      Labels permuted;
      for (std::int64_t p : op.permutation) permuted.push_back(out.at(std::size_t(p)));
      out = permuted;
    }
    return make({{left, a}, {right, b}}, operands_.output("_out_tensor"), out, 1, 0, "");
  }
  Step operator()(const Einsum& op) const {
    std::string text;
    for (char c : op.subscripts)
      if (c != ' ') text += c;
    const std::size_t arrow = text.find("->");
    if (arrow == std::string::npos || text.find('.') != std::string::npos)
      throw Stop("the interpreter reads einsum texts of the form 'ij,jk->ik'");
    std::map<char, int> known;
    const auto labels_of = [&](std::string_view part) {
      Labels labels;
      for (char c : part) labels.push_back(known.try_emplace(c, int(known.size())).first->second);
      return labels;
    };
    std::vector<Factor> factors;
    std::size_t begin = 0;
    for (const auto& [name, operand] : operands_.inputs) {
      const std::size_t end = std::min(text.find(',', begin), arrow);
      if (begin > arrow) throw Stop("an einsum has more inputs than its text names");
      factors.push_back({operand, labels_of(std::string_view(text).substr(begin, end - begin))});
      begin = end + 1;
    }
    return make(std::move(factors), operands_.only_output(),
                labels_of(std::string_view(text).substr(arrow + 2)), op.alpha, op.beta, "");
  }
  template <class Other>
  Step operator()(const Other&) const {
    throw Stop("the library node is no contraction");
  }

 private:
  Step matmul(const Expr& alpha, const Expr& beta) const {
    const auto a = operands_.input("_a"), b = operands_.input("_b"), c = operands_.output("_c");
    // Label 0: rows, 1: columns, 2: summed; batches from 3 on, aligned at their last dimension.
    const auto with_batches = [](const Operands::Operand& o, Labels inner) {
      const std::size_t rank = rank_of(o);
      if (rank <= inner.size()) return inner;
      const std::size_t batches = rank - inner.size();
      Labels labels;
      for (std::size_t d = 0; d < batches; ++d) labels.push_back(3 + int(batches - 1 - d));
      labels.insert(labels.end(), inner.begin(), inner.end());
      return labels;
    };
    const std::size_t wide_a = wide_of(a).size(), wide_b = wide_of(b).size();
    const bool fits = fits_matmul(a.sizes, b.sizes, c.sizes);
    const bool vector_a = rank_of(a) == 1 ||
                          (!fits && wide_a == 1 && rank_of(c) + 2 == rank_of(b) + 1),
               vector_b = rank_of(b) == 1;
    // Matrices cut out of larger arrays: only the dimensions of more than one element count.
    const bool cut = !fits && wide_a <= 2 && wide_b <= 2 && wide_of(c).size() <= 2;
    Labels la = vector_a ? Labels{2} : Labels{0, 2}, lb = vector_b ? Labels{2} : Labels{2, 1}, lc;
    if (!vector_a) lc.push_back(0);
    if (!vector_b) lc.push_back(1);
    if (!cut) la = with_batches(a, la), lb = with_batches(b, lb), lc = with_batches(c, lc);
    return make({{a, la}, {b, lb}}, c, lc, alpha, beta, "_c");
  }

  Step batched(const BatchedMatMul& op) const {
    const auto a = operands_.input("_a"), b = operands_.input("_b"), c = operands_.output("_c");
    const auto labels = [](const Operands::Operand& o, int first, int second) {
      return rank_of(o) == 3 ? Labels{3, first, second} : Labels{first, second};
    };
    return make({{a, op.trans_a ? labels(a, 2, 0) : labels(a, 0, 2)},
                 {b, op.trans_b ? labels(b, 1, 2) : labels(b, 2, 1)}},
                c, labels(c, 0, 1), op.alpha, op.beta, "_c");
  }

  Step make(std::vector<Factor> factors, const Operands::Operand& result, Labels labels,
            const Expr& alpha, const Expr& beta, std::string_view old) const {
    Contraction c{&operands_.context.machine, std::move(factors), result, {}, {}, {}, {}};
    for (Factor& f : c.factors) f.labels = fit(f.operand, wide_of(f.operand), std::move(f.labels));
    c.labels = fit(result, wide_of(result), std::move(labels));
    const BaseType type = result.side.container->type;
    c.alpha = compile_as(alpha, type, operands_.context);
    c.beta = compile_as(beta, type, operands_.context);
    for (const std::string& name : {std::string(old), std::string(old) + "in"})
      if (const auto found = operands_.inputs.find(name); found != operands_.inputs.end())
        c.old = found->second;
    return [c = std::move(c)] { c.run(); };
  }

  const Operands& operands_;
};

}  // namespace

Step compile_contraction(const LibraryOperation& operation, const Operands& operands) {
  return std::visit(Builder(operands), operation);
}

}  // namespace sdfg::interpreter
