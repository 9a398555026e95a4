#include "codegen/gpu.h"

#include <algorithm>

#include "codegen/lowering.h"
#include "codegen/program_file.h"
#include "codegen/writer.h"
#include "ir/analysis/connector_types.h"
#include "ir/analysis/memlet_path.h"
#include "ir/control_views.h"
#include "ir/hiding_names.h"
#include "ir/walk.h"

namespace sdfg {

std::string Target::extension() const {
  if (!gpu) return ".cpp";
  return gpu->dialect == GpuDialect::Cuda ? ".cu" : ".hip.cpp";
}

std::string gpu_declarations(const Program& program) {
  const std::string handle = program.state_type + "* __state";
  return "SDFG_EXPORT bool __dace_gpu_set_stream(" + handle +
         ", int id, sdfg::gpu::Stream stream);\n" + "SDFG_EXPORT void __dace_gpu_set_all_streams(" +
         handle + ", sdfg::gpu::Stream stream);\n";
}

std::vector<std::string> around_launch(const GpuPlan& plan, const KernelPlan& kernel) {
  std::vector<std::string> lines;
  if (plan.ranges) lines.push_back("const sdfg::gpu::Range range(\"" + kernel.name + "\");");
  if (plan.timers) {
    std::string element = "{\"" + kernel.name + "\"";
    for (std::int64_t part : kernel.element) element += ", " + std::to_string(part);
    lines.push_back("const sdfg::gpu::Timed timed(__state->timers, __state->gpu, " + element +
                    "});");
  }
  return lines;
}

std::string gpu_exit(const Program& program) {
  Writer out(1);
  out.line("if (!__state) return 0;");
  out.line("sdfg::gpu::Context& gpu = __state->gpu;");
  out.line("gpu.note(SDFG_GPU(DeviceSynchronize)(), \"exit\");");
  if (program.target.gpu->plan.timers)
    out.line("__state->timers.report(gpu, \"" + program.name + "\");");
  if (program.target.gpu->plan.graph) out.line("__state->graphs.release(gpu);");
  for (const std::string& field : program.device_memory)
    out.line("__state->" + field + ".release(gpu);");
  out.line("const int error = gpu.error;");
  out.line("delete __state;");
  out.line("return error;");
  return out.take();
}

std::string gpu_entry_points(const Program& program, const std::string& init) {
  const std::string state = program.state_type + "*";
  Writer out;
  out.blank();
  out.line("// The caller's stream, and errors: the first one since it was asked for.");
  const auto entry = [&](const std::string& signature, const std::string& body) {
    out.open("SDFG_EXPORT " + signature);
    out.line(body);
    out.close();
  };
  entry("int __dace_init_cuda(" + init + ")", "return __state ? 0 : 1;");
  entry("int __dace_exit_cuda(" + state + " __state)", "return __state ? __state->gpu.error : 0;");
  entry("bool __dace_gpu_set_stream(" + state + " __state, int id, sdfg::gpu::Stream stream)",
        "return __state && id == 0 ? __state->gpu.set_stream(stream), true : false;");
  entry("void __dace_gpu_set_all_streams(" + state + " __state, sdfg::gpu::Stream stream)",
        "if (__state) __state->gpu.set_stream(stream);");
  entry("int __dace_gpu_last_error(" + state + " __state)",
        "return __state ? __state->gpu.take_error() : 1;");
  entry("void __dace_gpu_drain_error(" + state + ")", "(void)SDFG_GPU(GetLastError)();");
  return out.take();
}

namespace {

bool runs_on_device(const Node& node) {
  const auto* map = node.as<MapEntry>();
  return map && (map->schedule == Schedule::GpuDevice || map->schedule == Schedule::GpuDefault);
}

bool touches_device(const Sdfg& sdfg, const State& state, NodeId node) {
  const auto on_device = [&](EdgeId e) {
    const Data* data = state[e].memlet.empty() ? nullptr : sdfg.find_data(state[e].memlet.data);
    return data && data->storage == Storage::GpuGlobal;
  };
  return std::ranges::any_of(state.in(node), on_device) ||
         std::ranges::any_of(state.out(node), on_device);
}

/// Scalars that kernels write live on the device. Returns the containers that kernels write.
std::set<std::string> place_scalars(Sdfg& sdfg, const Dataflows& flows) {
  std::set<std::string> written;
  for_each_state(sdfg, [&](State& state) {
    const ScopeTree& tree = flows.at(&state).tree;
    const auto note = [&](EdgeId e) {
      if (state[e].memlet.empty()) return;
      const auto* access = state[path_target(state, e)].as<AccessNode>();
      written.insert(access ? access->data : state[e].memlet.data);
    };
    for (NodeId id : state.nodes()) {
      const std::uint8_t kind = state.kind_of(id);
      if (kind != Node::number_of<MapEntry> && kind != Node::number_of<NestedSdfg> &&
          kind != Node::number_of<LibraryNode>)
        continue;
      if (tree.any_around(id, [&](NodeId n) { return runs_on_device(state[n]); })) continue;
      Node& node = state[id];
      if (runs_on_device(node)) {
        for (EdgeId e : state.out(tree.exit_of(id))) note(e);
      } else if (node.is<LibraryNode>() && touches_device(sdfg, state, id)) {
        for (EdgeId e : state.out(id)) note(e);
      } else if (auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg) {
        const std::set<std::string> inner = place_scalars(**nested->sdfg, flows);
        for (EdgeId e : state.out(id))
          if (inner.contains(state[e].src_connector)) note(e);
      }
    }
  });
  for (const std::string& name : written)
    if (Data* data = sdfg.find_data(name); data && data->transient && data->is_scalar())
      data->storage = Storage::GpuGlobal;
  return written;
}

}  // namespace

Result<Lowering> make_ready(Sdfg& sdfg) {
  Lowering lowering;
  rename_hiding_names(sdfg);
  lowering.arguments = signature(sdfg);
  if (lowering.arguments)
    for (Argument& argument : *lowering.arguments)
      if (argument.data) argument.data = &lowering.described.emplace_back(*argument.data);
  if (const auto referred = refer_to_views(sdfg); !referred) return referred.error();
  SDFG_TRY(lowering.flows, dataflows(sdfg));
  if (move_large_arrays_out(sdfg, lowering.flows)) {
    SDFG_TRY(lowering.flows, dataflows(sdfg));
  }
  if (auto status = infer_connector_types(sdfg, lowering.flows); !status) return status.error();
  place_scalars(sdfg, lowering.flows);
  return lowering;
}

Result<Bundle> generate_gpu(Sdfg sdfg, const GpuOptions& options) {
  SDFG_TRY(Lowering lowering, make_ready(sdfg));
  if (auto status = make_plan(lowering, sdfg, options); !status) return status.error();
  Target target;
  target.gpu = &lowering;
  return generate(sdfg, lowering.flows, target);
}

}  // namespace sdfg
