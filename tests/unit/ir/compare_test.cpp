#include "ir/compare.h"

#include <gtest/gtest.h>

#include "ir/parse.h"

namespace sdfg {
namespace {

constexpr std::string_view program = R"(sdfg s(A: float64[N], B: float64[N])
  symbol N: int64
  transient t: float64[N]
  state main
    n0 = access A
    n1 = map m (i) in [0:N]
      n2 = tasklet copy: "b = a"
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[0:N]
    n1.OUT_A -> n2.a : A[i]
    n2.b -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:N]
  loop for (k) from "k = 0" while "k < 3" next "k = k + 1"
    state body
      n0 = nested_sdfg call with (N)
        sdfg inner(X: float64[N])
          symbol N: int64
          state only
            n0 = access X
  main -> for
)";

/// The differences after replacing a part of the program's text.
std::string after_replacing(std::string_view part, std::string_view by) {
  std::string changed(program);
  const std::size_t at = changed.find(part);
  EXPECT_NE(at, changed.npos) << part;
  changed.replace(at, part.size(), by);
  const Result<Sdfg> a = parse(program), b = parse(changed);
  if (!a || !b) return (a ? b : a).error().text();
  std::string all;
  for (const Difference& d : compare(*a, *b)) all += d.text() + "\n";
  return all;
}

TEST(Compare, EqualSdfgsHaveNoDifferences) { EXPECT_EQ(after_replacing("sdfg", "sdfg"), ""); }

TEST(Compare, NamesThePropertyThatChanged) {
  EXPECT_EQ(after_replacing("[0:N]\n      n2", "[0:N] {schedule = GPU_Device}\n      n2"),
            "~ state main / node 1 (map m): schedule: Default -> GPU_Device\n");
  EXPECT_EQ(after_replacing("b = a", "b = -a"),
            "~ state main / node 2 (tasklet copy): code: \"b = a\" -> \"b = -a\"\n");
  EXPECT_EQ(after_replacing("k < 3", "k < 4"),
            "~ loop for: loop_condition: \"k < 3\" -> \"k < 4\"\n");
  EXPECT_EQ(after_replacing("main -> for", "main -> for set N = 4"),
            "~ edge main -> for: assignments: {} -> {N = 4}\n");
}

TEST(Compare, ListsWhatWasAddedAndRemoved) {
  EXPECT_EQ(after_replacing("  transient t: float64[N]", "  transient u: float32[N]"),
            "- data 't': transient float64[N]\n+ data 'u': transient float32[N]\n");
  EXPECT_EQ(after_replacing("    n4 = access B\n", "    n4 = access B\n    n5 = access t\n"),
            "+ state main / node 5 (access t)\n");
}

TEST(Compare, EntersNestedSdfgs) {
  EXPECT_EQ(
      after_replacing("n0 = access X", "n0 = access Y"),
      "~ loop for / state body / node 0 (nested call) / state only / node 0 (access Y): data: "
      "\"X\" -> \"Y\"\n");
}

TEST(Compare, SeesMemletsAndMovedEdges) {
  EXPECT_EQ(after_replacing("n1.OUT_A -> n2.a : A[i]", "n1.OUT_A -> n2.a : A[i + 1]"),
            "~ state main / edge n1.OUT_A -> n2.a: src_subset: [i] -> [i + 1]\n");
  EXPECT_EQ(
      after_replacing("n3.OUT_B -> n4 : B[0:N]", "n3.OUT_B -> n0 : B[0:N]"),
      "- state main / edge n3.OUT_B -> n4: B[0:N]\n+ state main / edge n3.OUT_B -> n0: B[0:N]\n");
}

}  // namespace
}  // namespace sdfg
