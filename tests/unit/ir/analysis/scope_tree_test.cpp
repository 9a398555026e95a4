#include "ir/analysis/scope_tree.h"

#include <gtest/gtest.h>

#include "ir/analysis/memlet_path.h"
#include "ir/graph_algorithms.h"

namespace sdfg {
namespace {

struct TwoMaps {
  State state;
  NodeId a, outer, inner, tasklet, inner_exit, outer_exit, b;
  EdgeId first, leaf, out_leaf, last;

  TwoMaps() {
    a = state.add(Node{AccessNode{"A"}});
    outer = state.add(Node{MapEntry{.label = "outer"}});
    inner = state.add(Node{MapEntry{.label = "inner"}});
    tasklet = state.add(Node{Tasklet{.label = "t"}});
    inner_exit = state.add(Node{MapExit{inner}});
    outer_exit = state.add(Node{MapExit{outer}});
    b = state.add(Node{AccessNode{"B"}});
    first = state.connect(a, outer, {"", "IN_A", {}});
    state.connect(outer, inner, {"OUT_A", "IN_A", {}});
    leaf = state.connect(inner, tasklet, {"OUT_A", "x", {}});
    out_leaf = state.connect(tasklet, inner_exit, {"y", "IN_B", {}});
    state.connect(inner_exit, outer_exit, {"OUT_B", "IN_B", {}});
    last = state.connect(outer_exit, b, {"OUT_B", "", {}});
  }
};

TEST(ScopeTree, AnExitLiesInItsOwnScopeAndAnEntryInTheOneAround) {
  TwoMaps g;
  const ScopeTree tree = *scope_tree(g.state);
  EXPECT_FALSE(tree.parent_of(g.a));
  EXPECT_FALSE(tree.parent_of(g.outer));
  EXPECT_EQ(tree.parent_of(g.inner), g.outer);
  EXPECT_EQ(tree.parent_of(g.tasklet), g.inner);
  EXPECT_EQ(tree.parent_of(g.inner_exit), g.inner);
  EXPECT_EQ(tree.parent_of(g.outer_exit), g.outer);
  EXPECT_FALSE(tree.parent_of(g.b));
  EXPECT_EQ(tree.exit_of(g.outer), g.outer_exit);
  EXPECT_TRUE(tree.contains(g.outer, g.tasklet));
  EXPECT_EQ(tree.enclosing(g.tasklet), (std::vector{g.inner, g.outer}));
  EXPECT_EQ(scope_children(tree, *topological_order(g.state), g.outer),
            (std::vector{g.inner, g.outer_exit}));
}

TEST(ScopeTree, SaysWhichNodeIsReachedFromTwoScopes) {
  TwoMaps g;
  g.state.connect(g.a, g.tasklet, {"", "z", {}});
  EXPECT_EQ(scope_tree(g.state).error().text(),
            "node 3 (tasklet t): is reached from two scopes: node 2 (map inner) and the top level");
}

TEST(ScopeTree, AnExitClosesAnEntryOnly) {
  TwoMaps g;
  g.state.get<MapExit>(g.inner_exit).entry = g.tasklet;
  EXPECT_EQ(scope_tree(g.state).error().text(),
            "node 4 (exit of map t): the exit names entry 3, which is none");
}

TEST(MemletPath, RunsThroughAllScopes) {
  TwoMaps g;
  const auto path = memlet_path(g.state, g.leaf);
  ASSERT_EQ(path.size(), 3u);
  EXPECT_EQ(path.front(), g.first);
  EXPECT_EQ(path.back(), g.leaf);
  EXPECT_EQ(path_source(g.state, g.leaf), g.a);
  EXPECT_EQ(path_target(g.state, g.out_leaf), g.b);
  EXPECT_EQ(path_leaves(g.state, g.first), std::vector{g.leaf});
  EXPECT_EQ(path_leaves(g.state, g.last), std::vector{g.out_leaf});
}

}  // namespace
}  // namespace sdfg
