#include <gtest/gtest.h>

#include "findings.h"

namespace sdfg {
namespace {

TEST(VerifyState, AMapOverATaskletIsSound) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[N], B: float64[N], limit: int32)
  symbol N: int32
  state main
    n0 = access A
    n1 = map m (i) in [0:limit_in] in (limit_in)
      n2 = tasklet copy: "b = a * i"
    n3 = exit n1
    n4 = access B
    n5 = access limit
    n0 -> n1.IN_A : A[0:N]
    n5 -> n1.limit_in : limit[0]
    n1.OUT_A -> n2.a : A[i]
    n2.b -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:N]
)sdfg"),
            "");
}

TEST(VerifyState, DataflowHasNoCycle) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  state main
    n0 = access A
    n1 = access B
    n0 -> n1 : A[0:4]
    n1 -> n0 : B[0:4]
)sdfg"),
            "state main: the dataflow has a cycle: n0 -> n1 -> n0; a state must be acyclic; use "
            "another access node for the second version of the data\n");
}

TEST(VerifyState, ScopesAreSound) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  state main
    n0 = access A
    n1 = map outer (i) in [0:4]
    n2 = tasklet t: "b = 1"
    n3 = exit n1
    n4 = access B
    n5 = map other (j) in [0:4]
    n6 = tasklet u: "c = 1"
    n0 -> n1
    n1 -> n2
    n2.b -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:4]
    n0 -> n5
    n5 -> n6
)sdfg"),
            "state main / node 5 (map other): the scope has no exit\n");
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[4])
  state main
    n0 = map apart (i) in [0:4]
    n1 = exit n0
    n2 = access A
    n3 = access A
    n3 -> n0
    n1 -> n2
)sdfg"),
            "state main / node 0 (map apart): nothing in the scope leads to its exit, node 1; "
            "connect them, by an empty memlet if need be\n");
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  state main
    n0 = access A
    n1 = map outer (i) in [0:4]
    n2 = tasklet t: "b = x"
    n3 = exit n1
    n4 = access B
    n0 -> n1
    n1 -> n2
    n0 -> n2.x : A[0]
    n2.b -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:4]
)sdfg"),
      "state main / node 2 (tasklet t): is reached from two scopes: node 1 (map outer) and the "
      "top level\n");
}

TEST(VerifyState, DataLeavesAScopeThroughItsExit) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  transient t: float64
  state main
    n0 = access A
    n1 = map outer (i) in [0:4]
    n2 = tasklet one: "b = a"
    n3 = exit n1
    n4 = tasklet two: "d = c"
    n5 = access B
    n0 -> n1.IN_A : A[0:4]
    n1.OUT_A -> n2.a : A[i]
    n2.b -> n3.IN_t : t[0]
    n3.OUT_t -> n4.c : t[0]
    n4.d -> n5 : B[0]
)sdfg"),
      "state main / edge n2.b -> n3.IN_t: leaves a scope towards node 4 (tasklet two), but only "
      "an access node can take data there\n"
      "state main / edge n3.OUT_t -> n4.c: leaves a scope towards node 4 (tasklet two), but "
      "only an access node can take data there\n");
}

TEST(VerifyState, ConnectorsHaveEdgesAndEdgesConnectors) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4], x: float64)
  symbol N: int32
  constant pi: float64 = 3.14
  state main
    n0 = access A
    n1 = tasklet t in (a, N, not q) out (a, b, pi): "b = a"
    n2 = access B
    n3 = access x
    n0 -> n1.a : A[0]
    n0 -> n1.a : A[1]
    n0 -> n1.q : A[2]
    n1.b -> n2 : B[0]
    n1.b -> n2 : B[1]
)sdfg"),
      "state main / node 1 (tasklet t): connector 'a' is both an in and an out connector; "
      "rename one of them\n"
      "state main / node 1 (tasklet t): connector 'N' has the name of a symbol; rename the "
      "connector\n"
      "state main / node 1 (tasklet t): connector 'pi' has the name of a constant; rename the "
      "connector\n"
      "state main / edge n0 -> n1.q: ends at connector 'q', which node 1 (tasklet t) does not "
      "have\n"
      "state main / node 1 (tasklet t): in connector 'N' has no edge; remove the connector or "
      "connect it\n"
      "state main / node 1 (tasklet t): in connector 'a' must have one edge, found 2\n"
      "state main / node 1 (tasklet t): out connector 'a' has no edge; remove the connector or "
      "connect it\n"
      "state main / node 1 (tasklet t): out connector 'b' must have one edge, found 2\n"
      "state main / node 1 (tasklet t): out connector 'pi' has no edge; remove the connector "
      "or connect it\n"
      "state main / node 3 (access x): has no edges; remove the node\n");
}

TEST(VerifyState, ConnectorsOfScopesComeInPairs) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p(A: float64[4], B: float64[4])
  state main
    n0 = access A
    n1 = map m (i) in [0:4]
    n2 = tasklet t: "b = 1"
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[0:4]
    n1 -> n2
    n2.b -> n3.IN_B : B[i]
    n3.OUT_C -> n4 : B[0:4]
)sdfg"),
      "state main / node 1 (map m): in connector 'IN_A' has no out connector 'OUT_A'\n"
      "state main / node 3 (exit of map m): in connector 'IN_B' has no out connector 'OUT_B'\n"
      "state main / node 3 (exit of map m): out connector 'OUT_C' has no in connector 'IN_C'\n");
}

}  // namespace
}  // namespace sdfg
