#include "codegen/interpreter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "ir/parse.h"

namespace sdfg {
namespace {

template <class T>
constexpr BaseType base_of = std::is_same_v<T, double>         ? BaseType::Float64
                             : std::is_same_v<T, float>        ? BaseType::Float32
                             : std::is_same_v<T, std::int64_t> ? BaseType::Int64
                             : std::is_same_v<T, bool>         ? BaseType::Bool
                                                               : BaseType::Int32;

template <class T>
NdArray array(std::vector<T> values) {
  NdArray a = NdArray::zeros(base_of<T>, {std::int64_t(values.size())});
  std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  return a;
}
template <class T>
NdArray value(T v) {
  NdArray a = NdArray::zeros(base_of<T>, {});
  std::memcpy(a.bytes.data(), &v, sizeof v);
  return a;
}
template <class T>
std::vector<T> values(const NdArray& a) {
  std::vector<T> v(a.count());
  std::memcpy(v.data(), a.bytes.data(), a.bytes.size());
  return v;
}

Result<Execution> run(std::string_view text, NamedArrays arguments,
                      const InterpreterOptions& options = {}) {
  SDFG_TRY(const Sdfg sdfg, parse(text));
  return interpret(sdfg, std::move(arguments), options);
}
std::string error_of(std::string_view text, NamedArrays arguments,
                     const InterpreterOptions& options = {}) {
  const auto result = run(text, std::move(arguments), options);
  return result ? "no error" : result.error().text();
}

/// What `o = CODE` stores into a float64, for x = 7 (int32), y = -2 (int32), f = 2.5 (float32),
/// d = 0.1 (float64).
double tasklet(const std::string& code) {
  const auto result = run(
      "sdfg t(d: float64, f: float32, r: float64[1], x: int32, y: int32)\n"
      "  state s\n"
      "    n0 = access x\n    n1 = access y\n    n2 = access f\n    n3 = access d\n"
      "    n4 = tasklet t: \"o = " + code + "\"\n"
      "    n5 = access r\n"
      "    n0 -> n4.x : x[0]\n    n1 -> n4.y : y[0]\n    n2 -> n4.f : f[0]\n    n3 -> n4.d : d[0]\n"
      "    n4.o -> n5 : r[0]\n",
      {{"x", value<std::int32_t>(7)}, {"y", value<std::int32_t>(-2)}, {"f", value(2.5f)},
       {"d", value(0.1)}, {"r", array<double>({0})}});
  if (!result) ADD_FAILURE() << code << ": " << result.error().text();
  return result ? values<double>(result->arguments.at("r"))[0] : 0;
}

TEST(Interpreter, ArithmeticHasTheTypesOfCpp) {
  EXPECT_EQ(tasklet("x / y"), -3);           // truncates
  EXPECT_EQ(tasklet("x // y"), -3);          // as DaCe prints it
  EXPECT_EQ(tasklet("x % y"), 1);            // sign of the dividend
  EXPECT_EQ(tasklet("f // d"), 25);          // floor of the rounded quotient
  EXPECT_EQ(tasklet("x / 2.0"), 3.5);
  EXPECT_EQ(tasklet("f * 0.1"), 2.5 * 0.1);  // a literal is a double
  EXPECT_EQ(tasklet("f * dace.float32(0.1)"), double(2.5f * 0.1f));
  EXPECT_EQ(tasklet("2147483647 + x"), double(std::int32_t(-2147483642)));  // wraps
  EXPECT_EQ(tasklet("dace.int64(2147483647) + x"), 2147483654.0);
  EXPECT_EQ(tasklet("x ** 3"), 343);
  EXPECT_EQ(tasklet("x ** -1"), 0);          // reciprocal of an int
  EXPECT_EQ(tasklet("d ** 3"), (0.1 * 0.1) * 0.1);
  EXPECT_EQ(tasklet("d ** 0.5"), std::sqrt(0.1));
  EXPECT_EQ(tasklet("x ** 0.5"), 2);         // cut to an int
  EXPECT_EQ(tasklet("x ** y"), 0);           // two int give one
  EXPECT_EQ(tasklet("2 ** dace.int8(y)"), 0.25);
  EXPECT_EQ(tasklet("pow(x, y)"), std::pow(7.0, -2.0));  // C's
  EXPECT_EQ(tasklet("np_float_pow(x, y)"), std::pow(7.0, -2.0));
  EXPECT_EQ(tasklet("x * -2147483648"), -15032385536.0);
  EXPECT_EQ(tasklet("y + 4000000000"), 3999999998.0);
  EXPECT_EQ(tasklet("d ** (1 / 2)"), std::sqrt(0.1));
  EXPECT_EQ(tasklet("d ** (3 / 2)"), std::pow(0.1, 1.5));
  EXPECT_EQ(tasklet("(x > 3) + (y > 3)"), 1);
  EXPECT_EQ(tasklet("x and y"), 1);          // a truth value, not an operand
  EXPECT_EQ(tasklet("x & 3"), 3);
  EXPECT_EQ(tasklet("~x"), -8);
  EXPECT_EQ(tasklet("x << 2"), 28);
  EXPECT_EQ(tasklet("-x if y > 0 else d"), 0.1);
  // Hashes and random numbers have constants that only uint64 holds.
  EXPECT_EQ(tasklet("18446744073709551615"), 18446744073709551616.0);
  EXPECT_EQ(tasklet("(dace.uint64(x) * 0x9E3779B97F4A7C15) >> 33"), 700590601);
}

TEST(Interpreter, FunctionsAreThoseOfTheRuntime) {
  EXPECT_EQ(tasklet("math.exp(d)"), std::exp(0.1));
  EXPECT_EQ(tasklet("math.exp(f)"), double(std::exp(2.5f)));
  EXPECT_EQ(tasklet("math.sqrt(x)"), 2);     // math.f gives back the argument's type
  EXPECT_EQ(tasklet("sqrt(x)"), std::sqrt(7.0));
  EXPECT_EQ(tasklet("abs(y)"), 2);
  EXPECT_EQ(tasklet("max(x, d, f)"), 7);
  EXPECT_EQ(tasklet("min(x, y)"), -2);
  EXPECT_EQ(tasklet("int(f)"), 2);
  EXPECT_EQ(tasklet("math.ifloor(-f)"), -3);
  EXPECT_EQ(tasklet("math.pow(d, f)"), std::pow(0.1, 2.5));
  // One operation, though the C library's pow rounds these otherwise.
  constexpr double x = 0.16105494233317086, y = -0.5552398428578524;
  EXPECT_EQ(tasklet("math.pow(0.16105494233317086, 2.0)"), x * x);
  EXPECT_EQ(tasklet("math.pow(-0.5552398428578524, -1.0)"), 1 / y);
}

// As in DaCe, blocks side by side may give a name values of two types.
TEST(Interpreter, LocalsLiveInTheirBlocks) {
  EXPECT_EQ(tasklet("0\\nif y > 0:\\n  z = 1\\n  o = z / 2\\n"
                    "else:\\n  z = 2.5\\n  o = z / 2"), 1.25);
  EXPECT_EQ(tasklet("0\\nif x > 0:\\n  z = x\\no = z / 2"), 3);
}

TEST(Interpreter, ConversionsAndPowersOfGt4pyCartesian) {
  EXPECT_EQ(tasklet("int64_t(f)"), 2);
  EXPECT_EQ(tasklet("uint8_t(y)"), 254);
  EXPECT_EQ(tasklet("dace.math.ipow(f, int64_t(2))"), 6.25);
  EXPECT_EQ(tasklet("dace.math.ipow(d, x - 4)"), 0.1 * 0.1 * 0.1);
  EXPECT_EQ(tasklet("dace.math.ipow(d, 0)"), 0.1);  // as DaCe's: at least one factor
}

TEST(Interpreter, AComparisonWithNanGivesTheSecondOperand) {
  EXPECT_EQ(tasklet("min(math.nan, d)"), 0.1);
  EXPECT_TRUE(std::isnan(tasklet("min(d, math.nan)")));
  EXPECT_EQ(std::signbit(tasklet("min(-0.0, 0.0)")), false);
}

constexpr std::string_view scale = R"(
sdfg scale(A: float64[N], B: float64[N])
  symbol N: int64
  state main
    n0 = access A
    n1 = map (i) in [0:N]
      n2 = tasklet t: "b = 2 * a"
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[0:N]
    n1.OUT_A -> n2.a : A[i]
    n2.b -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:N]
)";

