// Library nodes of the host on memory of the device: calls of codegen/runtime/sdfg_gpu_library.h.

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

}  // namespace

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
  if (is_any(operation, Reduce(), MatMul(), BatchedMatMul(), Gemm(), Gemv(), Dot(), Transpose(),
             TensorTranspose(), CopyNode()))
    return true;
  fail(place, "no code for a library node that the host runs on memory of the GPU",
       "keep its containers on the host");
  return false;
}

void SdfgFunction::emit_far_reduce(At& at, NodeId id, const Reduce& reduce, const LibraryPort& in,
                                   const LibraryPort& out, const ReducedDimensions& dims) {
  const Place place = at.node_place(id);
  const std::string op = reduction_operator(reduce.wcr, out.binding.data->dtype, place);
  if (at.state[out.edge].memlet.wcr || op.starts_with("["))
    return fail(place, "no code for this update in a reduction on memory of the GPU",
                "run --expand-reduce and --gpu-transformation, which make maps of it");
  const auto list = [&](const std::vector<Expr>& values, const std::vector<std::size_t>& which) {
    std::string text;
    for (std::size_t d : which) text += (text.empty() ? "" : ", ") + print(values[d], place);
    return "{" + text + "}";
  };
  at.out.line("// reduce " + std::string(at.state[id].label()));
  at.out.line("sdfg::gpu::reduce(__state->gpu, " + out.pointer + ", " + in.pointer +
              ", sdfg::gpu::Reduction<" + std::to_string(dims.kept.size()) + ", " +
              std::to_string(dims.gone.size()) + ">{" + list(in.sizes, dims.kept) + ", " +
              list(in.strides, dims.kept) + ", " + list(out.strides, dims.out) + ", " +
              list(in.sizes, dims.gone) + ", " + list(in.strides, dims.gone) + "}, " + op + ", " +
              (any_order(reduce.wcr) ? "true" : "false") + ", " + out.type + "(" +
              (reduce.identity ? print_code(*reduce.identity, place) : "0") + "), " +
              (reduce.identity ? "false" : "true") + ");");
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
