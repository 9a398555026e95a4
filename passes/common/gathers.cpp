#include "passes/common/gathers.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

/// A budget: so many SDFGs within one another are looked into.
constexpr int most_levels = 4;

bool gathers(const State& state, EdgeId edge, int level);

bool gathers(const Sdfg& sdfg, const std::string& container, int level) {
  bool found = false;
  for_each_state(sdfg, [&](const State& state) {
    for (NodeId n : state.nodes_of<AccessNode>())
      if (!found && state.get<AccessNode>(n).data == container)
        found = std::ranges::any_of(state.out(n),
                                    [&](EdgeId e) { return gathers(state, e, level); });
  });
  return found;
}

bool gathers(const State& state, EdgeId edge, int level) {
  return std::ranges::any_of(path_leaves(state, edge), [&](EdgeId leaf) {
    const Node& reader = state[state.target(leaf)];
    const Memlet& memlet = state[leaf].memlet;
    if (reader.is<Tasklet>())
      return memlet.src_subset && num_elements(*memlet.src_subset) != Expr(1);
    const auto* nested = reader.as<NestedSdfg>();
    return nested && nested->sdfg && level < most_levels &&
           gathers(**nested->sdfg, state[leaf].dst_connector, level + 1);
  });
}

}  // namespace

bool gathers(const State& state, EdgeId edge) { return gathers(state, edge, 0); }

}  // namespace sdfg