TEST(Interpreter, AMapRunsItsBodyForEveryPoint) {
  const auto result =
      run(scale, {{"A", array<double>({1, 2, 3})}, {"B", array<double>({0, 0, 0})}});
  ASSERT_TRUE(result) << result.error().text();  // N follows from the shape of A
  EXPECT_EQ(values<double>(result->arguments.at("B")), (std::vector<double>{2, 4, 6}));
}

TEST(Interpreter, ArgumentsAreChecked) {
  EXPECT_EQ(error_of(scale, {{"A", array<double>({1, 2})}}),
            "argument 'B': the program needs it, but it is not given; add in:B to the data");
  EXPECT_EQ(error_of(scale, {{"A", array<double>({1, 2})}, {"B", array<float>({1, 2})}}),
            "argument 'B': expected values of type float64, found float32");
  EXPECT_EQ(error_of(scale, {{"A", array<double>({1, 2})}, {"B", array<double>({1, 2, 3})}}),
            "argument 'B': expected the shape [2], found [3]");
  const auto with = [](NdArray n) {
    return error_of("sdfg s(A: float64[1])\n  symbol n: int32\n  state main\n"
                    "    n0 = tasklet t: \"a = n\"\n    n1 = access A\n    n0.a -> n1 : A[0]\n",
                    {{"A", array<double>({0})}, {"n", std::move(n)}});
  };
  EXPECT_EQ(with(value<std::int64_t>(std::int64_t(1) << 32)),
            "argument 'n': its value does not fit in the type int32");
  EXPECT_EQ(with(value<double>(1.5)), "argument 'n': its value does not fit in the type int32");
}

