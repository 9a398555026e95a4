#include "passes/common/renumber.h"

#include <algorithm>
#include <vector>

namespace sdfg {

void renumber(State& state, std::span<const NodeId> order) {
  StateGraph fresh;
  std::vector<NodeId> now(state.id_bound());
  for (NodeId old : order) now[old.value] = fresh.add(std::move(state[old]));
  for (NodeId n : fresh.nodes()) {
    if (auto* exit = fresh[n].as<MapExit>()) exit->entry = now[exit->entry.value];
    if (auto* exit = fresh[n].as<ConsumeExit>()) exit->entry = now[exit->entry.value];
  }
  std::vector<EdgeId> edges(state.edge_id_bound());
  for (EdgeId e : state.edges())
    edges[e.value] = fresh.connect(now[state.source(e).value], now[state.target(e).value],
                                   std::move(state[e]));
  for (NodeId old : order) {
    const NodeId node = now[old.value];
    if (!std::ranges::is_sorted(state.out(old)))
      for (EdgeId e : state.out(old)) fresh.set_source(edges[e.value], node);
    if (!std::ranges::is_sorted(state.in(old)))
      for (EdgeId e : state.in(old)) fresh.set_target(edges[e.value], node);
  }
  static_cast<StateGraph&>(state) = std::move(fresh);
}

}  // namespace sdfg
