#include <gtest/gtest.h>

#include "findings.h"

namespace sdfg {
namespace {

TEST(VerifyNode, AccessNodesNameContainers) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(density: float64[4], B: float64[4])
  state main
    n0 = access densty
    n1 = access B
    n0 -> n1 : B[0:4]
)sdfg"),
            "state main / node 0 (access densty): there is no container 'densty'; did you mean "
            "'density'?\n");
}

TEST(VerifyNode, WhatIsReadWasWritten) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(B: float64[4])
  transient t: float64[4]
  data r: reference float64[4] {transient = true}
  state main
    n0 = access t
    n1 = access B
    n2 = access r
    n0 -> n1 : t[0:4]
    n2 -> n1 : r[0:4]
)sdfg"),
      "state main / node 0 (access t): warning: transient 't' is read but never written; write "
      "it first, or set `setzero`\n"
      "state main / node 2 (access r): reference 'r' is used before it is set; set it with an "
      "edge into a connector named 'set' of its access node\n");
}

TEST(VerifyNode, ReferencesThatAreMembersAreSetFirst) {
  const std::string program = R"sdfg(
sdfg p(s: structure S(a: float64[4], r: reference float64[4]) of pointer(struct(S, {a = pointer(float64), r = pointer(float64)}, {}, 16))[1], B: float64[4])
  state first
    n0 = access s.a
    n1 = access s.r
    n0 -> n1."set" : s.a[0:4]
  state main
    n0 = access s.r
    n1 = access B
    n0 -> n1 : s.r[0:4]
)sdfg";
  EXPECT_EQ(findings(program + "  first -> main\n"), "");
  EXPECT_EQ(findings(program + "  main -> first\n"),
            "state main / node 0 (access s.r): reference 's.r' is used before it is set; set it "
            "with an edge into a connector named 'set' of its access node\n");
}

TEST(VerifyNode, AViewLooksAtOneContainer) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  transient v: view float64[4]
  state main
    n0 = access A
    n1 = access v
    n2 = access B
    n0 -> n1 : v[0:4]
    n1 -> n2 : v[0:4]
)sdfg"),
      "state main / node 1 (access v): it is open what the view looks at; connect it to another "
      "access node on one side only, or use a connector named 'views'\n");
}

TEST(VerifyNode, TaskletsReadOnlyWhatIsDefined) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4, 5], B: float64[4])
  symbol N: int32
  state main
    n0 = access A
    n1 = tasklet "t 1": "b = a[0] + N * M"
    n2 = access B
    n3 = tasklet broken: "x = ("
    n0 -> n1.a : A[0:4, 0:5]
    n1.b -> n2 : B[0]
)sdfg"),
      "state main / node 1 (tasklet t 1): the label 't 1' is no valid name\n"
      "state main / node 1 (tasklet t 1): the code uses 'M', which is not defined here; declare "
      "a symbol, or read the data through a connector\n"
      "state main / node 1 (tasklet t 1): 'a[0]' has 1 index, but the memlet A[0:4, 0:5] has 2 "
      "dimensions of more than one element\n"
      "state main / node 3 (tasklet broken): the code is no Python that can be read: expected "
      "an expression, found the end of the line (at column 6)\n");
}

TEST(VerifyNode, MapsHaveARangePerParameter) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4])
  state main
    n0 = map two (i, i) in [0:4:-1]
      n1 = tasklet t: "a = 1"
    n2 = exit n0
    n3 = access A
    n4 = map far (j, k) in [0:M, j:0]
      n5 = tasklet u: "a = 1"
    n6 = exit n4
    n7 = map empty () in []
      n8 = tasklet v: ""
    n9 = exit n7
    n0 -> n1
    n1.a -> n2.IN_A : A[0]
    n2.OUT_A -> n3 : A[0]
    n4 -> n5
    n5.a -> n6.IN_A : A[0]
    n6.OUT_A -> n3 : A[0]
    n7 -> n8
    n8 -> n9
)sdfg"),
      "state main / node 0 (map two): the map has 2 parameters but 1 range\n"
      "state main / node 0 (map two): parameter 'i' occurs twice\n"
      "state main / node 0 (map two): the step of range 0:4:-1 must be positive, found -1; "
      "write the range in ascending order\n"
      "state main / node 4 (map far): the range uses 'M', which is not defined here; declare a "
      "symbol, or read the data through a connector\n"
      "state main / node 7 (map empty): the map has no parameters\n");
}