TEST(Interpreter, AnAccessOutOfBoundsStopsWithItsPlace) {
  constexpr std::string_view text = R"(
sdfg bad(A: float64[4], k: int32)
  state main
    n0 = access A
    n1 = map (i) in [0:5]
      n2 = tasklet t: "b = i"
    n3 = exit n1
    n1 -> n2
    n2.b -> n3.IN_A : A[i]
    n3.OUT_A -> n0 : A[0:5]
)";
  EXPECT_EQ(error_of(text, {{"A", array<double>({0, 0, 0, 0})}, {"k", value<std::int32_t>(0)}}),
            "state main / edge n2.b -> n3.IN_A: access out of bounds: A[4], whose shape is [4]; "
            "check the subset or index, and the values of its symbols");
}

TEST(Interpreter, ReadingWhatWasNeverWrittenIsAWarning) {
  constexpr std::string_view text = R"(
sdfg unwritten(A: float64[2], B: float64[2])
  transient t: float64[2]
  transient u: float64[2]
  state first
    n0 = tasklet one: "o = 1.0"
    n1 = access t
    n0.o -> n1 : t[0]
  state second
    n0 = access t
    n1 = access A
    n2 = access u
    n3 = tasklet use: "o = i + 1"
    n4 = access B
    n0 -> n1 : t[0:2] -> [0:2]
    n2 -> n3.i : u[1]
    n3.o -> n4 : B[0]
  first -> second
)";
  const auto result = run(text, {{"A", array<double>({5, 5})}, {"B", array<double>({5, 5})}});
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_EQ(result->warnings.size(), 2u);
  EXPECT_EQ(
      result->warnings[0].text(),
      "state second / edge n0 -> n1: warning: reads an element of 't' that was never written");
  EXPECT_EQ(
      result->warnings[1].text(),
      "state second / edge n2 -> n3.i: warning: reads an element of 'u' that was never written");
  EXPECT_EQ(result->arbitrary.at("A").bytes, (std::vector{std::byte{0}, std::byte{1}}));
  EXPECT_EQ(result->arbitrary.contains("B"), false);
}

TEST(Interpreter, WhatAProgramLeavesOpenMayTurnOutTheOtherWay) {
  const char* text =
      "sdfg open(A: float64[1], B: float64[1], C: float64[1])\n"
      "  transient T: float64[1]\n"
      "  state s\n"
      "    n0 = tasklet one: \"o = 1\"\n"
      "    n1 = tasklet two: \"o = 2\"\n"
      "    n2 = access A\n"
      "    n3 = map m (i) in [0:7:3]\n"
      "      n4 = tasklet last: \"o = i\"\n"
      "    n5 = exit n3\n"
      "    n6 = access B\n"
      "    n7 = access T\n"
      "    n8 = access C\n"
      "    n0.o -> n2 : A[0]\n"
      "    n1.o -> n2 : A[0]\n"
      "    n3 -> n4\n"
      "    n4.o -> n5.IN_B : B[0]\n"
      "    n5.OUT_B -> n6 : B[0]\n"
      "    n7 -> n8 : T[0] -> [0]\n";
  const NamedArrays arguments{
      {"A", array<double>({0})}, {"B", array<double>({0})}, {"C", array<double>({0})}};
  const auto one = run(text, arguments), other = run(text, arguments, {.adverse = true});
  ASSERT_TRUE(one && other);
  EXPECT_EQ(values<double>(one->arguments.at("A")), std::vector<double>{2});
  EXPECT_EQ(values<double>(other->arguments.at("A")), std::vector<double>{1});
  EXPECT_EQ(values<double>(one->arguments.at("B")), std::vector<double>{6});
  EXPECT_EQ(values<double>(other->arguments.at("B")), std::vector<double>{0});
  EXPECT_TRUE(std::isnan(values<double>(other->arguments.at("C"))[0]));
}

