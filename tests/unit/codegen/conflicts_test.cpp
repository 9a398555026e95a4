#include <gtest/gtest.h>

#include "codegen/codegen.h"
#include "ir/parse.h"

namespace sdfg {
namespace {

/// The sums of the rows of A, each accumulated inside the iteration of its row.
std::string row_sums() {
  return "sdfg rows(A: float64[N, 8], B: float64[N])\n"
         "  symbol N: int64\n"
         "  transient acc: float64\n"
         "  state main\n"
         "    n0 = access A\n"
         "    n1 = map rows (i) in [0:N]\n"
         "      n2 = tasklet zero: \"out = 0\"\n"
         "      n3 = access acc\n"
         "      n4 = map row (j) in [0:8] {schedule = Sequential}\n"
         "        n5 = tasklet add: \"out = value\"\n"
         "      n6 = exit n4\n"
         "      n7 = access acc\n"
         "    n8 = exit n1\n"
         "    n9 = access B\n"
         "    n0 -> n1.IN_A : A[0:N, 0:8]\n"
         "    n1 -> n2\n"
         "    n2.\"out\" -> n3 : acc[0]\n"
         "    n3 -> n4\n"
         "    n1.OUT_A -> n4.IN_A : A[i, 0:8]\n"
         "    n4.OUT_A -> n5.value : A[i, j]\n"
         "    n5.\"out\" -> n6.IN_s : acc[0] {wcr = \"(lambda a, b: (a + b))\"}\n"
         "    n6.OUT_s -> n7 : acc[0] {wcr = \"(lambda a, b: (a + b))\"}\n"
         "    n7 -> n8.IN_B : [0] -> B[i]\n"
         "    n8.OUT_B -> n9 : B[0:N]\n";
}

std::string code(const std::string& text) {
  const auto sdfg = parse(text);
  if (!sdfg) return sdfg.error().text();
  const auto bundle = generate_cpu(*sdfg);
  return bundle ? bundle->files.front().text : bundle.error().text();
}

TEST(Conflicts, WhatAnIterationHasToItselfNeedsNoAtomicUpdate) {
  const std::string cpp = code(row_sums());
  EXPECT_NE(cpp.find("#pragma omp parallel for"), cpp.npos);
  EXPECT_NE(cpp.find("sdfg::update(&acc"), cpp.npos) << cpp;
  EXPECT_EQ(cpp.find("sdfg::update_atomic(&acc"), cpp.npos);
}

TEST(Conflicts, WhatIterationsShareIsUpdatedAtomically) {
  const std::string cpp = code(
      "sdfg total(A: float64[N], acc: float64[1])\n"
      "  symbol N: int64\n"
      "  state main\n"
      "    n0 = access A\n"
      "    n1 = map all (i) in [0:N]\n"
      "      n2 = tasklet add: \"out = value\"\n"
      "    n3 = exit n1\n"
      "    n4 = access acc\n"
      "    n0 -> n1.IN_A : A[0:N]\n"
      "    n1.OUT_A -> n2.value : A[i]\n"
      "    n2.\"out\" -> n3.IN_s : acc[0] {wcr = \"(lambda a, b: (a + b))\"}\n"
      "    n3.OUT_s -> n4 : acc[0] {wcr = \"(lambda a, b: (a + b))\"}\n");
  EXPECT_NE(cpp.find("sdfg::update_atomic(&acc[0]"), cpp.npos) << cpp;
}

/// Iterations add to elements that the `subsets` of a map name.
std::string scattered(const std::vector<std::string>& subsets) {
  std::string nodes, edges;
  for (std::size_t i = 0; i < subsets.size(); ++i) {
    const std::string node = "n" + std::to_string(i + 3);
    nodes += "      " + node + " = tasklet add: \"out = 1.0\"\n";
    edges += "    n0 -> " + node + "\n    " + node + ".\"out\" -> n1.IN_s : acc[" + subsets[i] +
             "] {wcr = \"(lambda a, b: (a + b))\"}\n";
  }
  return "sdfg scatter(acc: float64[100])\n"
         "  symbol k: int64\n"
         "  state main\n"
         "    n0 = map all (i) in [1:49]\n" +
         nodes +
         "    n1 = exit n0\n"
         "    n2 = access acc\n" +
         edges + "    n1.OUT_s -> n2 : acc[0:100] {wcr = \"(lambda a, b: (a + b))\"}\n";
}

TEST(Conflicts, UpdatesOfTheSameElementByOtherIterationsAreAtomic) {
  EXPECT_EQ(code(scattered({"i"})).find("update_atomic(&acc"), std::string::npos);
  const std::string cpp = code(scattered({"i - 1", "i", "i + 1"}));
  EXPECT_NE(cpp.find("update_atomic(&acc[i - 1]"), cpp.npos) << cpp;
  EXPECT_NE(cpp.find("update_atomic(&acc[i]"), cpp.npos) << cpp;
  EXPECT_NE(code(scattered({"i", "i + k"})).find("update_atomic(&acc[i]"), std::string::npos);
  EXPECT_NE(code(scattered({"i", "2 * i"})).find("update_atomic(&acc[i]"), std::string::npos);
}

TEST(Conflicts, ManyUpdatesOfOneContainerAreAllAtomic) {
  EXPECT_EQ(code(scattered(std::vector<std::string>(64, "i"))).find("update_atomic(&acc"),
            std::string::npos);
  EXPECT_NE(code(scattered(std::vector<std::string>(65, "i"))).find("update_atomic(&acc"),
            std::string::npos);
}

TEST(Conflicts, UpdatesWithinOneStepNeedNotBeAtomic) {
  EXPECT_EQ(code(scattered({"i", "i"})).find("update_atomic(&acc"), std::string::npos);
  EXPECT_EQ(code(scattered({"2 * i", "2 * i + 1"})).find("update_atomic(&acc"), std::string::npos);
  EXPECT_NE(code(scattered({"2 * i", "2 * i + 2"})).find("update_atomic(&acc"),
            std::string::npos);
}

}  // namespace
}  // namespace sdfg