TEST(VerifyNode, ParametersHideNoSizes) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[N + 4, 4], B: float64[4])
  symbol N: int64
  transient own: float64[i] {lifetime = Scope}
  state main
    n0 = access A
    n1 = map row (N) in [0:4]
      n2 = tasklet t: "o = a"
    n3 = exit n1
    n4 = access B
    n5 = map free (i) in [1:4]
      n6 = tasklet first: "o = 1"
      n7 = access own
      n8 = tasklet last: "o = a"
    n9 = exit n5
    n10 = access B
    n0 -> n1.IN_A : A[0:4, 0]
    n1.OUT_A -> n2.a : A[N, 0]
    n2.o -> n3.IN_B : B[N]
    n3.OUT_B -> n4 : B[0:4]
    n5 -> n6
    n6.o -> n7 : own[0]
    n7 -> n8.a : own[0]
    n8.o -> n9.IN_B : B[i]
    n9.OUT_B -> n10 : B[1:4]
)sdfg"),
      "state main / node 1 (map row): parameter 'N' has the name of a symbol in the descriptor of "
      "'A', which is used inside; give the parameter another name\n");
}

TEST(VerifyNode, ConsumeScopesHaveAStream) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(S: stream int32[1])
  state main
    n0 = access S
    n1 = consume c (p) {num_pes = P}
      n2 = tasklet t: ""
    n3 = consume_exit n1
    n0 -> n1.IN_s : S[0]
    n1.OUT_s -> n2.s : S[0]
    n2 -> n3
)sdfg"),
      "state main / node 1 (consume c): a consume scope must have an in connector 'IN_stream'\n"
      "state main / node 1 (consume c): a consume scope must have an out connector "
      "'OUT_stream'\n"
      "state main / node 1 (consume c): the number of processing elements uses 'P', which is "
      "not defined here; declare a symbol, or read the data through a connector\n");
}

TEST(VerifyNode, LibraryNodesFitTheirClass) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4, 5], b: float64[5], c: float64[5])
  state main
    n0 = access A
    n1 = library dace.libraries.standard.nodes.reduce.Reduce sum {extras = {
        wcr = "a + b", axes = [2]}}
    n2 = access b
    n3 = library dace.libraries.blas.nodes.gemv.Gemv mv
    n4 = access c
    n5 = library some.where.Else other
    n0 -> n1 : A[0:4, 0:5]
    n1 -> n2 : b[0:5]
    n0 -> n3._A : A[0:4, 0:5]
    n2 -> n3._x : b[0:5]
    n3._y -> n4 : c[0:5]
)sdfg"),
      "state main / node 1 (library sum): the reduction must be a lambda of two values, found "
      "'a + b'\n"
      "state main / node 1 (library sum): axis 2 is not one of the input's 2 dimensions\n"
      "state main / node 3 (library mv): the matrix's rows and the vector _y must have one "
      "size, found 4 and 5\n"
      "state main / node 5 (library other): warning: library class some.where.Else has no "
      "known meaning\n");
}

TEST(VerifyNode, InputsOfPointwiseLibraryNodesBroadcast) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(m: bool[8], A: float64[5], B: float64[8], C: float64[8], D: float64[8, 2])
  state main
    n0 = access m
    n1 = access A
    n2 = access B
    n3 = library dace.libraries.standard.nodes.merge_node.MergeLibraryNode where
    n4 = access C
    n5 = library dace.libraries.standard.nodes.cshift.CShift roll {extras = {dim = 2, shift = 1}}
    n6 = library dace.libraries.standard.nodes.broadcast.Broadcast spread {extras = {dim = 3}}
    n7 = access D
    n0 -> n3._mrg_mask : m[0:8]
    n1 -> n3._mrg_t : A[0:5]
    n2 -> n3._mrg_f : B[0]
    n3._mrg_out -> n4 : C[0:8]
    n2 -> n5._x : B[0:8]
    n5._out -> n4 : C[0:8]
    n2 -> n6._src : B[0:8]
    n6._dst -> n7 : D[0:8, 0:2]
)sdfg"),
            "state main / node 3 (library where): '_mrg_t': an input of [5] does not become [8]\n"
            "state main / node 5 (library roll): '_x': axis 2 (from 1) is not one of the 1 of [8]\n"
            "state main / node 6 (library spread): '_src': axis 3 (from 1) is not one of the 2 of "
            "[8, 2]\n");
}

TEST(VerifyNode, NodesKeepTheirKind) {
  Sdfg sdfg;
  sdfg.name = "p";
  State state;
  const NodeId node = state.add(Node{Tasklet{.label = "t"}});
  state[node].kind = LibraryNode{.classpath = "dace.libraries.blas.Dot", .label = "dot"};
  sdfg.add(Block{"main", std::move(state)});
  EXPECT_EQ(verify(sdfg).front().text(),
            "state main / node 0 (library dot): the node was added as another kind; erase it and "
            "add a node of the new kind");
}

TEST(VerifyNode, UnknownKindsCannotRun) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4])
  state main
    n0 = node "PipelineEntry" pipe
    n1 = access A
    n0 -> n1 : A[0:4]
)sdfg"),
      "state main / node 0 (PipelineEntry pipe): nodes of kind PipelineEntry are not known, so "
      "this cannot be run\n");
}

}  // namespace
}  // namespace sdfg