TEST(Interpreter, LoopsBreakContinueAndConditionals) {
  constexpr std::string_view text = R"(
sdfg control(A: int64[10])
  symbol i: int64
  loop l (i) from "i = 0" while "i < 10" next "i = i + 1"
    conditional choice
      branch small if "i < 2"
        continue skip
      branch large if "i == 6"
        break leave
      branch rest
        state write
          n0 = tasklet t: "o = i * i"
          n1 = access A
          n0.o -> n1 : A[i]
)";
  const auto result = run(text, {{"A", array<std::int64_t>(std::vector<std::int64_t>(10, -1))}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<std::int64_t>(result->arguments.at("A")),
            (std::vector<std::int64_t>{-1, -1, 4, 9, 16, 25, -1, -1, -1, -1}));
}

TEST(Interpreter, AnInvertedLoopRunsOnceAtLeast) {
  constexpr std::string_view text = R"(
sdfg inverted(A: int64[1])
  symbol k: int64
  state init
  loop l (k) from "k = 5" while "k < 3" next "k = k + 1" {inverted = true}
    state body
      n0 = tasklet t: "o = k"
      n1 = access A
      n0.o -> n1 : A[0]
  init -> l
)";
  const auto result = run(text, {{"A", array<std::int64_t>({0})}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<std::int64_t>(result->arguments.at("A"))[0], 5);
}

TEST(Interpreter, EdgesAssignAtOnceAfterTheirCondition) {
  constexpr std::string_view text = R"(
sdfg edges(A: int64[2], n: int64)
  symbol a: int64
  symbol b: int64
  state first
  state second
  state wrong
  state last
    n0 = tasklet t: |
      | x = a
      | y = b
    n1 = access A
    n0.x -> n1 : A[0]
    n0.y -> n1 : A[1]
  first -> second set a = n, b = A[1]
  second -> wrong if "a > 100"
  second -> last if "a < 100" set a = a + 1
)";
  const auto result =
      run(text, {{"A", array<std::int64_t>({8, 9})}, {"n", value<std::int64_t>(3)}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<std::int64_t>(result->arguments.at("A")), (std::vector<std::int64_t>{4, 9}));
}

TEST(Interpreter, ANestedSdfgSeesAWindowByReference) {
  constexpr std::string_view text = R"(
sdfg outer(A: float64[4, 5])
  state main
    n0 = access A
    n1 = map (i) in [0:2]
      n2 = nested_sdfg inner with (k = i + 1)
        sdfg inner(X: float64[2] {strides = [5]})
          symbol k: int64
          state only
            n0 = tasklet t: "o = k"
            n1 = access X
            n0.o -> n1 : X[1]
    n3 = exit n1
    n1 -> n2
    n2.X -> n3.IN_A : A[2*i:2*i + 2, 3]
    n3.OUT_A -> n0 : A[0:4, 3]
)";
  NdArray a = NdArray::zeros(BaseType::Float64, {4, 5});
  const auto result = run(text, {{"A", a}});
  ASSERT_TRUE(result) << result.error().text();
  const auto v = values<double>(result->arguments.at("A"));
  EXPECT_EQ(v[1 * 5 + 3], 1);
  EXPECT_EQ(v[3 * 5 + 3], 2);
  EXPECT_EQ(std::count(v.begin(), v.end(), 0), 18);
}

TEST(Interpreter, ControlFlowReadsNoViewBeforeItIsShown) {
  constexpr std::string_view text = R"(
sdfg early(A: float64[8, 4])
  symbol k: int64
  transient v: view float64[4]
  state zero
  state one
    n0 = access A
    n1 = access v
    n0 -> n1.views : A[2, 0:4] -> [0:4]
  zero -> one set k = v[2] + 7
)";
  EXPECT_EQ(error_of(text, {{"A", NdArray::zeros(BaseType::Float64, {8, 4})}}),
            "edge zero -> one: control flow reads view 'v', and no state before has an access node "
            "of it; read what the view shows");
}

