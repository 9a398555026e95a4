#include "passes/buffers/buffer_elimination.h"

#include <gtest/gtest.h>

#include "ir/parse.h"

namespace sdfg {
namespace {

/// `T` is computed, each of so many conditionals writes other elements of `G` in either branch, and
/// then `T` is copied to `G`.
std::string with_conditionals(std::size_t count) {
  std::string blocks, edges, before = "first";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "c" + std::to_string(i);
    const auto branch = [&](const std::string& condition, std::size_t at) {
      const std::string box = std::to_string(at) + ":" + std::to_string(at + 2);
      const std::string both = "[" + box + ", " + box + "]";
      return "    branch b" + std::to_string(at) + condition + "\n      state s" +
             std::to_string(at) + "\n        n0 = access B\n        n1 = access G\n" +
             "        n0 -> n1 : B" + both + " -> " + both + "\n";
    };
    blocks += "  conditional " + name + "\n";
    blocks += branch(" if \"n > " + std::to_string(i) + "\"", 4 * i) + branch("", 4 * i + 2);
    edges += "  " + before + " -> " + name + "\n";
    before = name;
  }
  return R"(sdfg branchings(A: float64[400, 400], B: float64[400, 400], G: float64[400, 400])
  symbol n: int64
  transient T: float64[400, 400]
  state first
    n0 = access A
    n1 = map m (i, j) in [0:400, 0:400]
      n2 = tasklet t: "o = a + 1"
    n3 = exit n1
    n4 = access T
    n0 -> n1.IN_A : A[0:400, 0:400]
    n1.OUT_A -> n2.a : A[i, j]
    n2.o -> n3.IN_T : T[i, j]
    n3.OUT_T -> n4 : T[0:400, 0:400]
)" + blocks + R"(  state last
    n0 = access T
    n1 = access G
    n0 -> n1 : T[0:400, 0:400] -> [0:400, 0:400]
)" + edges + "  " + before + " -> last\n";
}

TEST(RedundantArrayElimination, FollowsValuesThroughStatesAndNotOnEachPath) {
  // 2^40 paths, on each of which other elements are left.
  auto sdfg = parse(with_conditionals(40));
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  PassContext context("redundant-array-elimination");
  context.collect_remarks = true;
  EXPECT_EQ(*RedundantArrayElimination::run(*sdfg, {}, context), Changed::No);
  ASSERT_EQ(context.remarks.size(), 1u);
  EXPECT_EQ(context.remarks[0].message,
            "'T' cannot live in 'G': 'G' is written in state s156 while 'T' is still read");
}

}  // namespace
}  // namespace sdfg
