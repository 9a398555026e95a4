// The compiled program and the interpreter agree: each construct of control flow and dataflow once,
// on the same arguments.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ir/builder.h"
#include "ir/parse.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "tools/common/caller.h"

namespace sdfg {
namespace {

NdArray doubles(std::vector<std::int64_t> shape, double start = 0.5) {
  NdArray a = NdArray::zeros(BaseType::Float64, std::move(shape));
  for (std::size_t i = 0; i < a.count(); ++i) {
    const double v = start + double(i % 7) * 0.25 - double(i % 3);
    std::memcpy(a.bytes.data() + i * sizeof v, &v, sizeof v);
  }
  return a;
}
NdArray integer(std::int64_t value) {
  NdArray a = NdArray::zeros(BaseType::Int64, {});
  std::memcpy(a.bytes.data(), &value, sizeof value);
  return a;
}

BuildOptions options() {
  return {.compiler = {},
          .flags = {"-std=c++20", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra",
                    "-Werror"},
          .cache = testing::TempDir() + "sdfg-cpu-backend-test"};
}

/// Runs both; the results must be the same bytes.
void expect_same(const Sdfg& sdfg, const NamedArrays& arguments) {
  const Diagnostics findings = verify(sdfg);
  ASSERT_FALSE(has_errors(findings)) << findings.front().text();
  const auto expected = interpreter_backend()(sdfg, arguments);
  ASSERT_TRUE(expected) << expected.error().text();
  const auto found = cpu_backend(options())(sdfg, arguments);
  ASSERT_TRUE(found) << found.error().text();
  for (const auto& [name, value] : expected->arguments)
    EXPECT_EQ(value.bytes, found->arguments.at(name).bytes) << name;
}

TEST(CpuBackend, AMapOverTwoDimensions) {
  Builder b("two_dimensions");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N, 3");
  b.array("B", BaseType::Float64, "N, 3");
  b.state("main").map("m", "i, j", "0:N, 0:3", {{"a", "A[i, j]"}}, "o = a * 2.0 + j",
                      {{"o", "B[i, j]"}});
  expect_same(b.take(), {{"A", doubles({5, 3})}, {"B", doubles({5, 3})}, {"N", integer(5)}});
}

// Every number of 16 bits: as a float, and rounded after arithmetic.
TEST(CpuBackend, NumbersOf16Bits) {
  for (const std::string type : {"float16", "bfloat16"}) {
    const auto sdfg = parse("sdfg halves(A: " + type + "[65536], B: " + type +
                            "[65536], s: " + type + R"sdfg([1], wide: float32[65536])
  state s
    n0 = access A
    n1 = map all (i) in [0:65536]
      n2 = tasklet t: |
        | w = a
        | if a > 0.5:
        |   b = a * 1.00123 + min(a, 0.25, a * a)
        | else:
        |   b = sqrt(abs(a)) / 3 - a ** 2
    n3 = exit n1
    n4 = access B
    n5 = access wide
    n6 = access s
    n7 = map some (i) in [16000:16100] {schedule = Sequential}
      n8 = tasklet u: "o = a"
    n9 = exit n7
    n0 -> n1.IN_A : A[0:65536]
    n1.OUT_A -> n2.a : A[i]
    n2.b -> n3.IN_B : B[i]
    n2.w -> n3.IN_w : wide[i]
    n3.OUT_B -> n4 : B[0:65536]
    n3.OUT_w -> n5 : wide[0:65536]
    n0 -> n7.IN_A : A[16000:16100]
    n7.OUT_A -> n8.a : A[i]
    n8.o -> n9.IN_s : s[0] {wcr = "lambda x, y: x + y"}
    n9.OUT_s -> n6 : s[0] {wcr = "lambda x, y: x + y"}
)sdfg");
    ASSERT_TRUE(sdfg) << sdfg.error().text();
    const auto base = type == "float16" ? BaseType::Float16 : BaseType::BFloat16;
    NdArray all = NdArray::zeros(base, {65536});
    for (std::size_t i = 0; i < all.count(); ++i) {
      const auto bits = std::uint16_t(i);
      std::memcpy(all.bytes.data() + 2 * i, &bits, 2);
    }
    expect_same(*sdfg, {{"A", all},
                        {"B", NdArray::zeros(base, {65536})},
                        {"s", NdArray::zeros(base, {1})},
                        {"wide", NdArray::zeros(BaseType::Float32, {65536})}});
  }
}

TEST(CpuBackend, TaskletsCountTheElementsOfASubsetWithSteps) {
  const auto sdfg = parse(R"sdfg(
sdfg steps(A: float64[16, 3], B: float64[4])
  state s
    n0 = access A
    n1 = tasklet t: "for j in range(2):\n  o[j] = a[j + 1, 0] - a[j, 1]"
    n2 = access B
    n0 -> n1.a : A[1:11:3, 0:3:2]
    n1.o -> n2 : B[0:4:2]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", doubles({16, 3})}, {"B", doubles({4})}});
}

TEST(CpuBackend, RangesThatDependOnParametersOfTheSameMap) {
  const auto sdfg = parse(R"sdfg(
sdfg triangle(A: float64[7, 7], B: float64[7, 7])
  symbol n: int64
  state s
    n0 = access A
    n1 = map upper (i, k, j) in [0:n, 0:2, i + 1:7:2] {collapse = 3}
      n2 = tasklet f: "o = x + i * j"
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[0:7, 0:7]
    n1.OUT_A -> n2.x : A[i, j - k]
    n2.o -> n3.IN_B : B[i, j - k]
    n3.OUT_B -> n4 : B[0:7, 0:7]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", doubles({7, 7})}, {"B", doubles({7, 7})}, {"n", integer(6)}});
}

TEST(CpuBackend, ControlFlowReadsViewsThatStatesShow) {
  const auto sdfg = parse(R"sdfg(
sdfg shown(A: float64[8, 4], B: float64[6])
  symbol j: int64
  symbol k: int64
  transient v: view float64[4]
  state zero
    n0 = access A
    n1 = access v
    n0 -> n1."views" : A[2, 0:4] -> [0:4]
  loop walk (j) from "j = 0" while "j < 3 and v[j] < 100" next "j = j + 1"
    state one
      n0 = access A
      n1 = access v
      n2 = access v
      n3 = tasklet f: "o = x + 1"
      n0 -> n1."views" : A[j + 3, 0:4] -> [0:4]
      n1 -> n3.x : v[1]
      n3.o -> n2 : v[0]
      n2 -> n4."views" : A[j + 4, 0:4]
      n4 = access A
    conditional choice
      branch large if "v[0] > 0.5"
        state add
          n0 = tasklet g: "o = k"
          n1 = access B
          n0.o -> n1 : B[j]
    one -> choice set k = v[1] * 4 + 7
  state last
    n0 = tasklet g: "o = k"
    n1 = access B
    n0.o -> n1 : B[5]
  zero -> walk set k = v[2] * 8
  walk -> last set k = k + v[3] * 2
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", doubles({8, 4})}, {"B", doubles({6})}});
}

TEST(CpuBackend, ConsumeScopesEndWhenTheirConditionHolds) {
  const auto sdfg = parse(R"sdfg(
sdfg some(A: float64[4], B: float64[4])
  transient S: stream float64[1]
  state push
    n0 = access A
    n1 = access S
    n0 -> n1 : A[0:4]
  state take
    n0 = access S
    n1 = consume each (p) {num_pes = 1, condition = "True"}
      n2 = tasklet f: "o = x"
    n3 = consume_exit n1
    n4 = access B
    n0 -> n1.IN_stream : S[0] {dynamic = true}
    n1.OUT_stream -> n2.x : S[0] {dynamic = true}
    n2.o -> n3.IN_B : B[0] {dynamic = true}
    n3.OUT_B -> n4 : B[0] {dynamic = true}
  push -> take
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", doubles({4})}, {"B", doubles({4}, 9)}});
}

TEST(CpuBackend, ConsumeScopesHaveDynamicInputs) {
  const auto sdfg = parse(R"sdfg(
sdfg factors(A: float64[4], B: float64[1], L: float64[1])
  transient S: stream float64[1]
  state push
    n0 = access A
    n1 = access S
    n0 -> n1 : A[0:4]
  state take
    n0 = access S
    n1 = access L
    n2 = consume each (p) {num_pes = 1}
      n3 = tasklet f: "o = x * by"
    n4 = consume_exit n2
    n5 = access B
    n0 -> n2.IN_stream : S[0] {dynamic = true}
    n1 -> n2.by : L[0]
    n2.OUT_stream -> n3.x : S[0]
    n3.o -> n4.IN_B : B[0] {wcr = "lambda a, b: a + b"}
    n4.OUT_B -> n5 : B[0] {wcr = "lambda a, b: a + b"}
  push -> take
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", doubles({4})}, {"B", doubles({1}, 9)}, {"L", doubles({1}, 3)}});
}

TEST(CpuBackend, TruthValuesHaveNoAddress) {
  Builder b("truth");
  b.array("A", BaseType::Float64, "4");
  b.symbol("k");
  auto choice = b.conditional();
  choice.branch("(k > 2) is False").state().tasklet("t", {}, "o = 1.0", {{"o", "A[0]"}});
  choice.otherwise().state().tasklet("t", {}, "o = 2.0", {{"o", "A[1]"}});
  expect_same(b.take(), {{"A", doubles({4})}, {"k", integer(2)}});
  const auto sdfg = parse(R"sdfg(
sdfg given(A: float64[4], c: bool)
  conditional choice
    branch no if "c is False"
      state s
        n0 = tasklet t: "o = 3.0"
        n1 = access A
        n0.o -> n1 : A[2]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", doubles({4})}, {"c", NdArray::zeros(BaseType::Bool, {})}});
}

TEST(CpuBackend, CopiesOfTiles) {
  const auto sdfg = parse(R"sdfg(
sdfg tiles(A: float64[16, 16], B: float64[4, 4], C: float64[16, 16], D: float64[4])
  state s
    n0 = access A
    n1 = access B
    n2 = access C
    n3 = access D
    n0 -> n1 : A[2:12:8:2, 1:11:8:2] -> [0:4, 0:4]
    n1 -> n2 : B[0:4, 0:4] -> [2:12:8:2, 1:11:8:2]
    n0 -> n3 : A[1, 2:12:8:2] -> [0:4]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", doubles({16, 16})},
                      {"B", doubles({4, 4})},
                      {"C", doubles({16, 16}, 3)},
                      {"D", doubles({4})}});
}

TEST(CpuBackend, TransientsBetweenTwoStatesAndALoop) {
  Builder b("loop");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N");
  b.transient("t", BaseType::Float64, "N");
  auto body = b.loop("k", "0", "k < 4", "k + 1");
  body.state().map("up", "i", "0:N", {{"a", "A[i]"}}, "o = a + k", {{"o", "t[i]"}});
  body.state().map("down", "i", "0:N", {{"a", "t[i]"}}, "o = a / 2.0", {{"o", "A[i]"}});
  expect_same(b.take(), {{"A", doubles({6})}, {"N", integer(6)}});
}

TEST(CpuBackend, BranchesBreakAndContinue) {
  Builder b("branches");
  b.array("A", BaseType::Float64, "8");
  auto body = b.loop("k", "0", "k < 8", "k + 1");
  auto choice = body.conditional();
  choice.branch("k == 2").continue_loop();
  choice.branch("k > 5").break_loop();
  choice.otherwise().state().tasklet("t", {{"a", "A[k]"}}, "o = a + 100.0", {{"o", "A[k]"}});
  body.state().tasklet("t", {{"a", "A[k]"}}, "o = -a", {{"o", "A[k]"}});
  expect_same(b.take(), {{"A", doubles({8})}});
}

TEST(CpuBackend, InvertedLoopsRunTheUpdateAfterContinue) {
  for (const bool update_first : {true, false}) {
    Builder b(update_first ? "inverted_update_first" : "inverted_test_first");
    b.array("A", BaseType::Float64, "9");
    auto body = b.loop("k", "0", "k < 5", "k + 1");
    auto choice = body.conditional();
    choice.branch("k == 2").continue_loop();
    body.state().tasklet("t", {{"a", "A[k]"}}, "o = a + 1.0", {{"o", "A[k]"}});
    Sdfg sdfg = b.take();
    for (BlockId id : sdfg.nodes())
      if (auto* loop = sdfg[id].as<LoopRegion>()) {
        loop->inverted = true;
        loop->update_before_condition = update_first;
      }
    expect_same(sdfg, {{"A", doubles({9})}});
  }
}

TEST(CpuBackend, UnstructuredJumps) {
  Builder b("jumps");
  b.symbol("N");
  b.array("A", BaseType::Float64, "4");
  Sdfg sdfg = b.take();
  const auto add = [&](const char* label) { return sdfg.add(Block{label, State{}}); };
  const BlockId a = add("a"), c = add("c"), d = add("d"), e = add("e");
  const auto tasklet = [&](BlockId id, const char* code) {
    State& state = *sdfg[id].as<State>();
    const NodeId t =
        state.add(Node{Tasklet{.label = "t", .code = Code(code)}, {{"x", {}}}, {{"o", {}}}});
    const NodeId in = state.add(Node{AccessNode{"A"}}), out = state.add(Node{AccessNode{"A"}});
    const Subset first = Subset::index({Expr::symbol("k")});
    state.connect(in, t, Edge{"", "x", Memlet::read("A", first)});
    state.connect(t, out, Edge{"o", "", Memlet::write("A", first)});
  };
  tasklet(c, "o = x + 1.0");
  tasklet(d, "o = x * 3.0");
  sdfg.symbols["k"] = BaseType::Int64;
  sdfg.symbols["n"] = BaseType::Int64;
  const auto edge = [&](BlockId from, BlockId to, const char* condition,
                        std::vector<std::pair<std::string, std::string>> assign) {
    InterstateEdge next;
    next.condition = Code(condition);
    for (auto& [symbol, value] : assign) next.assignments.set(symbol, *parse_python(value));
    sdfg.connect(from, to, std::move(next));
  };
  // Two entries into the cycle c <-> d: no structured loop.
  edge(a, c, "N > 2", {{"k", "1"}, {"n", "0"}});
  edge(a, d, "N <= 2", {{"k", "2"}, {"n", "0"}});
  edge(c, d, "n < 5", {{"n", "n + 1"}, {"k", "3 - k"}});
  edge(d, c, "n < 5", {{"n", "n + 1"}});
  edge(c, e, "n >= 5", {});
  edge(d, e, "n >= 5", {});
  sdfg.start_block = a;
  for (int n : {1, 5}) expect_same(sdfg, {{"A", doubles({4})}, {"N", integer(n)}});
}

TEST(CpuBackend, ConflictingWritesOfAParallelMap) {
  Builder b("conflict");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N");
  b.array("s", BaseType::Float64, "1");
  b.array("m", BaseType::Float64, "1");
  auto state = b.state("main");
  state.map("sum", "i", "0:N", {{"a", "A[i]"}}, "o = a", {{"o", "s[0]", "lambda x, y: x + y"}});
  state.map("most", "i", "0:N", {{"a", "A[i]"}}, "o = a",
            {{"o", "m[0]", "lambda x, y: max(x, y)"}});
  // Sums of quarters are exact in any order.
  expect_same(
      b.take(),
      {{"A", doubles({1000})}, {"s", doubles({1})}, {"m", doubles({1})}, {"N", integer(1000)}});
}

TEST(CpuBackend, CopiesOfEveryShape) {
  Builder b("copies");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N, 6");
  b.array("B", BaseType::Float64, "N, 6");
  b.array("C", BaseType::Float64, "3*N, 2");
  b.array("D", BaseType::Float64, "6");
  b.array("E", BaseType::Float64, "N");
  b.state().copy("A[0:N, 0:6]", "B[0:N, 0:6]");
  b.state().copy("A[1:N, 1:5]", "B[0:N-1, 2:6]");
  b.state().copy("A[0:N, 0:6]", "C[0:3*N, 0:2]");
  b.state().copy("A[2, 0:6]", "D[0:6]");
  b.state().copy("A[0:N, 3]", "E[0:N]");
  b.state().copy("A[1, 1]", "D[4]");
  expect_same(b.take(), {{"A", doubles({4, 6})}, {"B", doubles({4, 6})}, {"C", doubles({12, 2})},
                         {"D", doubles({6})}, {"E", doubles({4})}, {"N", integer(4)}});
}

TEST(CpuBackend, NestedSdfgsAndReductions) {
  Builder inner("inner");
  inner.symbol("M");
  inner.array("x", BaseType::Float64, "M");
  inner.array("y", BaseType::Float64, "1");
  inner.transient("t", BaseType::Float64, "M");
  auto work = inner.state();
  work.map("square", "j", "0:M", {{"a", "x[j]"}}, "o = a * a", {{"o", "t[j]"}});
  work.reduce("t[0:M]", "y[0]", "lambda a, b: a + b", {0}, "0");
  Builder b("outer");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N, 5");
  b.array("B", BaseType::Float64, "N");
  auto state = b.state();
  state.open_map("rows", "i", "0:N");
  state.nested(inner.take(), {{"x", "A[i, 0:5]"}}, {{"y", "B[i]"}}, {{"M", "5"}});
  state.close_map();
  expect_same(b.take(), {{"A", doubles({7, 5})}, {"B", doubles({7})}, {"N", integer(7)}});
}

// Inside of two nested SDFGs, one in the other, what is read as r is written as w before.
TEST(CpuBackend, ScalarsThatAreWrittenByAnotherName) {
  const auto sdfg = parse(R"sdfg(
sdfg byvalue(B: float64[4], s: float64[2])
  state main
    n0 = nested_sdfg outer
      sdfg outer(r: float64, w: float64[4], o: float64[2])
        state call
          n0 = nested_sdfg inner
            sdfg inner(r: float64, w: float64[4], o: float64)
              state first
                n0 = tasklet t: "x = 5"
                n1 = access w
                n0.x -> n1 : w[0]
              state second
                n0 = access r
                n1 = access o
                n2 = tasklet t: "y = x"
                n0 -> n2.x : r[0]
                n2.y -> n1 : o[0]
              first -> second
          n1 = access r
          n2 = access w
          n3 = access o
          n1 -> n0.r : r[0]
          n0.w -> n2 : w[0:4]
          n0.o -> n3 : o[0]
        state then
          n0 = access r
          n1 = access o
          n2 = tasklet t: "y = x + 1"
          n0 -> n2.x : r[0]
          n2.y -> n1 : o[1]
        call -> then
    n1 = access B
    n2 = access B
    n3 = access s
    n1 -> n0.r : B[0]
    n0.w -> n2 : B[0:4]
    n0.o -> n3 : s[0:2]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"B", doubles({4})}, {"s", doubles({2})}});
}

TEST(CpuBackend, ASecondCallWithOtherSizes) {
  Builder b("sizes");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N");
  b.transient("t", BaseType::Float64, "2*N");
  b.state().map("one", "i", "0:N", {{"a", "A[i]"}}, "o = a + 1.0", {{"o", "t[2*i]"}});
  b.state().map("two", "i", "0:N", {{"a", "t[2*i]"}}, "o = a * a", {{"o", "A[i]"}});
  const Sdfg sdfg = b.take();
  for (std::int64_t n : {2000, 3, 5000})
    expect_same(sdfg, {{"A", doubles({n})}, {"N", integer(n)}});
}

TEST(CpuBackend, TaskletsOfSeveralStatements) {
  Builder b("statements");
  b.array("A", BaseType::Float64, "4");
  b.array("B", BaseType::Float64, "4");
  b.state().map("m", "i", "0:4", {{"a", "A[0:4]"}},
                "s = 0.0\nfor k in range(4):\n    if k > i:\n        s += a[k]\n    else:\n        "
                "s = s - a[k] * 2\no = s if s > 0 else abs(s) ** 2\n",
                {{"o", "B[i]"}});
  expect_same(b.take(), {{"A", doubles({4})}, {"B", doubles({4})}});
}

/// One tasklet over int64 and float64 values: `code` reads `k` and `x` and writes `o`.
void expect_same_code(const std::string& code) {
  Builder b("code");
  b.array("K", BaseType::Int64, "4");
  b.array("A", BaseType::Float64, "4");
  b.array("B", BaseType::Float64, "4");
  b.state().map("m", "i", "0:4", {{"k", "K[i]"}, {"x", "A[i]"}}, code, {{"o", "B[i]"}});
  NdArray k = NdArray::zeros(BaseType::Int64, {4});
  const std::int64_t values[] = {-6, 5, 2, 0};
  std::memcpy(k.bytes.data(), values, sizeof values);
  SCOPED_TRACE(code);
  expect_same(b.take(), {{"K", k}, {"A", doubles({4}, -2.6)}, {"B", doubles({4})}});
}

TEST(CpuBackend, LocalsHaveTheTypeOfTheirFirstValue) {
  expect_same_code("t = 1\nt = x * 0.5\no = t\n");
  expect_same_code("if k < 0:\n  k = 0\nk = k + x\no = k\n");
  for (const std::string first :
       {"sqrt(dace.float32(x * x))", "int_floor(k, 2)", "int(x)", "x // 2", "floor(x)",
        "copysign(dace.float32(x), 1)", "3", "k > 1"})
    expect_same_code("t = " + first + "\nt = t * 0.1 + k * 1000000007\no = t / 3\n");
}

TEST(CpuBackend, RangesAreComputedOnce) {
  expect_same_code("n = k\ns = 0\nfor i in range(n):\n  n = n - 1\n  s = s + i\no = s\n");
  expect_same_code("s = 0\nfor j in range(4):\n  j = j + k\n  s = s + j\no = s\n");
  expect_same_code("j = 3\nfor j in range(2):\n  pass\no = j + k\n");
  expect_same_code("for j in range(2):\n  pass\no = j + k\n");
  expect_same_code("s = 0\nfor j in range(5):\n  if j == k:\n    break\n  s += j\no = s * j\n");
}

TEST(CpuBackend, OperatorsOfPython) {
  expect_same_code("o = x % 0.75 + x % -0.75");
  expect_same_code("o = int_ceil(k, 4)");
  expect_same_code("o = (k * 1000003) ** 2.0 + x ** 3.0");
  expect_same_code("o = math.exp(k) + exp(k) + math.exp(x) + math.sqrt(k * k + 1)");
}

TEST(CpuBackend, NarrowIntegersToAPower) {
  const auto sdfg = parse(R"sdfg(
sdfg narrow(I: int8[1], B: int64[1])
  state s
    n0 = access I
    n1 = tasklet t: "o = (i + 100) ** 2 + i ** 3"
    n2 = access B
    n0 -> n1.i : I[0]
    n1.o -> n2 : B[0]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  NdArray i = NdArray::zeros(BaseType::Int8, {1});
  i.bytes[0] = std::byte{100};
  expect_same(*sdfg, {{"I", i}, {"B", NdArray::zeros(BaseType::Int64, {1})}});
}

TEST(CpuBackend, TheLeastNumberOf8BitsHasAnAbsoluteValue) {
  Builder b("least");
  b.array("I", BaseType::Int8, "2");
  b.array("B", BaseType::Int64, "2");
  b.state().map("m", "i", "0:2", {{"a", "I[i]"}}, "o = abs(a)", {{"o", "B[i]"}});
  expect_same(b.take(), {{"I", NdArray::of<std::int8_t>({2}, {-128, 7})},
                         {"B", NdArray::zeros(BaseType::Int64, {2})}});
}

TEST(CpuBackend, ARealFactorStaysReal) {
  const auto sdfg = parse(R"sdfg(
sdfg real(A: float64[2], Z: complex128[2], B: complex128[8])
  state s
    n0 = access A
    n1 = map m (i) in [0:2]
      n2 = tasklet t: |
        | o[0] = z * a
        | o[1] = a - z
        | o[2] = z / a
        | o[3] = a / z
    n3 = exit n1
    n4 = access B
    n5 = access Z
    n0 -> n1.IN_a : A[0:2]
    n1.OUT_a -> n2.a : A[i]
    n5 -> n1.IN_z : Z[0:2]
    n1.OUT_z -> n2.z : Z[i]
    n2.o -> n3.IN_o : B[4*i:4*i + 4]
    n3.OUT_o -> n4 : B[0:8]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  NdArray a = doubles({2});
  const double infinite = INFINITY;
  std::memcpy(a.bytes.data(), &infinite, sizeof infinite);
  NdArray z = NdArray::zeros(BaseType::Complex128, {2});
  const double numbers[] = {1, -0.0, -0.0, 2};
  std::memcpy(z.bytes.data(), numbers, sizeof numbers);
  expect_same(*sdfg, {{"A", a}, {"Z", z}, {"B", NdArray::zeros(BaseType::Complex128, {8})}});
}

// Wider values are cut where the symbol gets them, not where it is read.
TEST(CpuBackend, SymbolsHoldWhatTheirTypeHolds) {
  const auto sdfg = parse(R"sdfg(
sdfg narrow(A: int64[1], B: int64[2])
  symbol c: int8
  symbol d: int32
  state first
  state second
    n0 = tasklet t: "o = c"
    n1 = tasklet t: "o = d"
    n2 = access B
    n0.o -> n2 : B[0]
    n1.o -> n2 : B[1]
  first -> second set c = A[0], d = A[0] * 1000
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  NdArray a = NdArray::zeros(BaseType::Int64, {1});
  const std::int64_t wide = 3000000300;
  std::memcpy(a.bytes.data(), &wide, sizeof wide);
  expect_same(*sdfg, {{"A", a}, {"B", NdArray::zeros(BaseType::Int64, {2})}});
}

TEST(CpuBackend, CopiesThatTurnAShape) {
  const auto sdfg = parse(R"sdfg(
sdfg turn(A: float64[N, M], B: float64[M, N])
  symbol N: int64
  symbol M: int64
  state s
    n0 = access A
    n1 = access B
    n0 -> n1 : A[0:N, 0:M] -> [0:M, 0:N]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", doubles({4, 6})}, {"B", doubles({6, 4})}, {"N", integer(4)},
                      {"M", integer(6)}});
}

TEST(CpuBackend, SizesThatAnEdgeSets) {
  const auto member = parse(R"sdfg(
sdfg late(A: float64[n], B: float64[n])
  symbol n: int64
  symbol k: int64
  transient s: structure S(v: float64[k], c: int64) of pointer(struct(S, {v = pointer(float64), c = int64}, {v = "k"}, 16))[1]
  transient q: stream float64[k]
  state first
  state second
    n0 = access A
    n1 = access s.v
    n0 -> n1 : A[0:k] -> [0:k]
  state third
    n0 = access s.v
    n1 = map m (i) in [0:k]
      n2 = tasklet t: "o = x"
    n3 = exit n1
    n4 = access q
    n0 -> n1.IN_x : s.v[0:k]
    n1.OUT_x -> n2.x : s.v[i]
    n2.o -> n3.IN_o : q[i]
    n3.OUT_o -> n4 : q[0:k]
  state fourth
    n0 = access q
    n1 = map m (i) in [0:k]
      n2 = tasklet t: "o = x * 2"
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_x : q[0:k]
    n1.OUT_x -> n2.x : q[i]
    n2.o -> n3.IN_o : B[i]
    n3.OUT_o -> n4 : B[0:k]
  first -> second set k = n
  second -> third
  third -> fourth
)sdfg");
  ASSERT_TRUE(member) << member.error().text();
  expect_same(*member, {{"A", doubles({2000})}, {"B", doubles({2000})}, {"n", integer(2000)}});
  const auto zeros = parse(R"sdfg(
sdfg zeros(B: float64[2, 4])
  symbol n: int64
  state s
    n0 = map m (i) in [0:2] {schedule = Sequential}
      n1 = nested_sdfg inner with (n)
        sdfg inner(X: float64[4])
          symbol n: int64
          symbol k: int64
          transient late: float64[k]
          state a
          state b
            n0 = tasklet t: "o = 1"
            n1 = access late {setzero = true}
            n0.o -> n1 : late[1] {wcr = "lambda a, b: a + b"}
          state c
            n0 = access late
            n1 = access X
            n0 -> n1 : late[0:4] -> [0:4]
          a -> b set k = n
          b -> c
    n2 = exit n0
    n3 = access B
    n0 -> n1
    n1.X -> n2.IN_X : B[i, 0:4]
    n2.OUT_X -> n3 : B[0:2, 0:4]
)sdfg");
  ASSERT_TRUE(zeros) << zeros.error().text();
  expect_same(*zeros, {{"B", doubles({2, 4})}, {"n", integer(4)}});
}

// As in DaCe, only `1` makes an edge unconditional, which counts last.
TEST(CpuBackend, TrueIsAConditionAmongOthers) {
  const auto sdfg = parse(R"sdfg(
sdfg true_edge(B: float64[1])
  symbol a: int64
  state s0
  state s1
    n0 = tasklet t: "o = 1"
    n1 = access B
    n0.o -> n1 : B[0]
  state s2
    n0 = tasklet t: "o = 2"
    n1 = access B
    n0.o -> n1 : B[0]
  s0 -> s1 if "True"
  s0 -> s2 if "a < 0"
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"B", doubles({1})}, {"a", integer(-7)}});
}

TEST(CpuBackend, ParametersCalledLikeSymbols) {
  const auto sdfg = parse(R"sdfg(
sdfg hides(A: int64[20], B: int64[20])
  symbol N: int64
  state s
    n1 = map m (N) in [0:N]
      n2 = tasklet t: "b = N"
    n3 = exit n1
    n4 = access A
    n1 -> n2
    n2.b -> n3.IN_A : A[N]
    n3.OUT_A -> n4 : A[0:N]
    n5 = tasklet t: "b = N"
    n6 = access B
    n5.b -> n6 : B[2]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  const NdArray twenty = NdArray::zeros(BaseType::Int64, {20});
  expect_same(*sdfg, {{"A", twenty}, {"B", twenty}, {"N", integer(7)}});
}

// Indices have 64 bits and a sign whatever the symbols' types; code is typed as the symbols are.
TEST(CpuBackend, IndicesOfUnsignedSymbols) {
  const auto sdfg = parse(R"sdfg(
sdfg unsigned_sizes(B: float64[8], limit: uint32[1], U: uint32[1], C: int64[4])
  symbol N: uint32
  symbol d: int32
  state s
    n0 = map few (i) in [0:N - 5] {schedule = Sequential}
      n1 = tasklet t: "o = 1"
    n2 = exit n0
    n3 = access B
    n0 -> n1
    n1.o -> n2.IN_o : B[Min(i, 3)]
    n2.OUT_o -> n3 : B[0:8]
    n4 = access limit
    n5 = map few (i) in [0:end - 3] in (end) {schedule = Sequential}
      n6 = tasklet t: "o = 1"
    n7 = exit n5
    n4 -> n5.end : limit[0]
    n5 -> n6
    n6.o -> n7.IN_o : B[Min(i, 3) + 4]
    n7.OUT_o -> n3 : B[0:8]
    n8 = access U
    n9 = tasklet t: "o = u + d"
    n10 = tasklet t: "o = 2 ** d"
    n11 = tasklet t: "o = N - 5"
    n12 = access C
    n8 -> n9.u : U[0]
    n9.o -> n12 : C[0]
    n10.o -> n12 : C[1]
    n11.o -> n12 : C[2]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  const NdArray two = NdArray::of<std::uint32_t>({1}, {2});
  expect_same(*sdfg, {{"B", doubles({8})},
                      {"limit", two},
                      {"U", two},
                      {"C", NdArray::zeros(BaseType::Int64, {4})},
                      {"N", NdArray::scalar(std::uint32_t(3))},
                      {"d", NdArray::scalar(std::int32_t(-7))}});
}

TEST(CpuBackend, NestedSymbolsHoldWhatTheirTypeHolds) {
  const auto sdfg = parse(R"sdfg(
sdfg wide(C: int64[2])
  symbol N: int64
  state s
    n1 = nested_sdfg inner with (k = N, b = N + 300)
      sdfg inner(X: int64[2])
        symbol k: int32
        symbol b: uint8
        state t
          n0 = tasklet t: "o = k"
          n1 = tasklet t: "o = b"
          n2 = access X
          n0.o -> n2 : X[0]
          n1.o -> n2 : X[1]
    n2 = access C
    n1.X -> n2 : C[0:2]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg,
              {{"C", NdArray::zeros(BaseType::Int64, {2})}, {"N", integer(8589934597)}});
}

// Each of them may be on the stack; all of them have no room there.
TEST(CpuBackend, ManyArraysInAParallelMap) {
  constexpr int count = 180;
  std::string arrays, nodes, edges;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i), tasklet = std::to_string(1000 + i),
                      access = std::to_string(2000 + i), next = std::to_string(1001 + i);
    arrays += "  transient t" + n + ": float64[8000]\n";
    nodes += "      n" + tasklet + " = tasklet t: \"o = x + 1\"\n";
    nodes += "      n" + access + " = access t" + n + "\n";
    edges += "    n" + tasklet + ".o -> n" + access + " : t" + n + "[7999]\n";
    edges += "    n" + access + " -> n" + next + ".x : t" + n + "[7999]\n";
  }
  const std::string last = "n" + std::to_string(1000 + count);
  const auto sdfg = parse("sdfg many(A: float64[4], B: float64[4])\n" + arrays + R"sdfg(  state s
    n0 = access A
    n1 = map m (p) in [0:4]
)sdfg" + nodes + "      " + last + R"sdfg( = tasklet t: "o = x"
    n2 = exit n1
    n3 = access B
    n0 -> n1.IN_A : A[0:4]
    n1.OUT_A -> n1000.x : A[p]
)sdfg" + edges + "    " + last + R"sdfg(.o -> n2.IN_B : B[p]
    n2.OUT_B -> n3 : B[0:4]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", doubles({4})}, {"B", doubles({4})}});
}

TEST(CpuBackend, WhatCodeHandsToCodeIsConverted) {
  const auto sdfg = parse(R"sdfg(
sdfg handed(A: float64[2], B: float64[4])
  state s
    n0 = access A
    n1 = tasklet whole out (y: float64): "y = a * 3"
    n2 = tasklet half in (x: int32): "o = x / 2"
    n3 = tasklet third out (y: float64): "y = a / 3"
    n4 = tasklet back in (x: float32): |
      | if x > 0:
      |   o = x * 3
      | else:
      |   o = x
    n5 = tasklet small out (y: float16): "y = a / 3"
    n6 = tasklet twice in (x: float16): "o = x * 3 + x"
    n7 = access B
    n0 -> n1.a : A[0]
    n1.y -> n2.x
    n2.o -> n7 : B[0]
    n0 -> n3.a : A[1]
    n3.y -> n4.x
    n4.o -> n7 : B[1]
    n0 -> n5.a : A[1]
    n5.y -> n6.x
    n6.o -> n7 : B[2]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", NdArray::of<double>({2}, {1.5, 7.9})}, {"B", doubles({4})}});
}

TEST(CpuBackend, ResolutionsThatReadSymbols) {
  const auto sdfg = parse(R"sdfg(
sdfg resolves(C: float64[2])
  symbol N: int64
  state s
    n0 = tasklet t: "o = 5"
    n1 = access C
    n0.o -> n1 : C[1] {wcr = "lambda a, b: a * N + b"}
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"C", doubles({2})}, {"N", integer(3)}});
}

TEST(CpuBackend, NamesThatAreCppWords) {
  Builder b("words");
  b.symbol("int");
  b.array("class", BaseType::Float64, "int");
  b.array("long", BaseType::Float64, "int");
  b.state("new").map("for", "double", "0:int", {{"signed", "class[double]"}}, "this = signed + 1.0",
                     {{"this", "long[double]"}});
  expect_same(b.take(), {{"class", doubles({3})}, {"long", doubles({3})}, {"int", integer(3)}});
}

TEST(CpuBackend, NestedSdfgsCalledLikeAParameter) {
  const auto sdfg = parse(R"sdfg(
sdfg hidden(A: float64[4], B: float64[4])
  state s
    n0 = access A
    n1 = map m (i) in [0:4]
      n2 = nested_sdfg i
        sdfg inner(p: float64, q: float64)
          state t
            n0 = access p
            n1 = tasklet t: "o = a + 1"
            n2 = access q
            n0 -> n1.a : p[0]
            n1.o -> n2 : q[0]
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[0:4]
    n1.OUT_A -> n2.p : A[i]
    n2.q -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:4]
)sdfg");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  expect_same(*sdfg, {{"A", doubles({4})}, {"B", doubles({4})}});
}

TEST(CpuBackend, NamesWithUnderscoresBehindCppWords) {
  Builder b("words");
  b.array("new", BaseType::Float64, "3");
  b.array("new_", BaseType::Float64, "3");
  b.state("s").map("m", "i", "0:3", {{"a", "new[i]"}}, "o = a + 1.0", {{"o", "new_[i]"}});
  expect_same(b.take(), {{"new", doubles({3})}, {"new_", doubles({3})}});
}

TEST(CpuBackend, ACrashIsAnError) {
  Builder b("crash");
  b.array("A", BaseType::Float64, "1");
  b.state("main").tasklet("t", {{"a", "A[0]"}}, "o = a", {{"o", "A[0]"}});
  Sdfg sdfg = b.take();
  for_each_node(sdfg, [](Node& node) {
    if (auto* tasklet = node.as<Tasklet>())
      tasklet->code = Code("__builtin_trap();", Language::Cpp);
  });
  const auto executed = cpu_backend(options())(sdfg, {{"A", doubles({1})}});
  ASSERT_FALSE(executed);
  EXPECT_EQ(executed.error().message, "the program was ended by signal 4 (Illegal instruction)");
}

TEST(Build, IsCachedByContentAndTellsErrors) {
  BuildOptions o = options();
  o.cache = testing::TempDir() + "sdfg-build-test";
  std::filesystem::remove_all(o.cache);
  Bundle bundle{.name = "p",
                .files = {{"p.cpp", "int main() { return 1; }\n"}},
                .arguments = {},
                .init_arguments = {}};
  const auto first = build(bundle, o), second = build(bundle, o);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->cached);
  EXPECT_TRUE(second->cached);
  EXPECT_EQ(first->path, second->path);
  o.flags.push_back("-g");
  EXPECT_FALSE(build(bundle, o)->cached);
  bundle.files[0].text = "int main() { return x; }\n";
  const auto wrong = build(bundle, o);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("was not declared"), std::string::npos)
      << wrong.error().text();
  EXPECT_NE(wrong.error().hint.find("p.cpp"), std::string::npos);
  o.compiler = "no-such-compiler";
  EXPECT_EQ(build(bundle, o).error().message, "the compiler 'no-such-compiler' cannot be run");
}

TEST(Build, TakesOverFromAKilledBuild) {
  BuildOptions o = options();
  o.cache = testing::TempDir() + "sdfg-build-killed";
  std::filesystem::remove_all(o.cache);
  const Bundle bundle{.name = "p",
                      .files = {{"p.cpp", "int main() { return 2; }\n"}},
                      .arguments = {},
                      .init_arguments = {}};
  const auto first = build(bundle, o);
  ASSERT_TRUE(first);
  // As if the process had died between writing and renaming.
  const std::filesystem::path folder = std::filesystem::path(first->path).parent_path();
  std::filesystem::rename(folder, folder.string() + ".tmp");
  std::ofstream(folder.string() + ".tmp/p") << "half";
  const auto again = build(bundle, o);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->cached);
  EXPECT_GT(std::filesystem::file_size(again->path), 1000u);
}

TEST(GenerateCpu, RefusesWithAPlace) {
  Builder b("gpu");
  b.array("A", BaseType::Float64, "4");
  auto state = b.state("main");
  state.open_map("kernel", "i", "0:4", {}, Schedule::GpuDevice);
  state.tasklet("t", {{"a", "A[i]"}}, "o = a", {{"o", "A[i]"}});
  state.close_map();
  const auto bundle = generate_cpu(b.take());
  ASSERT_FALSE(bundle);
  EXPECT_NE(bundle.error().place.find("state main"), std::string::npos);
  EXPECT_NE(bundle.error().message.find("GPU_Device"), std::string::npos);
}

TEST(GenerateCpu, SameInSameOut) {
  Builder b("same");
  b.array("A", BaseType::Float64, "4");
  b.state("main").map("m", "i", "0:4", {{"a", "A[i]"}}, "o = a", {{"o", "A[i]"}});
  const Sdfg sdfg = b.take(), copy = sdfg;
  EXPECT_EQ(single_file(*generate_cpu(sdfg)), single_file(*generate_cpu(copy)));
  EXPECT_EQ(sdfg, copy);
}

}  // namespace
}  // namespace sdfg
