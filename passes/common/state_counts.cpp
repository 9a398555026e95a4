#include "passes/common/state_counts.h"

#include "ir/walk.h"

namespace sdfg {

SymbolSet accessed_in(const State& state) {
  SymbolSet names;
  for (NodeId n : state.nodes())
    if (const auto* access = state[n].as<AccessNode>()) names.insert(access->data);
  return names;
}

StateCounts::StateCounts(const Sdfg& sdfg) {
  for_each_state(sdfg, [&](const State& state) {
    for (const std::string& name : accessed_in(state)) ++counts_[name];
  });
}

}  // namespace sdfg
