#include "serialize/whole_containers.h"

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "ir/walk.h"

namespace sdfg::detail {
namespace {

bool cover(const Sdfg& sdfg, State& state, EdgeId edge, bool written) {
  const Data* data = sdfg.find_data(state[edge].memlet.data);
  if (!data || !data->as_array() || state[edge].memlet.empty()) return false;
  const std::string name = state[edge].memlet.data;
  const Subset all = all_elements(*data);
  bool changed = false;
  for (EdgeId e : memlet_path(state, edge)) {
    Memlet& memlet = state[e].memlet;
    if (memlet.data != name || !memlet.subset() || *memlet.subset() == all) continue;
    memlet.subset() = all, memlet.other_subset().reset();
    memlet.volume = num_elements(all);
    memlet.dynamic = memlet.dynamic || written;
    changed = true;
  }
  return changed;
}

}  // namespace

bool cover_whole_containers(Sdfg& root) {
  bool changed = false;
  for_each_sdfg(root, [&](Sdfg& sdfg) {
    for_each_state(sdfg, [&](State& state) {
      for (NodeId n : state.nodes_of<NestedSdfg>()) {
        for (EdgeId e : state.in(n)) changed |= cover(sdfg, state, e, false);
        for (EdgeId e : state.out(n)) changed |= cover(sdfg, state, e, true);
      }
    });
  });
  return changed;
}

}  // namespace sdfg::detail