TEST(Interpreter, ConflictingWritesAreResolved) {
  constexpr std::string_view text = R"(
sdfg sum(A: float64[4], S: float64[2])
  state main
    n0 = access A
    n1 = map (i) in [0:4]
      n2 = tasklet t: |
        | s = a
        | m = a
    n3 = exit n1
    n4 = access S
    n0 -> n1.IN_A : A[0:4]
    n1.OUT_A -> n2.a : A[i]
    n2.s -> n3.IN_s : S[0] {wcr = "lambda old, new: old + new"}
    n2.m -> n3.IN_m : S[1] {wcr = "lambda x, y: x * 2 + y"}
    n3.OUT_s -> n4 : S[0] {wcr = "lambda old, new: old + new"}
    n3.OUT_m -> n4 : S[1] {wcr = "lambda x, y: x * 2 + y"}
)";
  const auto result =
      run(text, {{"A", array<double>({1, 2, 3, 4})}, {"S", array<double>({10, 0})}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<double>(result->arguments.at("S")), (std::vector<double>{20, 26}));
}

TEST(Interpreter, CopiesReshapeAndViewsShareMemory) {
  constexpr std::string_view text = R"(
sdfg shapes(A: float64[2, 3], B: float64[6])
  transient v: view float64[3, 2]
  state main
    n0 = access A
    n1 = access B
    n0 -> n1 : A[0:2, 0:3] -> [0:6]
  state second
    n0 = access B
    n1 = access v
    n2 = tasklet t: "o = 100"
    n2.o -> n1 : v[2, 0]
    n1 -> n0 : B[0:6]
  main -> second
)";
  NdArray a = array<double>({0, 1, 2, 3, 4, 5});
  a.shape = {2, 3}, a.strides = {3, 1};
  const auto result = run(text, {{"A", a}, {"B", array<double>({0, 0, 0, 0, 0, 0})}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<double>(result->arguments.at("B")),
            (std::vector<double>{0, 1, 2, 3, 100, 5}));
}

TEST(Interpreter, AStreamIsConsumedUntilItIsEmpty) {
  constexpr std::string_view text = R"(
sdfg fibonacci(A: int32[1], R: int32[1])
  transient S: stream int32[1]
  state main
    n0 = access A
    n1 = access S
    n2 = consume c (p) {num_pes = 4}
      n3 = tasklet t: |
        | if s == 1:
        |   r = 1
        | elif s > 1:
        |   again = s - 1
        |   again = s - 2
    n4 = consume_exit n2
    n5 = access S
    n6 = access R
    n0 -> n1 : A[0]
    n1 -> n2.IN_stream : S[0] {volume = 0, dynamic = true}
    n2.OUT_stream -> n3.s : S[0]
    n3.again -> n4.IN_S : S[0] {volume = 0, dynamic = true}
    n3.r -> n4.IN_R : R[0] {dynamic = true, wcr = "lambda a, b: a + b"}
    n4.OUT_S -> n5 : S[0] {volume = 0, dynamic = true}
    n4.OUT_R -> n6 : R[0] {dynamic = true, wcr = "lambda a, b: a + b"}
)";
  const auto result =
      run(text, {{"A", array<std::int32_t>({10})}, {"R", array<std::int32_t>({0})}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<std::int32_t>(result->arguments.at("R"))[0], 55);
}

