// Library nodes of the host on memory of the device: calls of codegen/runtime/sdfg_gpu_library.h,
// or the host's code on copies (library.cpp).

#include <algorithm>

#include "codegen/library.h"

namespace sdfg {

namespace {

bool is_any(const LibraryOperation& operation, auto... kinds) {
  return (std::holds_alternative<decltype(kinds)>(operation) || ...);
}

/// Operations whose result does not depend on order, but for rounding.
bool any_order(const Code& wcr) {
  switch (detect_reduction(wcr)) {
    case Reduction::Sum:
    case Reduction::Product:
    case Reduction::Min:
    case Reduction::Max:
    case Reduction::LogicalAnd:
    case Reduction::LogicalOr:
    case Reduction::LogicalXor:
    case Reduction::BitAnd:
    case Reduction::BitOr:
    case Reduction::BitXor: return true;
    default: return false;
  }
}

/// The operator as the host can pass it to a kernel: a lambda becomes a type of its own.
std::string host_operator(Program& program, const std::string& op) {
  constexpr std::string_view lambda = "[&]";
  if (!op.starts_with(lambda)) return op;
  const std::size_t arrow = op.find(" -> ");
  const std::string name = program.fresh_name("combine");
  program.functions.push_back("struct " + name + " {\n  SDFG_BOTH auto operator()" +
                              op.substr(lambda.size(), arrow - lambda.size()) + " const" +
                              op.substr(arrow) + "\n};\n");
  return name + "{}";
}

}  // namespace

bool has_device_code(const LibraryOperation& operation) {
  return is_any(operation, Reduce(), MatMul(), BatchedMatMul(), Gemm(), Gemv(), Dot(), Transpose(),
                TensorTranspose(), CopyNode());
}

const std::string& partial_results(Program& program) {
  if (program.partial_results.empty()) {
    program.partial_results = program.fresh_name("partial_results");
    program.state_fields.push_back("sdfg::gpu::Arena " + program.partial_results + ";");
    program.device_memory.push_back(program.partial_results);
  }
  return program.partial_results;
}

/// A failure when the node has no code for where it stands and what it touches.
bool SdfgFunction::library_runs_here(const LibraryOperation& operation, const LibraryPorts& in,
                                     const LibraryPorts& out, const Place& place) {
  std::size_t near = 0, far = 0;
  for (const auto* ports : {&in, &out})
    for (const auto& [name, port] : *ports) ++(port.binding.device ? far : near);
  if (on_device_) {
    if (!is_any(operation, Cholesky(), Inv(), Solve())) return true;
    fail(place, "no code for this library node inside a kernel",
         "keep it outside of maps, on the host");
    return false;
  }
  if (far == 0) return true;
  if (near > 0) {
    fail(place, "a library node reaches memory of the host and of the GPU",
         "give all its containers the storage GPU_Global, or none");
    return false;
  }
  return true;
}

/// A reduction into memory of the GPU, or, where the edge says so, an update of what is there.
void SdfgFunction::emit_far_reduce(At& at, NodeId id, const Reduce& reduce, const LibraryPort& in,
                                   const LibraryPort& out, const ReducedDimensions& dims) {
  const Place place = at.node_place(id);
  const Type& type = out.binding.data->dtype;
  const std::string op = host_operator(program_, reduction_operator(reduce.wcr, type, place));
  const auto& update = at.state[out.edge].memlet.wcr;
  const std::string into =
      update ? host_operator(program_, reduction_operator(*update, type, place))
             : "sdfg::Exchange{}";
  if (update && !reduce.identity)
    return fail(place, "the reduction starts from its output and updates it, too",
                "give it an identity, or run --expand-reduce and --gpu-transformation");
  // Dimensions that go and lie behind one another are one.
  std::vector<Expr> lengths, steps;
  for (std::size_t d : dims.gone) {
    if (!steps.empty() && steps.back() == in.strides[d] * in.sizes[d]) {
      lengths.back() = lengths.back() * in.sizes[d];
      steps.back() = in.strides[d];
    } else {
      lengths.push_back(in.sizes[d]);
      steps.push_back(in.strides[d]);
    }
  }
  const auto list = [&](const std::vector<Expr>& values) {
    std::string text;
    for (const Expr& value : values) text += (text.empty() ? "" : ", ") + print(value, place);
    return "{" + text + "}";
  };
  const auto some = [](const std::vector<Expr>& values, const std::vector<std::size_t>& which) {
    std::vector<Expr> chosen;
    for (std::size_t d : which) chosen.push_back(values[d]);
    return chosen;
  };
  at.out.line("// reduce " + std::string(at.state[id].label()));
  at.out.line("sdfg::gpu::reduce(__state->gpu, __state->" + partial_results(program_) + ", " +
              out.pointer + ", " + in.pointer + ", sdfg::gpu::Reduction<" +
              std::to_string(dims.kept.size()) + ", " + std::to_string(lengths.size()) + ">{" +
              list(some(in.sizes, dims.kept)) + ", " + list(some(in.strides, dims.kept)) + ", " +
              list(some(out.strides, dims.out)) + ", " + list(lengths) + ", " + list(steps) +
              "}, " + op + ", " + into + ", " + (any_order(reduce.wcr) ? "true" : "false") + ", " +
              out.type + "(" + (reduce.identity ? print_code(*reduce.identity, place) : "0") +
              "), " + (reduce.identity ? "false" : "true") + ");");
}

/// Elements in another order of dimensions.
void SdfgFunction::emit_far_move(Writer& out, const LibraryPort& from,
                                 const std::vector<std::size_t>& from_dims, const LibraryPort& to,
                                 const std::vector<std::size_t>& to_dims, const Place& place) {
  std::string size, write, read;
  for (std::size_t k = 0; k < to_dims.size(); ++k) {
    const std::string comma = k ? ", " : "";
    size += comma + print(to.sizes[to_dims[k]], place);
    write += comma + print(to.strides[to_dims[k]], place);
    read += comma + (k < from_dims.size() ? print(from.strides[from_dims[k]], place) : "0");
  }
  if (to_dims.empty()) size = "1", write = "1", read = "1";
  out.line("sdfg::gpu::copy(__state->gpu, " + to.pointer + ", " + from.pointer +
           ", sdfg::gpu::Box<" + std::to_string(std::max<std::size_t>(to_dims.size(), 1)) + ">{{" +
           size + "}, {" + write + "}, {" + read + "}});");
}

}  // namespace sdfg
