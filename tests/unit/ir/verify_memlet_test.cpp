#include <gtest/gtest.h>

#include "findings.h"

namespace sdfg {
namespace {

TEST(VerifyMemlet, SubsetsFitTheirContainers) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4, N], B: float64[4])
  symbol N: int32
  state main
    n0 = access A
    n1 = access B
    n2 = access A
    n0 -> n1 : A[0:4]
    n0 -> n1 : A[0:4, 0] -> [0:4, 0]
    n0 -> n2 : C[0]
    n0 -> n1 : A[0:4, k]
    n0 -> n1 : A[0:3, 0] -> [0:4]
    n0 -> n1 : A[0:4:0, 1]
)sdfg"),
            "state main / edge n0 -> n1: the subset [0:4] has 1 dimension, but 'A' has 2\n"
            "state main / edge n0 -> n1: the subset [0:4, 0] has 2 dimensions, but 'B' has 1\n"
            "state main / edge n0 -> n2: there is no container 'C'\n"
            "state main / edge n0 -> n1: the subset uses 'k', which is not defined here; declare a "
            "symbol, or use one of the scope's parameters\n"
            "state main / edge n0 -> n1: copies 3 elements of 'A' into 4 of 'B'; make the two "
            "subsets the same size\n"
            "state main / edge n0 -> n1: the step of range 0:4:0 is 0\n");
}

TEST(VerifyMemlet, AContainerIsNoSymbol) {
  // Whoever removes a container looks at access nodes, interstate edges, sizes and code only.
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[20], B: float64[20], J: int64[1], L: int64)
  transient W: float64[L]
  state main
    n0 = access A
    n1 = map each (i) in [0:J]
    n2 = tasklet t: "b = a + L + J"
    n3 = exit n1
    n4 = access B
    n5 = access W
    n0 -> n1.IN_A : A[0:20]
    n1.OUT_A -> n2.a : A[J + M]
    n2.b -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:20]
    n4 -> n5 : B[0:L] -> [0:L]
)sdfg"),
      "state main / node 1 (map each): the range uses 'J', which is a container, not a "
      "symbol; declare a symbol, or read the data through a connector\n"
      "state main / edge n1.OUT_A -> n2.a: the subset uses 'J' and 'M', which are not defined "
      "here, or containers; declare a symbol, or use one of the scope's parameters\n");
}

TEST(VerifyMemlet, ItNamesTheContainerAtOneEnd) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4], C: float64[4])
  state main
    n0 = access A
    n1 = access B
    n0 -> n1 : C[0:4]
)sdfg"),
            "state main / edge n0 -> n1: names container 'C', but leads from node 0 (access A) to "
            "node 1 (access B); name the container at one of the ends\n");
}

TEST(VerifyMemlet, OutOfBoundsIsAnErrorWhenItIsCertain) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[N], B: float64[N])
  symbol N: int32
  symbol M: int32
  state main
    n0 = access A
    n1 = map m (i) in [0:N]
      n2 = tasklet t: "b = a"
    n3 = exit n1
    n4 = access B
    n5 = tasklet u: "b = a"
    n0 -> n1.IN_A : A[0:N]
    n1.OUT_A -> n2.a : A[i + 1]
    n2.b -> n3.IN_B : B[i - 1]
    n3.OUT_B -> n4 : B[0:N]
    n0 -> n5.a : A[M]
    n5.b -> n4 : B[N]
)sdfg"),
      "state main / edge n1.OUT_A -> n2.a: [i + 1] leaves 'A' of shape [N] in dimension 0: i + "
      "1 reaches N, which is beyond N - 1; change the subset, or set `allow_oob`\n"
      "state main / edge n2.b -> n3.IN_B: [i - 1] leaves 'B' of shape [N] in dimension 0: i - "
      "1 reaches -1, which is below 0; change the subset, or set `allow_oob`\n"
      "state main / edge n5.b -> n4: [N] leaves 'B' of shape [N] in dimension 0: N, which is "
      "beyond N - 1; change the subset, or set `allow_oob`\n");
}

TEST(VerifyMemlet, OffsetsCountWhereTheWholeContainerIsAccessed) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[N], B: float64[N] {offset = [-1]})
  symbol N: int32
  state main
    n0 = access A
    n1 = access B
    n0 -> n1 : A[0:N] -> [0:N]
)sdfg"),
      "state main / edge n0 -> n1: [0:N] leaves 'B' of shape [N] in dimension 0: 0 reaches -1, "
      "which is below 0; change the subset, or set `allow_oob`\n");
}

