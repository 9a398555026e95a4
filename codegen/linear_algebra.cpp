#include "codegen/library.h"

namespace sdfg {

namespace {

bool is_one(const Expr& e) { return e.as_integer() == 1; }

/// The last `rank` dimensions when there are no more, else those wider than one.
std::vector<std::size_t> dimensions(const LibraryPort& port, std::size_t rank) {
  std::vector<std::size_t> all;
  for (std::size_t d = 0; d < port.sizes.size(); ++d) all.push_back(d);
  return all.size() <= rank ? all : port.wide();
}

}  // namespace

std::string SdfgFunction::matrix(const LibraryPort& port, std::size_t row, std::size_t column,
                                 const Place& place) {
  const auto size = [&](std::size_t d) {
    return d < port.sizes.size() ? print(port.sizes[d], place) : "1";
  };
  const auto stride = [&](std::size_t d) {
    return d < port.sizes.size() ? print(port.strides[d], place) : "0";
  };
  return "sdfg::Matrix<" + std::string(on_device_ && port.input ? "const " : "") + port.type +
         ">{" + port.pointer + ", " + size(row) + ", " + size(column) + ", " + stride(row) + ", " +
         stride(column) + "}";
}

void SdfgFunction::emit_linear_algebra(At& at, NodeId id, const LibraryOperation& operation,
                                       ByName<LibraryPort>& in,
                                       ByName<LibraryPort>& out) {
  const Place place = at.node_place(id);
  const NameScope scope(used_names_, on_device_);
  constexpr std::size_t none = ~std::size_t(0), any_rank = none;
  for (auto* ports : {&in, &out})
    for (auto& [name, port] : *ports)
      if (!port.binding.data) return;
  const auto need = [&](LibraryPorts& ports, std::string_view name) -> LibraryPort* {
    const auto found = ports.find(name);
    if (found != ports.end()) return &found->second;
    fail(place, "nothing is connected to '" + std::string(name) + "'");
    return nullptr;
  };
  const std::string parallel =
      !at.where.parallel && !at.where.in_scope && program_.target.openmp ? "true" : "false";
  at.out.line("// " + std::string(at.state[id].label()));
  const bool far = !on_device_ && !out.empty() && out.begin()->second.binding.device;
  const std::string gpu = far ? "__state->gpu, " : "";
  const auto dot = [&](const LibraryPort& x, std::size_t xd, const LibraryPort& y, std::size_t yd,
                       const LibraryPort& result) {
    const std::string operands = print(x.sizes[xd], place) + ", " + x.pointer + ", " +
                                 print(x.strides[xd], place) + ", " + y.pointer + ", " +
                                 print(y.strides[yd], place) + ");";
    at.out.line(far ? "sdfg::gpu::dot(" + gpu + "__state->" + partial_results(program_) + ", " +
                          result.pointer + ", " + operands
                    : "*(" + result.pointer + ") = sdfg::dot<" + result.type + ">(" + operands);
  };

  const auto gemm = [&](const std::string& a, const std::string& b, const std::string& c,
                        const std::string& type, const Expr& alpha, const Expr& beta) {
    at.out.line("sdfg::" + (far ? "gpu::gemm(" + gpu : "gemm<" + parallel + ">(") + a + ", " + b +
                ", " + c + ", " + type + "(" + print_code(alpha, place) + "), " + type + "(" +
                print_code(beta, place) + "));");
  };
  // c = alpha * op(a) @ op(b) + beta * c for vectors, matrices and batches of matrices.
  const auto product = [&](bool trans_a, bool trans_b, const Expr& alpha, const Expr& beta) {
    LibraryPort *a = need(in, "_a"), *b = need(in, "_b"), *c = need(out, "_c");
    if (!a || !b || !c) return;
    const bool fits = fits_matmul(a->sizes, b->sizes, c->sizes, trans_a, trans_b);
    const std::size_t rank = fits ? any_rank : 2;
    auto a_dims = dimensions(*a, rank), b_dims = dimensions(*b, rank),
         c_dims = dimensions(*c, rank);
    if (a_dims.size() == 1 && b_dims.size() == 1 && c->wide().empty()) {
      dot(*a, a_dims[0], *b, b_dims[0], *c);
      return;
    }
    // Batches: leading dimensions of c, shared by the operands that have them.
    const bool a_vector = a_dims.size() == 1, b_vector = b_dims.size() == 1;
    const std::size_t matrix_dims = 2 - std::size_t(a_vector) - std::size_t(b_vector);
    if (c_dims.size() < matrix_dims) {
      c_dims.clear();
      for (std::size_t d = 0; d < c->sizes.size(); ++d) c_dims.push_back(d);
    }
    const std::size_t batch = c_dims.size() > matrix_dims ? c_dims.size() - matrix_dims : 0;
    std::vector<std::string> index;
    std::string a_at, b_at, c_at;
    const CppExpr printer = symbolic();
    for (std::size_t k = 0; k < batch; ++k) {
      const std::string i = local_name("b" + std::to_string(k));
      at.out.open("for (int64_t " + i + " = 0; " + i + " < " + print(c->sizes[c_dims[k]], place) +
                  "; ++" + i + ")");
      const auto add = [&](std::string& text, const LibraryPort& port,
                           const std::vector<std::size_t>& dims, std::size_t core) {
        // Right-aligned, as NumPy broadcasts.
        const std::size_t own = dims.size() > core ? dims.size() - core : 0;
        if (k + own < batch) return;
        const std::size_t d = dims[k + own - batch];
        if (!is_one(port.sizes[d])) text += " + " + printer.operand(port.strides[d]) + " * " + i;
      };
      add(a_at, *a, a_dims, a_vector ? 1 : 2);
      add(b_at, *b, b_dims, b_vector ? 1 : 2);
      add(c_at, *c, c_dims, matrix_dims);
    }
    LibraryPort aa = *a, bb = *b, cc = *c;
    aa.pointer += a_at, bb.pointer += b_at, cc.pointer += c_at;
    std::size_t a_row = a_vector ? none : a_dims[a_dims.size() - 2], a_column = a_dims.back();
    std::size_t b_row = b_vector ? b_dims.back() : b_dims[b_dims.size() - 2];
    std::size_t b_column = b_vector ? none : b_dims.back();
    if (trans_a) std::swap(a_row, a_column);
    if (trans_b) std::swap(b_row, b_column);
    const std::size_t c_row = a_vector ? none : c_dims[batch];
    const std::size_t c_column = b_vector ? none : c_dims.back();
    gemm(matrix(aa, a_row, a_column, place), matrix(bb, b_row, b_column, place),
         matrix(cc, c_row, c_column, place), c->type, alpha, beta);
    for (std::size_t k = 0; k < batch; ++k) at.out.close();
  };

  // Before an update that reads the old value from elsewhere: bring it over.
  const auto start_from = [&](const LibraryPort& old, const LibraryPort& result) {
    if (old.pointer == result.pointer) return;
    if (far) return emit_far_move(at.out, old, old.wide(), result, result.wide(), place);
    std::vector<std::string> old_index(old.sizes.size()), index(result.sizes.size());
    const auto from = old.wide(), to = result.wide();
    for (std::size_t k = 0; k < to.size(); ++k) {
      const std::string i = local_name("i" + std::to_string(k));
      at.out.open("for (int64_t " + i + " = 0; " + i + " < " + print(result.sizes[to[k]], place) +
                  "; ++" + i + ")");
      index[to[k]] = i;
      if (k < from.size()) old_index[from[k]] = i;
    }
    at.out.line("(" + result.pointer + ")[" + strided(result.strides, index) + "] = (" +
                old.pointer + ")[" + strided(old.strides, old_index) + "];");
    for (std::size_t k = 0; k < to.size(); ++k) at.out.close();
  };

  if (const auto* op = std::get_if<MatMul>(&operation))
    return product(false, false, op->alpha, op->beta);
  if (const auto* op = std::get_if<BatchedMatMul>(&operation))
    return product(op->trans_a, op->trans_b, op->alpha, op->beta);
  if (const auto* op = std::get_if<Gemm>(&operation)) {
    if (const auto old = in.find("_c"), to = out.find("_c"); old != in.end() && to != out.end())
      start_from(old->second, to->second);
    else if (const auto cin = in.find("_cin"); cin != in.end() && to != out.end())
      start_from(cin->second, to->second);
    return product(op->trans_a, op->trans_b, op->alpha, op->beta);
  }
  if (const auto* op = std::get_if<Gemv>(&operation)) {
    LibraryPort *a = need(in, "_A"), *x = need(in, "_x"), *y = need(out, "_y");
    if (!a || !x || !y) return;
    if (const auto old = in.find("_y"); old != in.end()) start_from(old->second, *y);
    const auto dims = dimensions(*a, 2), xd = dimensions(*x, 1), yd = dimensions(*y, 1);
    if (dims.size() != 2 || xd.size() != 1 || yd.size() != 1)
      return fail(place, "a matrix-vector product of something else");
    return gemm(matrix(*a, dims[op->trans_a ? 1 : 0], dims[op->trans_a ? 0 : 1], place),
                matrix(*x, xd[0], none, place), matrix(*y, yd[0], none, place), y->type, op->alpha,
                op->beta);
  }
  if (std::get_if<Dot>(&operation)) {
    LibraryPort *x = need(in, "_x"), *y = need(in, "_y"), *result = need(out, "_result");
    if (!x || !y || !result) return;
    const auto xd = dimensions(*x, 1), yd = dimensions(*y, 1);
    if (xd.size() != 1 || yd.size() != 1) return fail(place, "a dot product of something else");
    dot(*x, xd[0], *y, yd[0], *result);
    return;
  }
  // The rest: loops over an index space, one statement inside.
  std::vector<std::string> opened;
  const auto loop = [&](const std::string& i, const Expr& size) {
    at.out.open("for (int64_t " + i + " = 0; " + i + " < " + print(size, place) + "; ++" + i + ")");
    opened.push_back(i);
  };
  const auto close = [&] {
    for (std::size_t k = 0; k < opened.size(); ++k) at.out.close();
  };
  const auto at_index = [&](const LibraryPort& port, const std::vector<std::string>& index) {
    return "(" + port.pointer + ")[" + strided(port.strides, index) + "]";
  };
  const auto spread = [](const LibraryPort& port, const std::vector<std::size_t>& dims,
                         const std::vector<std::string>& names) {
    std::vector<std::string> index(port.sizes.size());
    for (std::size_t k = 0; k < dims.size() && k < names.size(); ++k) index[dims[k]] = names[k];
    return index;
  };
  if (const auto* op = std::get_if<Axpy>(&operation)) {
    LibraryPort *x = need(in, "_x"), *y = need(in, "_y"), *result = need(out, "_res");
    if (!x || !y || !result) return;
    const std::string i = local_name("i");
    loop(i, x->sizes[dimensions(*x, 1).at(0)]);
    at.out.line(at_index(*result, spread(*result, dimensions(*result, 1), {i})) + " = " +
                print_code(op->a, place) + " * " +
                at_index(*x, spread(*x, dimensions(*x, 1), {i})) + " + " +
                at_index(*y, spread(*y, dimensions(*y, 1), {i})) + ";");
    return close();
  }
  if (const auto* op = std::get_if<Ger>(&operation)) {
    LibraryPort *x = need(in, "_x"), *y = need(in, "_y"), *a = need(in, "_A"),
                *result = need(out, "_res");
    if (!x || !y || !a || !result) return;
    const std::string i = local_name("i"), j = local_name("j");
    loop(i, x->sizes[dimensions(*x, 1).at(0)]);
    loop(j, y->sizes[dimensions(*y, 1).at(0)]);
    at.out.line(at_index(*result, spread(*result, dimensions(*result, 2), {i, j})) + " = " +
                print_code(op->alpha, place) + " * " +
                at_index(*x, spread(*x, dimensions(*x, 1), {i})) + " * " +
                at_index(*y, spread(*y, dimensions(*y, 1), {j})) + " + " +
                at_index(*a, spread(*a, dimensions(*a, 2), {i, j})) + ";");
    return close();
  }
  if (std::get_if<Transpose>(&operation)) {
    LibraryPort *a = need(in, "_inp"), *b = need(out, "_out");
    if (!a || !b) return;
    const auto ad = dimensions(*a, 2), bd = dimensions(*b, 2);
    if (ad.size() != 2 || bd.size() != 2)
      return fail(place, "a transpose of something else than a matrix");
    if (far) return emit_far_move(at.out, *a, {ad[1], ad[0]}, *b, bd, place);
    const std::string i = local_name("i"), j = local_name("j");
    loop(i, b->sizes[bd[0]]);
    loop(j, b->sizes[bd[1]]);
    at.out.line(at_index(*b, spread(*b, bd, {i, j})) + " = " +
                at_index(*a, spread(*a, ad, {j, i})) + ";");
    return close();
  }
  if (const auto* op = std::get_if<TensorTranspose>(&operation)) {
    LibraryPort *a = need(in, "_inp_tensor"), *b = need(out, "_out_tensor");
    if (!a || !b) return;
    if (op->axes.size() != a->sizes.size() || op->axes.size() != b->sizes.size())
      return fail(place, "the permutation does not fit the tensor");
    if (far) {
      if (!is_one(op->alpha) || !(op->beta.as_integer() == 0))
        return fail(place, "no code for a scaled transposition on memory of the GPU",
                    "keep its containers on the host");
      std::vector<std::size_t> axes(op->axes.begin(), op->axes.end()), all;
      for (std::size_t d = 0; d < axes.size(); ++d) all.push_back(d);
      return emit_far_move(at.out, *a, axes, *b, all, place);
    }
    std::vector<std::string> from(a->sizes.size()), to(b->sizes.size());
    for (std::size_t d = 0; d < op->axes.size(); ++d) {
      const std::string i = local_name("i" + std::to_string(d));
      loop(i, b->sizes[d]);
      to[d] = i;
      if (op->axes[d] < 0 || std::size_t(op->axes[d]) >= from.size())
        return fail(place, "the permutation does not fit the tensor");
      from[std::size_t(op->axes[d])] = i;
    }
    std::string value = at_index(*a, from);
    if (!is_one(op->alpha)) value = print_code(op->alpha, place) + " * " + value;
    if (!(op->beta.as_integer() == 0))
      value += " + " + print_code(op->beta, place) + " * " + at_index(*b, to);
    at.out.line(at_index(*b, to) + " = " + value + ";");
    return close();
  }
  if (const auto* op = std::get_if<Einsum>(&operation)) {
    if (out.empty()) return fail(place, "the einsum has no output");
    LibraryPort& c = out.begin()->second;
    const std::size_t arrow = op->subscripts.find("->");
    const std::string left = op->subscripts.substr(0, arrow);
    const std::string right = arrow == std::string::npos ? "" : op->subscripts.substr(arrow + 2);
    std::vector<std::string> terms{""};
    for (char ch : left)
      if (ch == ',')
        terms.emplace_back();
      else if (ch != ' ')
        terms.back() += ch;
    std::map<char, Expr> extents;
    std::map<char, std::string> loops;
    std::string summed, value;
    auto operand = in.begin();
    for (const std::string& term : terms) {
      while (operand != in.end() && out.contains(operand->first)) ++operand;
      if (operand == in.end() || operand->second.sizes.size() < term.size())
        return fail(place, "the einsum's operands do not fit '" + op->subscripts + "'");
      const LibraryPort& port = operand->second;
      std::vector<std::string> index(port.sizes.size());
      for (std::size_t d = 0; d < term.size(); ++d) {
        if (extents.try_emplace(term[d], port.sizes[d]).second)
          loops[term[d]] = local_name(std::string(1, term[d]));
        index[d] = loops[term[d]];
        if (right.find(term[d]) == std::string::npos && summed.find(term[d]) == std::string::npos)
          summed += term[d];
      }
      value += (value.empty() ? "" : " * ") + at_index(port, index);
      ++operand;
    }
    std::vector<std::string> index(c.sizes.size());
    for (std::size_t d = 0; d < right.size(); ++d) {
      if (d >= index.size() || !extents.contains(right[d]))
        return fail(place, "the einsum's output does not fit '" + op->subscripts + "'");
      loop(loops[right[d]], extents.at(right[d]));
      index[d] = loops[right[d]];
    }
    const std::string result = local_name("result");
    at.out.line(c.type + " " + result + " = " + c.type + "(0);");
    const std::size_t outer = opened.size();
    for (char s : summed) loop(loops[s], extents.at(s));
    at.out.line(result + " += " + value + ";");
    for (; opened.size() > outer; opened.pop_back()) at.out.close();
    std::string total = result;
    if (!is_one(op->alpha)) total = print_code(op->alpha, place) + " * " + result;
    if (!(op->beta.as_integer() == 0))
      total += " + " + print_code(op->beta, place) + " * " + at_index(c, index);
    at.out.line(at_index(c, index) + " = " + total + ";");
    return close();
  }
  if (const auto* op = std::get_if<TensorDot>(&operation)) {
    LibraryPort *a = need(in, "_left_tensor"), *b = need(in, "_right_tensor"),
                *c = need(out, "_out_tensor");
    if (!a || !b || !c) return;
    std::vector<std::string> ai(a->sizes.size()), bi(b->sizes.size()), free, ci(c->sizes.size());
    std::vector<std::string> summed;
    std::vector<Expr> free_sizes;
    for (std::size_t k = 0; k < op->left_axes.size() && k < op->right_axes.size(); ++k) {
      summed.push_back(local_name("k" + std::to_string(k)));
      ai.at(std::size_t(op->left_axes[k])) = summed.back();
      bi.at(std::size_t(op->right_axes[k])) = summed.back();
    }
    for (std::size_t d = 0; d < ai.size(); ++d)
      if (ai[d].empty())
        free.push_back(ai[d] = local_name("l" + std::to_string(d))),
            free_sizes.push_back(a->sizes[d]);
    for (std::size_t d = 0; d < bi.size(); ++d)
      if (bi[d].empty())
        free.push_back(bi[d] = local_name("r" + std::to_string(d))),
            free_sizes.push_back(b->sizes[d]);
    if (free.size() != ci.size() && !free.empty())
      return fail(place, "the contraction's output has another rank");
    for (std::size_t d = 0; d < free.size(); ++d) {
      const std::size_t from = op->permutation.empty() ? d : std::size_t(op->permutation[d]);
      if (from >= free.size()) return fail(place, "the permutation does not fit the tensor");
      ci[d] = free[from];
      loop(free[from], free_sizes[from]);
    }
    const std::string result = local_name("result");
    at.out.line(c->type + " " + result + " = " + c->type + "(0);");
    const std::size_t outer = opened.size();
    for (std::size_t k = 0; k < summed.size(); ++k)
      loop(summed[k], a->sizes[std::size_t(op->left_axes[k])]);
    at.out.line(result + " += " + at_index(*a, ai) + " * " + at_index(*b, bi) + ";");
    for (; opened.size() > outer; opened.pop_back()) at.out.close();
    at.out.line(at_index(*c, ci) + " = " + result + ";");
    return close();
  }
  for (const auto* ports : {&in, &out})
    for (const auto& [name, port] : *ports)
      if (const Type& type = port.binding.data->dtype; type.is_float() && type.bytes() == 2)
        return fail(place, "no factors, inverses or solutions of '" + type.text() + "'",
                    "convert to float32 before");
  if (const auto* op = std::get_if<Cholesky>(&operation)) {
    LibraryPort *a = need(in, "_a"), *b = need(out, "_b");
    if (!a || !b) return;
    const auto ad = dimensions(*a, 2), bd = dimensions(*b, 2);
    if (ad.size() != 2 || bd.size() != 2)
      return fail(place, "a Cholesky factor of something else than a matrix");
    return at.out.line("sdfg::cholesky(" + matrix(*a, ad[0], ad[1], place) + ", " +
                       matrix(*b, bd[0], bd[1], place) + ", " + (op->lower ? "true" : "false") +
                       ");");
  }
  if (std::get_if<Inv>(&operation)) {
    LibraryPort *a = need(in, "_ain"), *b = need(out, "_aout");
    if (!a || !b) return;
    const auto ad = dimensions(*a, 2), bd = dimensions(*b, 2);
    if (ad.size() != 2 || bd.size() != 2)
      return fail(place, "an inverse of something else than a matrix");
    return at.out.line("sdfg::inverse(" + matrix(*a, ad[0], ad[1], place) + ", " +
                       matrix(*b, bd[0], bd[1], place) + ");");
  }
  if (std::get_if<Solve>(&operation)) {
    LibraryPort *a = need(in, "_ain"), *b = need(in, "_bin"), *x = need(out, "_bout");
    if (!a || !b || !x) return;
    const auto ad = dimensions(*a, 2), bd = dimensions(*b, 2), xd = dimensions(*x, 2);
    if (ad.size() != 2 || bd.empty() || xd.empty())
      return fail(place, "a linear system of another shape");
    return at.out.line("sdfg::solve(" + matrix(*a, ad[0], ad[1], place) + ", " +
                       matrix(*b, bd[0], bd.size() > 1 ? bd[1] : none, place) + ", " +
                       matrix(*x, xd[0], xd.size() > 1 ? xd[1] : none, place) + ");");
  }
  if (std::get_if<CopyNode>(&operation)) {
    LibraryPort *a = need(in, "_cpy_in"), *b = need(out, "_cpy_out");
    if (a && b) start_from(*a, *b);
    return;
  }
  if (const auto* op = std::get_if<Fill>(&operation)) {
    if (out.empty()) return fail(place, "the fill has no output");
    LibraryPort& to = out.begin()->second;
    std::vector<std::string> index(to.sizes.size());
    for (std::size_t d : to.wide())
      loop(index[d] = local_name("i" + std::to_string(d)), to.sizes[d]);
    const auto given = in.find("_fill_val");
    at.out.line(
        at_index(to, index) + " = " +
        (given != in.end() ? "*(" + given->second.pointer + ")" : print_code(op->value, place)) +
        ";");
    return close();
  }
  fail(place, "no code for this library node on this target");
}

}  // namespace sdfg
