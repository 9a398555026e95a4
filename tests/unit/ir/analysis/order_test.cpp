#include "ir/analysis/order.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace sdfg {
namespace {

Node access(std::string name) { return Node{AccessNode{std::move(name)}}; }

/// A depth-first search that knows nothing of scopes.
bool reaches_slowly(const State& state, NodeId from, NodeId to) {
  std::vector<NodeId> open{from};
  std::set<NodeId> seen{from};
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    if (at == to) return true;
    for (EdgeId e : state.out(at))
      if (seen.insert(state.target(e)).second) open.push_back(state.target(e));
  }
  return false;
}

void expect_right(const State& state, const Order& order) {
  for (NodeId a : state.nodes())
    for (NodeId b : state.nodes()) {
      const bool expected = reaches_slowly(state, a, b);
      ASSERT_EQ(order.reaches(a, b), expected) << a.value << " -> " << b.value;
      const bool siblings = order.scope_of(order.element(a)) == order.scope_of(order.element(b));
      if (expected && siblings) {
        ASSERT_LE(order.position(a), order.position(b)) << a.value << " -> " << b.value;
      }
    }
}

TEST(Order, AnswersForScopesWithoutLookingInside) {
  State state;
  const NodeId a = state.add(access("A")), outer = state.add(Node{MapEntry{.label = "outer"}});
  const NodeId inner = state.add(Node{MapEntry{.label = "inner"}}), t = state.add(Node{Tasklet{}});
  const NodeId inner_exit = state.add(Node{MapExit{inner}}), x = state.add(access("x"));
  const NodeId outer_exit = state.add(Node{MapExit{outer}}), b = state.add(access("B"));
  const std::vector path{a, outer, inner, t, inner_exit, x, outer_exit, b};
  for (std::size_t i = 0; i + 1 < path.size(); ++i) state.connect(path[i], path[i + 1], {});
  const Order order(state);
  expect_right(state, order);
  EXPECT_EQ(order.element(outer_exit), outer);
  EXPECT_EQ(order.position(outer), order.position(outer_exit));
}

TEST(Order, AFilterLeavesEdgesOut) {
  State state;
  const NodeId a = state.add(access("A")), b = state.add(access("B")), c = state.add(access("C"));
  const EdgeId direct = state.connect(a, c, {});
  const Order order(state);
  EXPECT_TRUE(order.reaches(a, c));
  EXPECT_FALSE(order.reaches(a, c, [&](EdgeId e) { return e != direct; }));
  EXPECT_FALSE(order.reaches(a, b));
}

TEST(Order, StaysRightUnderRandomChanges) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    State state;
    std::vector<NodeId> nodes;
    for (int i = 0; i < 12; ++i) nodes.push_back(state.add(access("A")));
    Order order(state);
    const auto any = [&] { return nodes[random() % nodes.size()]; };
    for (int step = 0; step < 40; ++step) {
      const NodeId a = any(), b = any();
      switch (random() % 8) {
        case 0:
          nodes.push_back(state.add(access("A")));
          order.added(nodes.back(), {});
          break;
        case 1:
          if (nodes.size() > 6) {
            order.erased(a);
            state.erase(a);
            std::erase(nodes, a);
          }
          break;
        case 2:
          if (state.edge_count() > 0) state.erase(*state.edges().begin());
          break;
        default:
          if (!order.reaches(b, a)) order.connected(state.connect(a, b, {}));
      }
    }
    expect_right(state, order);
  }
}

/// Two sibling scopes become one, as in map fusion.
TEST(Order, ScopesCanBeMerged) {
  State state;
  const NodeId first = state.add(Node{MapEntry{.label = "first"}}), t = state.add(Node{Tasklet{}});
  const NodeId first_exit = state.add(Node{MapExit{first}}), mid = state.add(access("T"));
  const NodeId late = state.add(access("A")), later = state.add(access("B"));
  const NodeId second = state.add(Node{MapEntry{.label = "second"}}),
               u = state.add(Node{Tasklet{}});
  const NodeId second_exit = state.add(Node{MapExit{second}}), end = state.add(access("C"));
  for (auto [from, to] : {std::pair(first, t), {t, first_exit}, {first_exit, mid}, {mid, second},
                          {late, later}, {later, second}, {second, u}, {u, second_exit},
                          {second_exit, end}})
    state.connect(from, to, {});
  Order order(state);
  expect_right(state, order);

  state.erase(mid), order.erased(mid);
  const EdgeId moved = *std::ranges::find_if(
      state.in(second), [&](EdgeId e) { return state.source(e) == later; });
  state.set_target(moved, first), order.connected(moved);
  const NodeId local = state.add(access("t"));
  order.added(local, first), order.moved(u, first);
  order.connected(state.connect(t, local, {})), order.connected(state.connect(local, u, {}));
  order.connected(state.connect(u, first_exit, {})),
      order.connected(state.connect(first_exit, end, {}));
  for (NodeId gone : {second, second_exit}) order.erased(gone), state.erase(gone);
  // A tasklet without a way to the exit counts as reaching it; here it has one.
  state.connect(t, first_exit, {});
  expect_right(state, order);
}

/// Always inserting at the same place, which has no room after a few dozen times.
TEST(Order, ManyInsertionsAtOnePlaceAreCheap) {
  State state;
  const NodeId target = state.add(access("A"));
  Order order(state);
  NodeId last;
  for (int i = 0; i < 100000; ++i) {
    const NodeId n = state.add(access("A"));
    order.added(n, {});
    order.connected(state.connect(n, target, {}));
    if (last) order.connected(state.connect(last, n, {}));
    last = n;
  }
  EXPECT_TRUE(order.reaches(NodeId{1}, target));
  EXPECT_FALSE(order.reaches(target, last));
}

}  // namespace
}  // namespace sdfg
