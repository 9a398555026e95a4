#include "passes/common/gpu_memory.h"

#include "ir/analysis/scope_tree.h"
#include "ir/walk.h"

namespace sdfg {

bool may_be_kernel(const Node& entry) {
  const auto* map = entry.as<MapEntry>();
  const auto* consume = entry.as<ConsumeEntry>();
  switch (map ? map->schedule : consume->schedule) {
    case Schedule::Default:
    case Schedule::GpuDevice:
    case Schedule::GpuThreadBlock:
    case Schedule::GpuThreadBlockDynamic:
    case Schedule::GpuPersistent:
    case Schedule::GpuDefault: return true;
    default: return false;
  }
}

GpuMemory::GpuMemory(const Sdfg& root) {
  bool any = false;
  for_each_sdfg(root, [&](const Sdfg& sdfg) {
    for (const auto& [name, data] : sdfg.arrays) any = any || is_gpu_memory(&data);
  });
  if (!any) return;
  host_.try_emplace(&root);
  add(root);
}

void GpuMemory::add(const Sdfg& sdfg) {
  for_each_state(sdfg, [&](const State& state) { add_nested(sdfg, state); });
}

void GpuMemory::add_nested(const Sdfg& sdfg, const State& state) {
  std::optional<ScopeTree> tree;
  for (const NodeId n : state.nodes_of<NestedSdfg>()) {
    const auto& nested = state.get<NestedSdfg>(n);
    if (!nested.sdfg) continue;
    if (!tree) tree = scope_tree_of(state);
    if (tree->any_around(n, [&](NodeId entry) { return may_be_kernel(state[entry]); })) continue;
    SymbolSet& given = host_[&**nested.sdfg];
    const auto add_given = [&](const std::string& connector, const Memlet& memlet) {
      const Data* inner = (*nested.sdfg)->arrays.get(connector);
      if (inner && inner->storage == Storage::Default && holds(sdfg, memlet.data))
        given.insert(connector);
    };
    for (const EdgeId e : state.in(n)) add_given(state[e].dst_connector, state[e].memlet);
    for (const EdgeId e : state.out(n)) add_given(state[e].src_connector, state[e].memlet);
    add(**nested.sdfg);
  }
}

bool GpuMemory::holds(const Sdfg& sdfg, std::string_view container) const {
  if (is_gpu_memory(sdfg.find_data(container))) return true;
  const auto at = host_.find(&sdfg);
  return at != host_.end() && at->second.contains(container);
}

}  // namespace sdfg
