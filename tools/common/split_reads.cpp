#include "tools/common/split_reads.h"

#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/walk.h"
#include "passes/common/order_edge.h"

namespace sdfg {
namespace {

/// Written and read where it stands, at the top level of a state.
bool can_split(const Sdfg& sdfg, const State& state, const ScopeTree& tree, NodeId n) {
  const auto& access = state.get<AccessNode>(n);
  if (tree.parent_of(n) || !sdfg.arrays.contains(access.data)) return false;
  const Data& data = *sdfg.find_data(access.data);
  if (data.role() != Role::Plain || data.is_stream() || data.is_structure()) return false;
  for (EdgeId e : state.in(n))
    if (!carries_data(state[e])) return false;
  return !state.in(n).empty();
}

bool is_plain_reader(const State& state, EdgeId e) {
  const Node& reader = state[state.target(e)];
  return carries_data(state[e]) && !state[e].memlet.empty() &&
         (reader.is<MapEntry>() || reader.is<Tasklet>() || reader.is<NestedSdfg>());
}

/// Through an access node of a container that nobody uses, now and then.
void keep_order(Sdfg& sdfg, State& state, NodeId before, NodeId after, Random& random) {
  if (state[before].is<LibraryNode>() || !random.chance(25))
    return order(sdfg, state, before, after);
  const std::string name = sdfg.fresh_name("turn");
  sdfg.arrays.set(name, Data::scalar(Type(BaseType::Int32), true));
  const NodeId turn = state.add(Node(AccessNode{name}));
  state.connect(before, turn, {});
  state.connect(turn, after, {});
}

void split(Sdfg& sdfg, State& state, Random& random) {
  const ScopeTree tree = scope_tree_of(state);
  const auto accesses = state.nodes_of<AccessNode>();
  for (NodeId n : std::vector<NodeId>(accesses.begin(), accesses.end())) {
    if (!can_split(sdfg, state, tree, n) || !random.chance(15)) continue;
    std::vector<EdgeId> moved;
    for (EdgeId e : state.out(n))
      if (is_plain_reader(state, e) && random.chance(60)) moved.push_back(e);
    if (moved.empty()) continue;
    std::vector<NodeId> before{n};
    if (random.chance(50)) {
      before.clear();
      for (EdgeId e : state.in(n)) {
        const NodeId writer = state.source(e);
        before.push_back(state[writer].is<AccessNode>() ? n : writer);  // a copy is done behind it
      }
    }
    const NodeId own = state.add(Node(AccessNode{state.get<AccessNode>(n).data}));
    for (EdgeId e : moved) {
      const NodeId reader = state.target(e);
      Edge edge = std::move(state[e]);
      state.erase(e);
      state.connect(own, reader, std::move(edge));
      for (NodeId first : before) keep_order(sdfg, state, first, reader, random);
    }
  }
}

}  // namespace

void split_reads(Sdfg& sdfg, Random& random) {
  for_each_state(sdfg, [&](State& state) {
    split(sdfg, state, random);
    for (NodeId n : state.nodes_of<NestedSdfg>())
      split_reads(**state.get<NestedSdfg>(n).sdfg, random);
  });
}

}  // namespace sdfg
