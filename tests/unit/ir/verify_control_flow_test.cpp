#include <gtest/gtest.h>

#include "findings.h"
#include "support/deep_stack.h"

namespace sdfg {
namespace {

TEST(VerifyControlFlow, EverythingDefinedBeforeItsUse) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: int32[N])
  symbol N: int32
  state first
  loop for_i (i) from "i = 0" while "i < N" next "i = i + 1"
    state body
    conditional choice
      branch yes if "k > A[i]"
        state then_state
        break leave
        then_state -> leave
      branch no
        continue again
    body -> choice set k = i + 1
  state last
  first -> for_i
  for_i -> last
)sdfg"),
            "");
}

TEST(VerifyControlFlow, WhereARegionStartsIsNotOpen) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p() {start = none}
  state a
  state b
  state c
  region r
  a -> c
  b -> c
  c -> r
)sdfg"),
            "where it starts is open: not exactly one block has no predecessor, and no start block "
            "is stored; store a start block\n"
            "region r: where it starts is open: it has no blocks; add a state\n");
}

TEST(VerifyControlFlow, BlocksAreDistinctReachableAndKnown) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p() {start = #0}
  state a
  state a
  state "b c"
  block "Fancy" f
  break leave
  #0 -> "b c"
  "b c" -> f
  f -> leave
)sdfg"),
            "state a: another block of the region has the same label; rename one of them\n"
            "state a: warning: cannot be reached from the start\n"
            "state b c: the state's label 'b c' is not a valid name\n"
            "Fancy f: blocks of kind Fancy are not known, so this cannot be run\n"
            "break leave: a BreakBlock must be inside a LoopRegion\n");
}

TEST(VerifyControlFlow, EdgesUseDefinedSymbolsOnly) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: int32[4])
  symbol N: int32
  state a
  state b
  state c
  a -> b if "i < N" set j = k + A[0]
  b -> c set i = j
)sdfg"),
      "edge a -> b: uses 'i' and 'k', which are not defined here; declare a symbol, or assign "
      "it on an edge before\n");
}

TEST(VerifyControlFlow, ASymbolAssignedLaterInALoopIsUndefinedTheFirstTime) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p()
  state init
  state guard
  state body
  state done
  init -> guard
  guard -> body if "i < 3"
  body -> guard set i = 1
  guard -> done if "not (i < 3)"
)sdfg"),
      "edge guard -> body: uses 'i', which is not defined here; declare a symbol, or assign it "
      "on an edge before\n");
}

TEST(VerifyControlFlow, SymbolsOfOneBranchAreKnownAfterItButNotInTheOther) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p()
  symbol N: int32
  conditional choice
    branch yes if "N > 0"
      state a
      state b
      a -> b set x = 1
    branch no
      state c
      state d
      c -> d if "x > 0"
  state after
  state last
  choice -> after
  after -> last if "x > 0"
)sdfg"),
            "conditional choice / branch no / edge c -> d: uses 'x', which is not defined here; "
            "declare a symbol, or assign it on an edge before\n");
}

TEST(VerifyControlFlow, AssignmentsGoToSymbolsAndDoNotRace) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: int32[4])
  symbol i: int32
  symbol j: int32
  region r
    state a
    state b
    a -> b set A = 1, i = j + 1, j = i + 1
)sdfg"),
            "region r / edge a -> b: assigns to the container 'A'; assign to a symbol: containers "
            "are written in states only\n"
            "region r / edge a -> b: the value of 'i' uses 'j', which the same edge assigns; split "
            "the assignments over two edges with a state between them\n"
            "region r / edge a -> b: the value of 'j' uses 'i', which the same edge assigns; split "
            "the assignments over two edges with a state between them\n");
}

TEST(VerifyControlFlow, ConditionsAreReadableAndComplete) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p()
  symbol N: int32
  loop w (N) while "n <" next "N = m"
    state s
  conditional c
    branch first
      state x
    branch second if "q"
      state y
  loop endless
    state t
  w -> c
  c -> endless
)sdfg"),
      "loop w: the loop condition is no Python that can be read: expected an expression, found "
      "the end of the line (at column 4)\n"
      "loop w: the update statement uses 'm', which is not defined here; declare a symbol, or "
      "assign it on an edge before\n"
      "conditional c: branch 0 is the else branch, but not the last; move it to the end\n"
      "conditional c: the condition of branch 1 uses 'q', which is not defined here; declare a "
      "symbol, or assign it on an edge before\n"
      "loop endless: the loop has no condition\n");
}

TEST(VerifyControlFlow, TheSecondUnconditionalEdgeIsNeverTaken) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p()
  state a
  state b
  state c
  a -> b
  a -> c
)sdfg"),
      "edge a -> c: warning: is the second edge without a condition from its source, so it is "
      "never taken\n");
}

TEST(VerifyControlFlow, TheHostCannotReadGpuMemory) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: int32[4] {storage = GPU_Global})
  state a
  state b
  a -> b if "A[0] > 1"
)sdfg"),
      "edge a -> b: the condition reads 'A' on the host, but it is stored in GPU_Global; copy "
      "it to host memory first\n");
}

TEST(VerifyControlFlow, PlacesInDeepNestsStayShort) {
  with_deep_stack([] {
    std::string text = "sdfg p()\n";
    std::string indent = "  ";
    for (int i = 0; i < 60; ++i, indent += " ") text += indent + "region r\n";
    text += indent + "state \"1\"\n";
    const std::string found = findings(text);
    EXPECT_NE(found.find("region r / ... 21 more ... / region r"), std::string::npos) << found;
  });
}

}  // namespace
}  // namespace sdfg
