// Maps whose points the threads of a block share, and what stands beside them in a kernel.

#include "codegen/sdfg_function.h"
#include "ir/analysis/memlet_path.h"
#include "ir/walk.h"

namespace sdfg {

/// Does the node, outside of thread-block maps, write what the threads of a block see together?
bool SdfgFunction::for_one_thread(At& at, NodeId id) {
  const Node& node = at.state[id];
  const auto common = [&](NodeId target) {
    const auto* access = at.state[target].as<AccessNode>();
    return access && !end_binding(at, target, access->data).own;
  };
  if (node.is<AccessNode>()) {
    bool copied = false;
    for (EdgeId e : at.state.in(id))
      copied |= !at.state[e].memlet.empty() && !at.state[at.state.source(e)].is_exit() &&
                at.state[path_source(at.state, e)].is<AccessNode>();
    for (EdgeId e : at.state.out(id))
      if (at.state[at.state.target(e)].is_exit() && !at.state[e].memlet.empty()) return true;
    return copied && common(id);
  }
  if (const auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg) {
    bool shares = false;  // has thread-block maps of its own
    for_each_sdfg(**nested->sdfg, [&](const Sdfg& any) {
      for_each_node(any, [&](const Node& inner) {
        const auto* map = inner.as<MapEntry>();
        shares |= map && map->schedule == Schedule::GpuThreadBlock;
      });
    });
    if (shares) return false;
  }
  if (!node.is_code()) return false;
  for (EdgeId e : at.state.out(id))
    if (!at.state[e].memlet.empty() && common(path_target(at.state, e))) return true;
  return false;
}

/// A map whose points the threads of the block share: each takes every so-many-th point along x, y,
/// z.
void SdfgFunction::emit_thread_map(At& at, NodeId id) {
  const MapEntry& map = at.state.get<MapEntry>(id);
  const Place place = at.node_place(id);
  if (!is_rectangular(map))
    return fail(place, "a range of a map that threads share depends on another parameter of it",
                "make the inner one a map of its own (--map-expansion)");
  at.out.line("// map " + map.label);
  static constexpr std::string_view axes[] = {"x", "y", "z"};
  std::vector<std::pair<std::string, Binding>> hidden;
  read_dynamic_inputs(at, id);
  const Surroundings outer = at.where;
  const auto outer_parallel = at.parallel_params, outer_params = at.params;
  std::size_t opened = 0;
  for (std::size_t d = map.params.size(); d-- > 0;) {
    const std::size_t axis = map.params.size() - 1 - d;
    const std::string i = cpp_name(map.params[d]);
    const Range& r = map.ranges[d];
    const std::string begin = print(r.begin, place), end = print(r.end + 1, place),
                      step = print(r.step, place);
    const bool shared = axis < 3 && outer.shared_block;
    const std::string thread = shared ? "int64_t(threadIdx." + std::string(axes[axis]) + ")" : "";
    const std::string threads = shared ? "int64_t(blockDim." + std::string(axes[axis]) + ")" : "";
    const std::string first = !shared ? begin
                              : step == "1" ? (begin == "0" ? thread : begin + " + " + thread)
                                            : begin + " + (" + step + ") * " + thread;
    const std::string next = !shared ? step : step == "1" ? threads : "(" + step + ") * " + threads;
    at.out.open("for (int64_t " + i + " = " + first + "; " + i + " < " + end + "; " + i +
                " += " + next + ")");
    ++opened;
    at.params.insert(map.params[d]);
    at.parallel_params.insert(map.params[d]);
    lanes_.insert(map.params[d]);
    if (const auto found = bindings_.find(map.params[d]); found != bindings_.end()) {
      hidden.emplace_back(*found);
      bindings_.erase(map.params[d]);
    }
  }
  at.where.shared_block = false;
  at.where.in_scope = true;
  declare_scope(at, id);
  emit_children(at, id);
  for (auto& [name, binding] : hidden) bindings_[name] = binding;
  at.where = outer;
  at.parallel_params = outer_parallel;
  at.params = outer_params;
  while (opened-- > 0) at.out.close();
  if (outer.shared_block) at.out.line("__syncthreads();");
}

}  // namespace sdfg