TEST(VerifyMemlet, NoErrorWhereTheCornerMayNotBeReached) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[N], B: float64[N])
  symbol N: int32
  state main
    n0 = access A
    n1 = map outer (i) in [0:N]
      n2 = map inner (j) in [i + 1:N]
        n3 = tasklet t: "b = a"
      n4 = exit n2
    n5 = exit n1
    n6 = access B
    n0 -> n1.IN_A : A[0:N]
    n1.OUT_A -> n2.IN_A : A[0:N]
    n2.OUT_A -> n3.a : A[i + 1]
    n3.b -> n4.IN_B : B[j] {wcr = "lambda a, b: a + b"}
    n4.OUT_B -> n5.IN_B : B[0:N]
    n5.OUT_B -> n6 : B[0:N]
)sdfg"),
            "");
}

TEST(VerifyMemlet, WhatIsEmptyLeavesNothing) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  state main
    n0 = access A
    n1 = access B
    n2 = map m (i) in [9:9]
      n3 = tasklet t: "b = a"
    n4 = exit n2
    n5 = access B
    n0 -> n1 : A[9:9] -> [9:9]
    n1 -> n2.IN_B : B[0:4]
    n2.OUT_B -> n3.a : B[7]
    n3.b -> n4.IN_B : B[i]
    n4.OUT_B -> n5 : B[9:9]
)sdfg"),
      "state main / node 2 (map m): warning: the range 9:9 is empty, so the map does nothing\n");
}

TEST(VerifyMemlet, DynamicAccessesGetAWarning) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  state main
    n0 = access A
    n1 = access B
    n2 = access A
    n0 -> n1 : A[0:5] -> [0:5] {dynamic = true}
    n1 -> n2 : B[2:8] -> [2:8] {allow_oob = true}
)sdfg"),
            "state main / edge n0 -> n1: warning: [0:5] leaves 'A' of shape [4] in dimension 0: 4, "
            "which is beyond 3\n"
            "state main / edge n0 -> n1: warning: [0:5] leaves 'B' of shape [4] in dimension 0: 4, "
            "which is beyond 3\n");
}

TEST(VerifyMemlet, EmptyMemletsOnlyOrder) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4])
  state main
    n0 = access A
    n1 = tasklet t: "b = a"
    n2 = access A
    n0 -> n1.a
    n1.b -> n2
)sdfg"),
      "state main / edge n0 -> n1.a: an empty memlet leads to connector 'a' of a tasklet; give "
      "the memlet data, or remove the connector\n"
      "state main / edge n1.b -> n2: an empty memlet comes from connector 'b' of a tasklet; "
      "give the memlet data, or remove the connector\n");
}

TEST(VerifyMemlet, DataPassesTheBorderOfAScopeThroughConnectors) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  state main
    n0 = access A
    n1 = map m (i) in [0:4]
      n2 = tasklet t: "b = a"
    n3 = exit n1
    n4 = access B
    n0 -> n1 : A[0:4]
    n1 -> n2.a : A[i]
    n2.b -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:4]
)sdfg"),
            "state main / edge n0 -> n1: brings data to node 1 (map m) without a connector; use an "
            "IN_ connector\n"
            "state main / edge n1 -> n2.a: brings data out of node 1 (map m) without a connector; "
            "use an OUT_ connector\n");
}

TEST(VerifyMemlet, ConflictsAreResolvedByALambda) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  state main
    n0 = access A
    n1 = access B
    n2 = access B
    n0 -> n1 : B[0:4] {wcr = "a + b"}
    n0 -> n2 : B[0:4] {wcr = "lambda a: ("}
)sdfg"),
            "state main / edge n0 -> n1: the write-conflict resolution must be a lambda of the old "
            "and the new value, found 'a + b'\n"
            "state main / edge n0 -> n2: the write-conflict resolution is no Python that can be "
            "read: expected an expression, found the end of the line (at column 12)\n");
}

TEST(VerifyMemlet, TheHostCannotTouchGpuMemory) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4] {storage = GPU_Global}, B: float64[4] {storage = GPU_Global})
  state main
    n0 = access A
    n1 = tasklet t: "b = a"
    n2 = access B
    n3 = map k (i) in [0:4] {schedule = GPU_Device}
      n4 = tasklet u: "b = a"
    n5 = exit n3
    n0 -> n1.a : A[0]
    n1.b -> n2 : B[0:4] -> [0:4]
    n0 -> n3.IN_A : A[0:4]
    n3.OUT_A -> n4.a : A[i]
    n4.b -> n5.IN_B : B[i]
    n5.OUT_B -> n2 : B[0:4]
)sdfg"),
      "state main / edge n0 -> n1.a: accesses 'A' on the host, but it is stored in GPU_Global; "
      "copy it to host memory first\n");
}

