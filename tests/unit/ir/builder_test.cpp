#include "ir/builder.h"

#include <gtest/gtest.h>

#include "ir/parse.h"
#include "ir/print.h"

namespace sdfg {
namespace {

std::string checked_print(const Sdfg& sdfg) {
  const std::string text = print(sdfg);
  const Result<Sdfg> again = parse(text);
  if (!again) return text + again.error().text();
  EXPECT_TRUE(*again == sdfg) << text;
  return text;
}

TEST(Builder, VectorAddition) {
  Builder b("vadd");
  b.symbol("N");
  for (const char* name : {"A", "B", "C"}) b.array(name, BaseType::Float64, "N");
  b.state("main").map("add", "i", "0:N", {{"a", "A[i]"}, {"b", "B[i]"}}, "c = a + b",
                      {{"c", "C[i]"}});
  EXPECT_EQ(checked_print(b.take()), R"(sdfg vadd(A: float64[N], B: float64[N], C: float64[N])
  symbol N: int64
  state main
    n0 = map add (i) in [0:N]
      n2 = tasklet add: "c = a + b"
    n1 = exit n0
    n3 = access A
    n4 = access B
    n5 = access C
    n3 -> n0.IN_A : A[0:N]
    n0.OUT_A -> n2.a : A[i]
    n4 -> n0.IN_B : B[0:N]
    n0.OUT_B -> n2.b : B[i]
    n2.c -> n1.IN_C : C[i]
    n1.OUT_C -> n5 : C[0:N]
)");
}

TEST(Builder, NestedMapsShareConnectorsAndWidenMemlets) {
  Builder b("stencil");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N, N");
  b.array("B", BaseType::Float64, "N, N");
  b.transient("t", BaseType::Float64, "1");
  StateBuilder s = b.state("main");
  s.open_map("rows", "i", "1:N - 1");
  s.open_map("columns", "j", "0:N");
  s.access("t");
  s.tasklet("sum", {{"a", "A[i - 1, j]"}, {"b", "A[i + 1, j]"}}, "c = a + b", {{"c", "t[0]"}});
  s.tasklet("half", {{"a", "t[0]"}}, "b = a / 2", {{"b", "B[i, j]"}});
  s.close_map();
  s.close_map();
  EXPECT_EQ(checked_print(b.take()), R"(sdfg stencil(A: float64[N, N], B: float64[N, N])
  symbol N: int64
  transient t: float64[1]
  state main
    n0 = map rows (i) in [1:N - 1]
      n2 = map columns (j) in [0:N]
        n4 = access t
        n5 = tasklet sum: "c = a + b"
        n7 = tasklet half: "b = a / 2"
      n3 = exit n2
    n1 = exit n0
    n6 = access A
    n8 = access B
    n6 -> n0.IN_A : A[0:N, 0:N]
    n0.OUT_A -> n2.IN_A : A[i - 1:i + 2, 0:N]
    n2.OUT_A -> n5.a : A[i - 1, j]
    n2.OUT_A -> n5.b : A[i + 1, j]
    n5.c -> n4 : t[0]
    n4 -> n7.a : t[0]
    n7.b -> n3.IN_B : B[i, j]
    n3.OUT_B -> n1.IN_B : B[i, 0:N]
    n1.OUT_B -> n8 : B[1:N - 1, 0:N]
)");
}

TEST(Builder, ControlFlowCopiesReductionsAndNestedSdfgs) {
  Builder inner("scale");
  inner.symbol("n");
  inner.array("x", BaseType::Float64, "n");
  inner.state("main").map("twice", "k", "0:n", {{"a", "x[k]"}}, "b = a * 2", {{"b", "x[k]"}});

  Builder b("program");
  b.symbol("N");
  b.symbol("n");
  b.array("A", BaseType::Float64, "N");
  b.array("s", BaseType::Float64, "1");
  b.state("first").copy("A[0:5]", "A[5:10]");
  b.assign({{"k", "0"}});
  RegionBuilder body = b.loop("i", "0", "i < N", "i + 1", "sweep");
  ConditionalBuilder choice = body.conditional("choice");
  choice.branch("i > 2").state("then").reduce("A[0:N]", "s[0]", "lambda a, b: a + b", {0}, "0");
  choice.otherwise().continue_loop();
  body.state("call").nested(inner.take(), {{"x", "A[0:N]"}}, {{"x", "A[0:N]"}}, {{"n", "N"}});
  EXPECT_EQ(checked_print(b.take()),
            R"(sdfg program(A: float64[N], s: float64[1]) {using_explicit_control_flow = true}
  symbol N: int64
  symbol i: int64
  symbol k: int64
  symbol n: int64
  state first
    n0 = access A
    n1 = access A
    n0 -> n1 : A[0:5] -> [5:10]
  state assigned_1
  loop sweep (i) from "i = 0" while "i < N" next "i = i + 1"
    conditional choice
      branch choice_branch_0 if "i > 2"
        state then
          n0 = library dace.libraries.standard.nodes.reduce.Reduce reduce {name = "reduce",
              extras = {axes = [0], wcr = "lambda a, b: a + b", identity = "0"}}
          n1 = access A
          n2 = access s
          n1 -> n0 : A[0:N]
          n0 -> n2 : s[0]
      branch choice_branch_1
        continue continue_0
    state call
      n0 = nested_sdfg scale with (n = N)
        sdfg scale(x: float64[n])
          symbol n: int64
          state main
            n0 = map twice (k) in [0:n]
              n2 = tasklet twice: "b = a * 2"
            n1 = exit n0
            n3 = access x
            n4 = access x
            n3 -> n0.IN_x : x[0:n]
            n0.OUT_x -> n2.a : x[k]
            n2.b -> n1.IN_x : x[k]
            n1.OUT_x -> n4 : x[0:n]
      n1 = access A
      n2 = access A
      n1 -> n0.x : A[0:N]
      n0.x -> n2 : A[0:N]
    choice -> call
  first -> assigned_1 set k = 0
  assigned_1 -> sweep
)");
}

// DaCe takes every container called __return… for a result.
TEST(Sdfg, FreshNamesAreNoResults) {
  Builder b("program");
  b.array("__return", BaseType::Float64, "4");
  b.array("_return_value", BaseType::Float64, "4");
  const Sdfg sdfg = b.take();
  EXPECT_EQ(sdfg.fresh_name("__return"), "_return");
  EXPECT_EQ(sdfg.fresh_name("__return_value"), "_return_value_0");
}

}  // namespace
}  // namespace sdfg
