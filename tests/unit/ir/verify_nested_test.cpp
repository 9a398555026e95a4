#include <gtest/gtest.h>

#include "findings.h"

namespace sdfg {
namespace {

TEST(VerifyNested, ConnectorsAreTheContainersInside) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4], B: float32[4])
  symbol N: int32
  state main
    n0 = access A
    n1 = nested_sdfg call with (K = N + Q)
      sdfg inner(X: float64[4], Y: float64[4], Z: float64[4])
        symbol K: int32
        symbol L: int32
        transient T: float64[4]
        state only
          n0 = access Z
          n1 = access X
          n2 = access Y
          n3 = map m (i) in [0:K]
            n4 = tasklet t: "o = L"
          n5 = exit n3
          n1 -> n2 : X[0:4]
          n3 -> n4
          n4.o -> n5.IN_X : X[i]
          n5.OUT_X -> n1 : X[0:4]
          n0 -> n2 : Z[0:4]
    n2 = access B
    n0 -> n1.X : A[0:4]
    n0 -> n1.T : A[0:4]
    n0 -> n1.K : A[0]
    n0 -> n1.W : A[0]
    n1.Y -> n2 : B[0:4]
)sdfg"),
      "state main / node 1 (nested call): the symbol mapping uses 'Q', which is not defined "
      "here; declare a symbol, or assign it on an edge before\n"
      "state main / node 1 (nested call): connector 'K' is a symbol inside; pass it through "
      "the symbol mapping\n"
      "state main / node 1 (nested call): connector 'T' is a transient inside; make the "
      "container non-transient\n"
      "state main / node 1 (nested call): connector 'W' is no container inside\n"
      "state main / node 1 (nested call): container 'Z' inside is not transient, but has no "
      "connector; add a connector, or make it transient\n"
      "state main / edge n1.Y -> n2: passes 'B' of type float32 as 'Y' of type float64\n"
      "state main / node 1 (nested call): the symbol mapping lacks 'L', which the SDFG inside "
      "needs; map each to an outer expression\n"
      "state main / node 1 (nested call): warning: the symbol mapping has 'K', which nothing "
      "inside uses\n"
      "state main / node 1 (nested call) / state only / node 0 (access Z): 'Z' is not "
      "transient, but the nested SDFG has no connector for it; add a connector, or make it "
      "transient\n"
      "state main / node 1 (nested call) / state only / node 1 (access X): writes 'X', which "
      "the nested SDFG gets as an input only; add an out connector of that name\n");
}

// DaCe's code reads the memory of a scalar as what it is inside, too: it does not convert.
TEST(VerifyNested, ElementTypesOfScalarsAgree) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float32[8], B: float64[8])
  state main
    n0 = access A
    n1 = nested_sdfg half
      sdfg half(x: float64, y: float64)
        state only
          n0 = access x
          n1 = tasklet half: "o = a / 2"
          n2 = access y
          n0 -> n1.a : x[0]
          n1.o -> n2 : y[0]
    n2 = access B
    n0 -> n1.x : A[3]
    n1.y -> n2 : B[3]
)sdfg"),
            "state main / edge n0 -> n1.x: passes 'A' of type float32 as 'x' of type float64\n");
}

TEST(VerifyNested, AConnectorInBothDirectionsStaysWithOneContainer) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  state main
    n0 = access A
    n1 = nested_sdfg call
      sdfg inner(X: float64[4])
        state only
          n0 = access X
          n1 = tasklet t: "b = a"
          n2 = access X
          n0 -> n1.a : X[0]
          n1.b -> n2 : X[1]
    n2 = access B
    n0 -> n1.X : A[0:4]
    n1.X -> n2 : B[0:4]
)sdfg"),
            "state main / node 1 (nested call): connector 'X' reads 'A' but writes 'B'; one that "
            "does both must stay with one container; use two connectors\n");
}

TEST(VerifyNested, WhatResolvesConflictsStandsInside) {
  const auto program = [](const std::string& wcr) {
    return R"sdfg(
sdfg p(A: float64[4])
  state main
    n0 = map m (i) in [0:4]
      n1 = nested_sdfg add
        sdfg inner(s: float64[1])
          state only
            n0 = tasklet t: "o = 1"
            n1 = access s
            n0.o -> n1 : s[0])sdfg" +
           wcr + R"sdfg(
    n2 = exit n0
    n3 = access A
    n0 -> n1
    n1.s -> n2.IN_A : A[0] {wcr = "lambda a, b: a + b"}
    n2.OUT_A -> n3 : A[0] {wcr = "lambda a, b: a + b"}
)sdfg";
  };
  EXPECT_EQ(findings(program("")),
            "state main / edge n1.s -> n2.IN_A: warning: nothing applies the wcr 'lambda a, b: "
            "a + b': 's' inside writes 'A' directly, and without one; give it to the memlets "
            "inside that write 's'\n");
  EXPECT_EQ(findings(program(" {wcr = \"lambda a, b: a + b\"}")), "");
}

TEST(VerifyNested, SymbolsThatNoCodeNeedsMayBeMappedToAnything) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4])
  state main
    n0 = access A
    n1 = nested_sdfg call with (K = Q)
      sdfg inner(X: float64[K] {total_size = 4})
        symbol K: int32
        state only
          n0 = access X
          n1 = tasklet t: ""
          n0 -> n1
    n0 -> n1.X : A[0:4]
)sdfg"),
            "state main / node 1 (nested call): warning: the symbol mapping uses 'Q', which is not "
            "defined here, for symbols that no code inside needs\n");
}

}  // namespace
}  // namespace sdfg
