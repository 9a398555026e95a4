#include "passes/buffers/reachability.h"

#include <gtest/gtest.h>

#include "ir/parse.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

TEST(Reachability, SaysWhatTheOrderSays) {
  // A chain of copies, maps that hang on every fourth of its nodes, and one node apart.
  std::string nodes = "    n0 = access A\n", edges;
  std::size_t last = 0, count = 1;
  for (std::size_t i = 0; i < 80; ++i) {
    const auto name = [](std::size_t n) { return "n" + std::to_string(n); };
    const std::size_t next = count++;
    nodes += "    " + name(next) + " = access A\n";
    edges += "    " + name(last) + " -> " + name(next) + " : A[0:4] -> [4:8]\n";
    if (i % 4 == 0) {
      const std::size_t entry = count++, tasklet = count++, exit = count++, out = count++;
      nodes += "    " + name(entry) + " = map m (i) in [0:4]\n      " + name(tasklet) +
               " = tasklet t: \"o = a\"\n    " + name(exit) + " = exit " + name(entry) +
               "\n    " + name(out) + " = access B\n";
      edges += "    " + name(next) + " -> " + name(entry) + ".IN_A : A[0:4]\n    " + name(entry) +
               ".OUT_A -> " + name(tasklet) + ".a : A[i]\n    " + name(tasklet) + ".o -> " +
               name(exit) + ".IN_B : B[i]\n    " + name(exit) + ".OUT_B -> " + name(out) +
               " : B[0:4]\n";
    }
    last = next;
  }
  nodes += "    n" + std::to_string(count) + " = access B\n";
  auto sdfg = parse("sdfg p(A: float64[8], B: float64[4])\n  state s\n" + nodes + edges);
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  for_each_state(*sdfg, [&](const State& state) {
    const Order order(state);
    std::vector<NodeId> top, targets;
    for (NodeId n : state.nodes())
      if (!order.scope_of(order.element(n))) top.push_back(n);
    for (NodeId n : top)
      if (n.value % 5 != 0) targets.push_back(n);
    const Reachability reachability(state, order, targets);
    std::size_t answers = 0;
    for (NodeId a : top)
      for (NodeId b : top) {
        const auto answer = reachability.reaches(a, b);
        if (!answer) continue;
        ++answers;
        EXPECT_EQ(*answer, order.reaches(a, b)) << a.value << ' ' << b.value;
      }
    EXPECT_GT(answers, top.size() * targets.size() / 2);
  });
}

}  // namespace
}  // namespace sdfg