TEST(Interpreter, WhatIsConsumedGoesAnywhere) {
  // Into a map, a copy and a nested SDFG, beside an array that comes through the scope, too.
  constexpr std::string_view text = R"(
sdfg places(A: int64[4], B: int64[4], R: int64[1])
  transient q: stream int64[2]
  transient e: int64
  state fill
    n0 = access A
    n1 = access q
    n0 -> n1 : A[0:4] -> [1]
  state main
    n0 = access q
    n1 = access A
    n2 = consume c (p) {num_pes = 2}
      n3 = map each (j) in [0:2]
        n4 = tasklet at: "o[k] = 10 * a[k]"
      n5 = exit n3
      n6 = access e
      n7 = nested_sdfg inner
        sdfg inner(x: int64, y: int64, z: int64)
          state s
            n0 = access x
            n1 = access y
            n2 = tasklet t: "o = a + b"
            n3 = access z
            n0 -> n2.a : x[0]
            n1 -> n2.b : y[0]
            n2.o -> n3 : z[0] {wcr = "lambda old, new: old + new"}
    n8 = consume_exit n2
    n9 = access B
    n10 = access R
    n0 -> n2.IN_stream : q[1] {volume = 0, dynamic = true}
    n2.OUT_stream -> n3.IN_k : q[1]
    n3.OUT_k -> n4.k : q[1]
    n1 -> n2.IN_A : A[0:4]
    n2.OUT_A -> n3.IN_A : A[0:4]
    n3.OUT_A -> n4.a : A[0:4]
    n4.o -> n5.IN_B : B[0:4] {volume = 0, dynamic = true}
    n5.OUT_B -> n8.IN_B : B[0:4] {volume = 0, dynamic = true}
    n8.OUT_B -> n9 : B[0:4] {volume = 0, dynamic = true}
    n2.OUT_stream -> n6 : q[1] -> [0]
    n2.OUT_stream -> n7.x : q[1]
    n6 -> n7.y : e[0]
    n7.z -> n8.IN_R : R[0]
    n8.OUT_R -> n10 : R[0]
  fill -> main
)";
  const auto result = run(text, {{"A", array<std::int64_t>({3, 1, 2, 0})},
                                 {"B", array<std::int64_t>({0, 0, 0, 0})},
                                 {"R", array<std::int64_t>({0})}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<std::int64_t>(result->arguments.at("B")),
            (std::vector<std::int64_t>{30, 10, 20, 0}));
  EXPECT_EQ(values<std::int64_t>(result->arguments.at("R"))[0], 12);
}

TEST(Interpreter, MembersBelongToWhoOwnsTheStructure) {
  constexpr std::string_view text = R"(
sdfg members(A: float64[4], B: float64[4])
  transient S: structure P(x: float64[4], y: float64[2]) of pointer(struct(P, {x = pointer(float64), y = pointer(float64)}, {x = "4", y = "2"}, 16))[1]
  transient v: view float64[2]
  state main
    n0 = access A
    n1 = access S.x
    n2 = access S.y
    n3 = access v
    n4 = access B
    n0 -> n1 : A[0:4] -> [0:4]
    n1 -> n2 : S.x[1:3] -> [0:2]
    n2 -> n3.views : S.y[0:2] -> [0:2]
    n1 -> n4 : S.x[0:2] -> [0:2]
    n3 -> n4 : v[0:2] -> [2:4]
)";
  const auto result =
      run(text, {{"A", array<double>({1, 2, 3, 4})}, {"B", array<double>({0, 0, 0, 0})}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<double>(result->arguments.at("B")), (std::vector<double>{1, 2, 2, 3}));
}

TEST(Interpreter, AReductionKeepsTheOrderOfItsInput) {
  constexpr std::string_view text = R"(
sdfg reduce(A: float64[2, 3], B: float64[2])
  state main
    n0 = access A
    n1 = library dace.libraries.standard.nodes.reduce.Reduce r {name = "r", extras = {
        wcr = "lambda a, b: a - b", axes = [1], identity = 10}}
    n2 = access B
    n0 -> n1 : A[0:2, 0:3]
    n1 -> n2 : B[0:2]
)";
  NdArray a = array<double>({1, 2, 3, 4, 5, 6});
  a.shape = {2, 3}, a.strides = {3, 1};
  const auto result = run(text, {{"A", a}, {"B", array<double>({0, 0})}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<double>(result->arguments.at("B")), (std::vector<double>{4, -5}));
}

TEST(Interpreter, SymbolsAreNotChangedByTasklets) {
  EXPECT_EQ(error_of(R"sdfg(
sdfg doubling(x: float64[1])
  symbol i: int64
  state s
    n0 = tasklet twice: "x_out = 2\ni *= 2"
    n1 = access x
    n0.x_out -> n1 : x[0]
)sdfg", {{"x", array<double>({0})}, {"i", value<std::int64_t>(1)}}),
            "state s / node 0 (tasklet twice): 'i' is changed, which is no value of the tasklet; "
            "an edge between states can assign a symbol");
}

