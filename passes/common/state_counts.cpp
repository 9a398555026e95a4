#include "passes/common/state_counts.h"

#include "ir/graph_algorithms.h"
#include "ir/walk.h"

namespace sdfg {

SymbolSet accessed_in(const State& state) {
  SymbolSet names;
  for (NodeId n : state.nodes())
    if (const auto* access = state[n].as<AccessNode>()) names.insert(access->data);
  return names;
}

StateCounts::StateCounts(const Sdfg& sdfg) : sdfg_(sdfg) {
  for_each_state(sdfg, [&](const State& state) {
    for (const std::string& name : accessed_in(state)) ++counts_[name];
  });
}

bool StateCounts::has_cycle() {
  if (cycle_) return *cycle_;
  bool found = false;
  const auto look = [&](const Region& region) {
    const std::vector<BlockId> order = reverse_postorder(region);
    std::vector<std::size_t> place(region.id_bound());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i].value] = i + 1;
    for (InterstateEdgeId e : region.edges())
      found = found || place[region.target(e).value] <= place[region.source(e).value];
  };
  look(sdfg_);
  for_each_block(sdfg_, [&](const Block& block) {
    if (const Region* region = block.region()) look(*region);
    if (const auto* conditional = block.as<ConditionalBlock>())
      for (const Branch& branch : conditional->branches) look(branch.region());
  });
  return *(cycle_ = found);
}

}  // namespace sdfg