TEST(VerifyMemlet, TheHostCannotTouchGpuMemoryThatANestedSdfgIsGiven) {
  const auto inner = [](std::string schedule, std::string properties = "") {
    return findings(R"sdfg(
sdfg p(A: float64[4] {storage = GPU_Global}, B: float64[4] {storage = GPU_Global})
  state main
    n0 = access A
    n1 = map k (i) in [0:4] {schedule = )sdfg" +
                    schedule + R"sdfg(}
      n2 = nested_sdfg outer
        sdfg outer(a: float64, b: float64)
          state s
            n0 = access a
            n1 = nested_sdfg inner
              sdfg inner(x: float64[1])sdfg" +
                    properties + R"sdfg(, y: float64)
                state first
                  n0 = access x
                  n1 = tasklet t: "o = 2 * v"
                  n2 = access y
                  n0 -> n1.v : x[0]
                  n1.o -> n2 : y[0]
                state second
                first -> second if "x[0] > 0"
            n2 = access b
            n0 -> n1.x : a[0]
            n1.y -> n2 : b[0]
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[0:4]
    n1.OUT_A -> n2.a : A[i]
    n2.b -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:4]
)sdfg");
  };
  EXPECT_EQ(inner("GPU_Device"), "");
  EXPECT_EQ(inner("Default"), "");
  EXPECT_EQ(inner("Default", " {storage = GPU_Global}"), "");
  const std::string place =
      "state main / node 2 (nested outer) / state s / node 1 (nested inner) / ";
  const std::string way_out =
      " on the host, but it is stored in GPU_Global; copy it to host memory first\n";
  EXPECT_EQ(inner("Sequential"),
            place + "state first / edge n0 -> n1.v: accesses 'x'" + way_out + place +
                "state first / edge n1.o -> n2: accesses 'y'" + way_out + place +
                "edge first -> second: the condition reads 'x'" + way_out);
}

TEST(VerifyMemlet, NestedSdfgsExchangeDataWithAccessNodes) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4])
  transient t: float64
  state main
    n0 = tasklet t0: "x = 1"
    n1 = nested_sdfg inner
      sdfg inner(X: float64)
        state only
    n0.x -> n1.X : t[0]
)sdfg"),
            "state main / edge n0.x -> n1.X: data for a nested SDFG must come from an access node, "
            "found node 0 (tasklet t0)\n");
}

TEST(VerifyMemlet, ConnectorsOfNestedSdfgsHaveData) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4])
  state main
    n0 = access A
    n1 = nested_sdfg inner
      sdfg inner(X: float64[4])
        state only
    n2 = access A
    n0 -> n1.X
    n1.X -> n2
)sdfg"),
      "state main / edge n0 -> n1.X: an empty memlet leads to connector 'X' of a nested SDFG; "
      "give the memlet data, or remove the connector\n"
      "state main / edge n1.X -> n2: an empty memlet comes from connector 'X' of a nested SDFG; "
      "give the memlet data, or remove the connector\n");
}

TEST(VerifyMemlet, DynamicRangesHaveData) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(n: int64, A: float64[4])
  state main
    n0 = access n
    n1 = map m (i) in [0:end]
      n2 = tasklet t: "o = i"
    n3 = exit n1
    n4 = access A
    n0 -> n1.end
    n1 -> n2
    n2.o -> n3.IN_A : A[i]
    n3.OUT_A -> n4 : A[0:4]
)sdfg"),
            "state main / edge n0 -> n1.end: an empty memlet leads to connector 'end' of a scope; "
            "give the memlet data, or remove the connector\n");
}

/// Whatever the answer depends on changes between two verifications that know each other.
TEST(VerifyMemlet, WhatWasRightIsLookedAtAgainWhereItChanged) {
  const Result<Sdfg> right = parse(R"sdfg(
sdfg p(A: float64[N], B: float64[N])
  symbol N: int32
  state main
    n0 = access A
    n1 = map each (i) in [0:N]
    n2 = tasklet t: "o = a"
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[0:N]
    n1.OUT_A -> n2.a : A[i]
    n2.o -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:N]
)sdfg");
  ASSERT_TRUE(right);
  Verified known;
  EXPECT_TRUE(verify(*right, known).empty());
  EXPECT_FALSE(known.empty());
  const auto wrong_after = [&](auto change) {
    Sdfg changed = *right;
    State& state = *changed[*changed.nodes().begin()].as<State>();
    change(changed, state);
    const Diagnostics findings = verify(changed, known);
    EXPECT_EQ(findings.size(), verify(changed).size());
    return !findings.empty();
  };
  const Expr one_less = Expr::symbol("N") - 1;
  EXPECT_TRUE(wrong_after([&](Sdfg& p, State&) { p.arrays.at("A").shape[0] = one_less; }));
  EXPECT_TRUE(wrong_after([&](Sdfg& p, State&) { p.arrays.at("B").as_array()->offset[0] = 1; }));
  EXPECT_TRUE(wrong_after(
      [&](Sdfg&, State& s) { s.get<MapEntry>(NodeId{1}).ranges[0].end = Expr::symbol("N"); }));
  EXPECT_TRUE(wrong_after(
      [&](Sdfg&, State& s) { s[EdgeId{1}].memlet.src_subset = Subset::index({Expr(-1)}); }));
  EXPECT_FALSE(wrong_after([](Sdfg&, State&) {}));
}

}  // namespace
}  // namespace sdfg