TEST(Interpreter, StructuresAreValues) {
  // Members are assigned, chosen between, copied, reduced, and read on an edge.
  constexpr std::string_view text = R"sdfg(
sdfg pairs(A: float64[3], B: float64[3], R: float64[1])
  symbol k: int64
  transient T: struct(pair, {n = int32, v = float64}, {}, 12)[3]
  transient U: struct(pair, {n = int32, v = float64}, {}, 12)[3]
  transient S: struct(pair, {n = int32, v = float64}, {}, 12)[1]
  state main
    n0 = access A
    n1 = map make (i) in [0:3]
    n2 = tasklet make: "b = __DACESTRUCT_pair(n=i, v=a)\nb.v = b.v * 2\nq = b\nb = q if a > 1 else pair(v=a)"
    n3 = exit n1
    n4 = access T
    n5 = access U
    n6 = map read (i) in [0:3]
    n7 = tasklet read: "b = a[2 - i].v + a[i].n"
    n8 = exit n6
    n9 = access B
    n10 = tasklet start: "b = pair(0, 100)"
    n11 = access S
    n12 = map reduce (i) in [0:3]
    n13 = tasklet reduce: "b = a"
    n14 = exit n12
    n15 = access S
    n0 -> n1.IN_A : A[0:3]
    n1.OUT_A -> n2.a : A[i]
    n2.b -> n3.IN_T : T[i]
    n3.OUT_T -> n4 : T[0:3]
    n4 -> n5 : T[0:3] -> [0:3]
    n5 -> n6.IN_U : U[0:3]
    n6.OUT_U -> n7.a : U[0:3]
    n7.b -> n8.IN_B : B[i]
    n8.OUT_B -> n9 : B[0:3]
    n10.b -> n11 : S[0]
    n11 -> n12
    n4 -> n12.IN_T : T[0:3]
    n12.OUT_T -> n13.a : T[i]
    n13.b -> n14.IN_S : S[0] {wcr = "lambda x, y: pair(n=x.n + y.n, v=y.v if y.v < x.v else x.v)"}
    n14.OUT_S -> n15 : S[0] {wcr = "lambda x, y: pair(n=x.n + y.n, v=y.v if y.v < x.v else x.v)"}
  state last
    n0 = access S
    n1 = tasklet sum: "b = a.v + k"
    n2 = access R
    n0 -> n1.a : S[0]
    n1.b -> n2 : R[0]
  main -> last set k = 1000 * S[0].n
)sdfg";
  const auto result = run(text, {{"A", array<double>({1, 2, 3})}, {"B", array<double>({0, 0, 0})},
                                 {"R", array<double>({0})}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<double>(result->arguments.at("B")), (std::vector<double>{6, 5, 3}));
  EXPECT_EQ(values<double>(result->arguments.at("R"))[0], 3001);
}

TEST(Interpreter, AValueAsWhatAnotherOneIs) {
  // NumPy's linspace, as DaCe's front end spells it: in integers, 1 / 2 would be 0.
  constexpr std::string_view text = R"sdfg(
sdfg linspace(A: float64[1])
  state main
    n0 = tasklet t: "o = 0 + decltype(o)((2 - 1)) / decltype(o)(2)"
    n1 = access A
    n0.o -> n1 : A[0]
)sdfg";
  const auto result = run(text, {{"A", array<double>({0})}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<double>(result->arguments.at("A"))[0], 0.5);
}

TEST(Interpreter, AComplexNumberAsWhatAnotherOneIs) {
  constexpr std::string_view text = R"sdfg(
sdfg parts(A: float64[1])
  transient z: complex128
  state main
    n0 = tasklet t: "o = decltype(o)(1.5, -2) * 2"
    n1 = access z
    n2 = tasklet u: "o = abs(v)"
    n3 = access A
    n0.o -> n1 : z[0]
    n1 -> n2.v : z[0]
    n2.o -> n3 : A[0]
)sdfg";
  const auto result = run(text, {{"A", array<double>({0})}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(values<double>(result->arguments.at("A"))[0], 5);
}

// The parts of numbers, and those of what has none.
TEST(Interpreter, FunctionsThatHandOnTheirResults) {
  constexpr std::string_view text = R"(
sdfg parts(a: float64, b: float32, o: float64[7])
  state s
    n0 = access a
    n1 = access b
    n2 = tasklet t: |
      | np_modf(x, whole, part)
      | o[0] = whole
      | o[1] = part
      | np_modf(dace.float64(3), whole, part)
      | o[2] = whole + part
      | np_frexp(y, size, power)
      | o[3] = size
      | o[4] = power
      | np_modf(y / 0, whole, part)
      | o[5] = whole
      | o[6] = part
    n3 = access o
    n0 -> n2.x : a[0]
    n1 -> n2.y : b[0]
    n2.o -> n3 : o[0:7]
)";
  const auto result = run(
      text, {{"a", value(-3.75)}, {"b", value(20.0f)}, {"o", array(std::vector<double>(7))}});
  ASSERT_TRUE(result) << result.error().text();
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values<double>(result->arguments.at("o")),
            (std::vector<double>{-3, -0.75, 3, 0.625, 5, infinite, 0}));
}

