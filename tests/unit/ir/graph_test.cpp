#include "ir/graph_algorithms.h"

#include <gtest/gtest.h>

namespace sdfg {
namespace {

Node access(const char* name) { return Node{AccessNode{name}}; }

TEST(Graph, KeepsIdsAndOrderWhenNodesAreErased) {
  StateGraph g;
  const NodeId a = g.add(access("a")), b = g.add(access("b")), c = g.add(access("c"));
  g.connect(a, b, {});
  const EdgeId ac = g.connect(a, c, {});
  g.erase(b);
  EXPECT_EQ(g.node_count(), 2u);
  EXPECT_EQ(g.edge_count(), 1u);
  std::vector<NodeId> seen;
  for (NodeId n : g.nodes()) seen.push_back(n);
  EXPECT_EQ(seen, (std::vector{a, c}));
  EXPECT_EQ(g.out(a).front(), ac);
  EXPECT_EQ(g.add(access("d")).value, 3u);
}

TEST(Graph, CopiesAreEqualAndIndependent) {
  StateGraph g;
  const NodeId a = g.add(access("a"));
  StateGraph copy = g;
  EXPECT_EQ(g, copy);
  std::get<AccessNode>(copy[a].kind).data = "z";
  EXPECT_NE(g, copy);
}

TEST(Graph, TopologicalOrderTakesTheSmallestReadyNode) {
  StateGraph g;
  const NodeId a = g.add(access("a")), b = g.add(access("b")), c = g.add(access("c"));
  g.connect(c, a, {});
  EXPECT_EQ(topological_order(g), (std::vector{b, c, a}));
  g.connect(a, c, {});
  EXPECT_FALSE(topological_order(g));
  EXPECT_EQ(find_cycle(g).size(), 2u);
}

TEST(State, NodesOfAKindInTheirOrder) {
  State s;
  const NodeId a = s.add(Node{AccessNode{"A"}}), t = s.add(Node{Tasklet{.label = "t"}}),
               b = s.add(Node{AccessNode{"B"}}), c = s.add(Node{AccessNode{"C"}});
  s.erase(b);
  s.skip_node_ids(9);
  const NodeId d = s.add(Node{AccessNode{"D"}});
  const auto all = [](auto ids) { return std::vector<NodeId>(ids.begin(), ids.end()); };
  const State copy = s;
  for (const State* each : {&copy, &std::as_const(s)}) {
    EXPECT_EQ(all(each->nodes_of<AccessNode>()), (std::vector{a, c, d}));
    EXPECT_EQ(all(each->nodes_of<Tasklet>()), std::vector{t});
    EXPECT_TRUE(all(each->nodes_of<NestedSdfg>()).empty());
  }
}

Block state(const char* label) { return Block{label, State{}}; }

TEST(Region, StartsAtTheOnlySourceOrWhereStored) {
  Region r;
  const BlockId a = r.add(state("a")), b = r.add(state("b"));
  EXPECT_FALSE(start(r));
  r.start_block = b;
  EXPECT_EQ(start(r), b);
  r.connect(a, b, {});
  EXPECT_EQ(start(r), a);
}

TEST(Region, DominatorsOfADiamond) {
  Region r;
  const BlockId a = r.add(state("a")), b = r.add(state("b")), c = r.add(state("c")),
                d = r.add(state("d"));
  r.connect(a, b, {}), r.connect(a, c, {}), r.connect(b, d, {}), r.connect(c, d, {});
  const auto dominator = immediate_dominators(r);
  EXPECT_EQ(dominator[d.value], a);
  EXPECT_EQ(dominator[b.value], a);
  EXPECT_FALSE(dominator[a.value]);
}

TEST(Region, OfTwoWaysTheShorterComesFirst) {
  Region r;
  const BlockId guard = r.add(state("guard")), body = r.add(state("body")),
                behind = r.add(state("behind")), more = r.add(state("more")),
                error = r.add(state("error")), last = r.add(state("last"));
  r.start_block = guard;
  r.connect(guard, body, {}), r.connect(body, guard, {}), r.connect(guard, behind, {});
  r.connect(behind, more, {}), r.connect(behind, error, {}), r.connect(more, last, {});
  EXPECT_EQ(reverse_postorder(r), (std::vector{guard, body, behind, error, more, last}));
}

}  // namespace
}  // namespace sdfg
