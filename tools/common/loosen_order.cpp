#include "tools/common/loosen_order.h"

#include <utility>
#include <vector>

#include "ir/analysis/races.h"
#include "ir/walk.h"
#include "passes/common/order_edge.h"
#include "passes/conditionals/plain_data.h"

namespace sdfg {
namespace {

/// A state that is larger is left alone: each try searches it.
constexpr std::size_t most_nodes = 200, most_tries = 8;

/// Is all that happens here an access that find_race looks at?
bool has_plain_accesses(const Sdfg& sdfg, const State& state) {
  for (NodeId n : state.nodes()) {
    const Node& node = state[n];
    if (node.is<LibraryNode>() || node.is<OtherNode>()) return false;
    if (const auto* tasklet = node.as<Tasklet>(); tasklet && tasklet->side_effects.value_or(false))
      return false;
    if (const auto* access = node.as<AccessNode>();
        access && !is_plain(sdfg.arrays.get(access->data)))  // so is no member of a structure
      return false;
  }
  return true;
}

/// Is it there for an order alone, and not for a scope, and do both ends have other edges?
bool is_order(const State& state, EdgeId e) {
  const NodeId from = state.source(e), to = state.target(e);
  return !carries_data(state[e]) && !state[from].is_entry() && !state[to].is_exit() &&
         state.in(from).size() + state.out(from).size() > 1 &&
         state.in(to).size() + state.out(to).size() > 1;
}

void loosen(const Sdfg& sdfg, State& state, Random& random) {
  if (state.node_count() > most_nodes) return;
  std::vector<EdgeId> orders;
  for (EdgeId e : state.edges())
    if (orders.size() < most_tries && is_order(state, e) && random.chance(50)) orders.push_back(e);
  if (orders.empty() || !has_plain_accesses(sdfg, state) ||
      find_race(sdfg, state, RaceIs::Possible))
    return;
  for (EdgeId e : orders) {
    if (!is_order(state, e)) continue;
    const NodeId from = state.source(e), to = state.target(e);
    Edge edge = std::move(state[e]);
    state.erase(e);
    if (find_race(sdfg, state, RaceIs::Possible)) state.connect(from, to, std::move(edge));
  }
}

}  // namespace

void loosen_order(Sdfg& sdfg, Random& random) {
  for_each_state(sdfg, [&](State& state) {
    loosen(sdfg, state, random);
    for (NodeId n : state.nodes_of<NestedSdfg>())
      loosen_order(**state.get<NestedSdfg>(n).sdfg, random);
  });
}

}  // namespace sdfg