// Functions of NumPy that C++ has not, or not for complex numbers.
TEST(Interpreter, FunctionsOfNumPy) {
  constexpr std::string_view text = R"(
sdfg functions(a: float64, b: float64, o: float64[8])
  state s
    n0 = access a
    n1 = access b
    n2 = tasklet t: |
      | py_divmod(x, y, q, r)
      | o[0] = q
      | o[1] = r
      | z = dace.complex128(x, y)
      | o[2] = imag(exp2(z))
      | o[3] = imag(log2(z))
      | o[4] = real(expm1(z))
      | o[5] = real(log1p(z))
      | o[6] = np_float_pow(x, y) + imag(round(z))
      | o[7] = real(sign(z)) + 4 * imag(sign_numpy_2(z)) + 16 * sign_numpy_2(y)
    n3 = access o
    n0 -> n2.x : a[0]
    n1 -> n2.y : b[0]
    n2.o -> n3 : o[0:8]
)";
  const std::complex<double> z(-3.5, 2);
  const auto result = run(
      text, {{"a", value(-3.5)}, {"b", value(2.0)}, {"o", array(std::vector<double>(8))}});
  ASSERT_TRUE(result) << result.error().text();
  const std::vector<double> o = values<double>(result->arguments.at("o"));
  const std::vector<double> expected{-2, 0.5, std::exp(z * std::log(2.0)).imag(),
                                     std::log(z).imag() / std::log(2.0), std::exp(z).real() - 1,
                                     std::log(z + 1.0).real(), 12.25 + 2,
                                     -1 + 4 * 2 / std::abs(z) + 16};
  for (std::size_t i = 0; i < o.size(); ++i) EXPECT_NEAR(o[i], expected[i], 1e-14) << i;
}

TEST(Interpreter, AStructureIsNoNumber) {
  constexpr std::string_view text = R"sdfg(
sdfg pairs(B: float64[1])
  transient T: struct(pair, {n = int32, v = float64}, {}, 12)[1]
  state main
    n0 = tasklet make: "b = pair(n=1, v=2)"
    n1 = access T
    n2 = tasklet read: "b = a + 1"
    n3 = access B
    n0.b -> n1 : T[0]
    n1 -> n2.a : T[0]
    n2.b -> n3 : B[0]
)sdfg";
  EXPECT_EQ(error_of(text, {{"B", array<double>({0})}}),
            "state main / node 2 (tasklet read): C++ has no arithmetic on structures");
}

TEST(Interpreter, OpaqueCodeIsRefusedWithItsPlace) {
  constexpr std::string_view text = R"(
sdfg opaque_code(A: float64[1])
  state main
    n0 = tasklet c: CPP "o = 1;"
    n1 = access A
    n0.o -> n1 : A[0]
)";
  EXPECT_EQ(error_of(text, {{"A", array<double>({0})}}),
            "state main / node 0 (tasklet c): the code of the tasklet is CPP, the interpreter runs "
            "Python; use the cpu backend");
}

TEST(Interpreter, AProgramThatDoesNotEndReachesTheStepLimit) {
  constexpr std::string_view text = R"(
sdfg endless(A: float64[1])
  loop forever while "1 > 0"
    state body
)";
  const std::string error = error_of(text, {{"A", array<double>({0})}}, {.step_limit = 1000});
  EXPECT_NE(error.find("the step limit is reached"), std::string::npos) << error;
}

TEST(Interpreter, DividingAnIntegerByZeroStops) {
  constexpr std::string_view text = R"(
sdfg divide(A: int32[1])
  state main
    n0 = access A
    n1 = tasklet t: "o = 1 / a"
    n2 = access A
    n0 -> n1.a : A[0]
    n1.o -> n2 : A[0]
)";
  EXPECT_EQ(error_of(text, {{"A", array<std::int32_t>({0})}}),
            "state main / node 1 (tasklet t): an integer is divided by zero");
}

}  // namespace
}  // namespace sdfg
