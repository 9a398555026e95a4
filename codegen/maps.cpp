// Maps as loops: on the host, where threads may share the iterations, and in the threads of
// kernels.

#include <algorithm>

#include "codegen/sdfg_function.h"
#include "ir/analysis/memlet_path.h"

namespace sdfg {

/// How the iterations of a map on the host, or of one in a thread, are run.
struct SdfgFunction::MapRun {
  bool parallel = false;  ///< they are shared between threads
  bool team = false;      ///< each thread runs the body once, with its number as the parameter
  std::size_t collapsed = 1;  ///< dimensions that are shared
  bool shared() const { return parallel || team; }
};

void SdfgFunction::emit_map(At& at, NodeId id) {
  const MapEntry& map = at.state.get<MapEntry>(id);
  MapRun run;
  switch (map.schedule) {
    case Schedule::Default: run.parallel = !at.where.in_scope; break;
    case Schedule::CpuMulticore: run.parallel = true; break;
    case Schedule::CpuPersistent: run.team = true; break;
    case Schedule::Sequential:
    case Schedule::Unrolled: break;
    case Schedule::GpuDevice:
    case Schedule::GpuDefault:
      if (program_.target.gpu && !on_device_) return emit_kernel(at, id);
      if (on_device_) break;
      [[fallthrough]];
    case Schedule::GpuThreadBlock:
      if (on_device_) return emit_thread_map(at, id);
      [[fallthrough]];
    default:
      return fail(at.node_place(id),
                  "no code for schedule " + std::string(to_text(map.schedule)) + " on this target",
                  program_.target.gpu ? "use GPU_Device, GPU_ThreadBlock or Sequential"
                  : to_text(map.schedule).starts_with("GPU_")
                      ? "generate CUDA or HIP, or use CPU_Multicore or Sequential"
                      : "use CPU_Multicore or Sequential");
  }
  const bool may = program_.target.openmp && !at.where.parallel;
  run.parallel &= may, run.team &= may;
  if (!run.team)
    run.collapsed =
        std::min(std::size_t(std::max<std::int64_t>(map.collapse, 1)), map.params.size());
  for (std::size_t d = 1; d < run.collapsed; ++d)  // OpenMP collapses boxes
    if (depends_on_earlier(map, d)) run.collapsed = d;
  emit_loops(at, id, run);
}

namespace {

bool has_dynamic_inputs(const Node& entry) {
  return std::ranges::any_of(entry.in_connectors, [](const auto& connector) {
    return !connector.first.starts_with("IN_");
  });
}

/// Does a parameter hide a symbol of the same name that its range, or one before it, reads? (Those
/// behind it read the parameter.)
bool hides_symbols(const MapEntry& map) {
  for (std::size_t d = 0; d < map.ranges.size(); ++d) {
    const Range& r = map.ranges[d];
    for (std::size_t k = d; k < map.params.size(); ++k)
      for (const Expr* e : {&r.begin, &r.end, &r.step})
        if (uses_symbol(*e, map.params[k])) return true;
  }
  return false;
}

/// What OpenMP is told of the loops that threads share.
std::string pragma(const MapEntry& map, bool team, std::size_t collapsed) {
  std::string text = "#pragma omp parallel for";
  if (team) return text + " schedule(static, 1)";
  if (map.omp_schedule != OmpSchedule::Default) {
    text += map.omp_schedule == OmpSchedule::Static    ? " schedule(static"
            : map.omp_schedule == OmpSchedule::Dynamic ? " schedule(dynamic"
                                                       : " schedule(guided";
    if (map.omp_chunk_size > 0) text += ", " + std::to_string(map.omp_chunk_size);
    text += ")";
  }
  if (map.omp_num_threads > 0) text += " num_threads(" + std::to_string(map.omp_num_threads) + ")";
  if (collapsed > 1) text += " collapse(" + std::to_string(collapsed) + ")";
  return text;
}

}  // namespace

/// A loop for each dimension, and the body. What the loops change of `at` is undone behind them.
void SdfgFunction::emit_loops(At& at, NodeId id, const MapRun& run) {
  const MapEntry& map = at.state.get<MapEntry>(id);
  const Place place = at.node_place(id);
  std::string label = "// map " + map.label + " (";
  for (std::size_t d = 0; d < map.params.size(); ++d) label += (d ? ", " : "") + map.params[d];
  at.out.line(label + ")");
  const bool hides = hides_symbols(map), block = hides || has_dynamic_inputs(at.state[id]);
  if (hides && !is_rectangular(map))
    return fail(place, "a range reads a parameter of its map and a symbol that another one hides",
                "rename the parameter");
  if (block) at.out.open("");
  read_dynamic_inputs(at, id);

  struct Bounds {
    std::string begin, end, step;
  };
  std::vector<Bounds> bounds;
  for (std::size_t d = 0; d < map.ranges.size(); ++d) {
    const Range& r = map.ranges[d];
    Bounds b{print(r.begin, place), print(r.end + 1, place), print(r.step, place)};
    if (hides) {
      const std::string stem = cpp_name(map.params[d]), begin = local_name(stem + "_begin"),
                        end = local_name(stem + "_end");
      at.out.line("const int64_t " + begin + " = " + b.begin + ", " + end + " = " + b.end + ";");
      b.begin = begin;
      b.end = end;
    }
    bounds.push_back(std::move(b));
  }
  if (run.shared()) at.out.flush_left(pragma(map, run.team, run.collapsed));
  const std::set<std::string> outer_parallel = at.parallel_params, outer_params = at.params;
  for (std::size_t d = 0; d < map.params.size(); ++d) {
    const std::string i = cpp_name(map.params[d]);
    if (on_device_)
      if (const auto trips = map.ranges[d].size().as_integer(); trips && *trips <= 16)
        at.out.flush_left("#pragma unroll");
    const bool own_loop = d >= run.collapsed || !run.shared();
    if (d + 1 == map.params.size() && own_loop && !program_.target.gpu && vectorizable(at, id))
      at.out.flush_left("#pragma GCC ivdep");
    at.out.open("for (int64_t " + i + " = " + bounds[d].begin + "; " + i + " < " + bounds[d].end +
                "; " + (bounds[d].step == "1" ? "++" + i : i + " += " + bounds[d].step) + ")");
    at.params.insert(map.params[d]);
    if (run.shared()) at.parallel_params.insert(map.params[d]);
  }
  emit_map_body(at, id, run.shared());
  at.parallel_params = outer_parallel;
  at.params = outer_params;
  for (std::size_t d = 0; d < map.params.size(); ++d) at.out.close();
  if (block) at.out.close();
}

/// Parameters hide containers, outer symbols and lanes of the same name within the scope.
void SdfgFunction::emit_map_body(At& at, NodeId id, bool shared) {
  const MapEntry& map = at.state.get<MapEntry>(id);
  const Surroundings outer = at.where;
  std::vector<std::pair<std::string, Binding>> hidden;
  const auto outer_lanes = lanes_;
  const auto outer_lane_params = lane_params_;
  const auto outer_row = row_param_;
  for (const std::string& param : map.params) {
    lanes_.erase(param), lane_params_.erase(param);
    if (row_param_ && row_param_->first == param) row_param_.reset();
    if (const auto found = bindings_.find(param); found != bindings_.end()) {
      hidden.emplace_back(*found);
      bindings_.erase(param);
    }
  }
  at.where.parallel |= shared;
  at.where.in_scope = true;
  if (on_device_) open_frame(at.out, map.params);
  declare_scope(at, id);
  emit_children(at, id);
  if (on_device_) close_frame(at.out);
  at.where = outer;
  for (auto& [name, binding] : hidden) bindings_[name] = binding;
  lanes_ = outer_lanes, lane_params_ = outer_lane_params, row_param_ = outer_row;
}

bool SdfgFunction::vectorizable(const At& at, NodeId entry) const {
  // Iterations of a map are independent, so the compiler need not prove it. Not when they update
  // common elements, and of no use when the body holds loops. A container that is read elsewhere
  // than where it is written is left to the compiler, in case that a program relies on the order.
  const State& state = at.state;
  struct End {
    std::string_view container;
    const Subset* subset = nullptr;  ///< null: not known
  };
  const auto end_of = [&](EdgeId e, bool write) -> End {
    const Memlet& memlet = state[e].memlet;
    if (memlet.empty()) return {};
    const auto* access =
        state[write ? path_target(state, e) : path_source(state, e)].as<AccessNode>();
    if (!access) return {};
    const auto& own = write ? memlet.dst_subset : memlet.src_subset;
    if (own) return {access->data, &*own};
    return {access->data,
            memlet.data == access->data && memlet.subset() ? &*memlet.subset() : nullptr};
  };
  const std::vector<NodeId>& inside = at.plan.inside(entry);
  const auto here = at.plan.declared.find(entry);
  const auto is_private = [&](std::string_view name) {
    return here != at.plan.declared.end() &&
           std::ranges::find(here->second, name) != here->second.end();
  };

  std::map<std::string_view, const Subset*> written;
  for (NodeId id : inside) {
    const Node& node = state[id];
    if (node.is_entry() || node.is<LibraryNode>() || node.is<NestedSdfg>()) return false;
    if (const auto* tasklet = node.as<Tasklet>();
        tasklet && tasklet->code.language() != Language::Python)
      return false;
    if (const auto* access = node.as<AccessNode>())
      if (const Data* data = sdfg_.find_data(access->data);
          !data || data->is_stream() || data->is_view() || data->is_reference())
        return false;
    if (node.is_exit()) continue;
    for (EdgeId e : state.out(id)) {
      if (state[e].memlet.wcr || state[e].memlet.dynamic) return false;
      const End end = end_of(e, true);
      if (end.container.empty() || is_private(end.container)) continue;
      const auto [found, is_new] = written.try_emplace(end.container, end.subset);
      if (!end.subset || (!is_new && !(*found->second == *end.subset))) return false;
    }
  }
  for (NodeId id : inside) {
    if (state[id].is_exit()) continue;
    for (EdgeId e : state.in(id)) {
      const End end = end_of(e, false);
      const auto found = written.find(end.container);
      if (found != written.end() && (!end.subset || !(*end.subset == *found->second))) return false;
    }
  }
  return true;
}

}  // namespace sdfg
