#include "passes/conditionals/near_maps.h"

#include "ir/analysis/scope_tree.h"

namespace sdfg {

SymbolSet containers_of(const State& state, NodeId entry, NodeId exit) {
  SymbolSet out;
  for (EdgeId e : state.in(entry))
    if (const auto* access = state[state.source(e)].as<AccessNode>()) out.insert(access->data);
  for (EdgeId e : state.out(exit))
    if (const auto* access = state[state.target(e)].as<AccessNode>()) out.insert(access->data);
  return out;
}

namespace {

/// A budget.
constexpr std::size_t most_blocks = 8;

void collect_maps(const State& state, bool always, std::vector<NearMap>& out) {
  const ScopeTree tree = scope_tree_of(state);
  for (NodeId n : state.nodes())
    if (state[n].is<MapEntry>() && !tree.parent_of(n))
      out.push_back({&state, n, tree.exit_of(n), always, containers_of(state, n, tree.exit_of(n))});
}
/// Those of a state, or of the branches of a conditional that are single states.
void collect_maps(const Block& block, std::vector<NearMap>& out) {
  if (const auto* state = block.as<State>()) collect_maps(*state, true, out);
  if (const auto* conditional = block.as<ConditionalBlock>())
    for (const Branch& branch : conditional->branches)
      for (BlockId b : branch.region().nodes())
        if (const auto* state = branch.region()[b].as<State>()) collect_maps(*state, false, out);
}

}  // namespace

std::vector<NearMap> maps_near(const BlockPlace& place, bool before) {
  std::vector<NearMap> out;
  const BlockPlace* around = &place;
  BlockId at = place.block;
  for (std::size_t left = most_blocks; left > 0;) {
    const Region& region = around->region;
    const auto edges = before ? region.in(at) : region.out(at);
    if (edges.empty() && around->around) {
      around = around->around, at = around->block;
      continue;
    }
    if (edges.size() != 1 || !region[edges[0]].condition.always_true()) break;
    at = before ? region.source(edges[0]) : region.target(edges[0]);
    if ((before ? region.out(at) : region.in(at)).size() != 1) break;
    collect_maps(region[at], out);
    --left;
  }
  return out;
}

}  // namespace sdfg
