#include "tools/common/run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "ir/parse.h"
#include "tools/common/arguments.h"
#include "tools/common/conditions.h"

namespace sdfg {
namespace {

NdArray doubles(std::vector<double> values) {
  NdArray a = NdArray::zeros(BaseType::Float64, {std::int64_t(values.size())});
  std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  return a;
}

Sdfg increment() {
  auto parsed = parse(R"(
sdfg increment(A: float64[3])
  state main
    n0 = access A
    n1 = map (i) in [0:3]
      n2 = tasklet t: "o = a + 1"
    n3 = exit n1
    n4 = access A
    n0 -> n1.IN_A : A[0:3]
    n1.OUT_A -> n2.a : A[i]
    n2.o -> n3.IN_A : A[i]
    n3.OUT_A -> n4 : A[0:3]
)");
  EXPECT_TRUE(parsed);
  return *parsed;
}

Result<RunReport> against(std::vector<double> recorded) {
  return run_and_compare(increment(),
                         {{"in:A", doubles({1, 2, NAN})}, {"out:A", doubles(std::move(recorded))}},
                         interpreter_backend());
}

TEST(Run, TheSameBitsAreTheSame) {
  const auto report = against({2, 3, NAN});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_TRUE(report->bit_for_bit());
}

TEST(MadeArguments, ASymbolHasTheExtentOfAGivenArray) {
  const auto sdfg = parse("sdfg sized(A: float64[N], B: float64[N + 1])\n  symbol N: int64\n");
  ASSERT_TRUE(sdfg);
  const auto made = make_arguments(*sdfg, {.size = 8, .given = {{"A", doubles({1, 2, 3})}}});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->at("B").shape, std::vector<std::int64_t>{4});
}

std::int64_t first_byte(const NamedArrays& made, const std::string& name) {
  return std::int64_t(made.at(name).bytes[0]);
}

TEST(MadeArguments, RangesAreNotEmpty) {
  const auto sdfg = parse(R"(
sdfg ranges(A: float64[last - first, N], B: float64[N - 2])
  symbol N: int32
  symbol first: int32
  symbol last: int32
  symbol middle: int32
  state main
    n0 = map low (i, k) in [first:middle, 0:N]
    n1 = exit n0
    n2 = map high (i) in [middle:last]
    n3 = exit n2
)");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  const auto made = make_arguments(*sdfg, {.size = 8});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(first_byte(*made, "first"), 0);
  EXPECT_EQ(first_byte(*made, "middle"), 4);
  EXPECT_EQ(first_byte(*made, "last"), 8);
  EXPECT_EQ(made->at("A").shape, (std::vector<std::int64_t>{8, 8}));
  EXPECT_EQ(made->at("B").shape, std::vector<std::int64_t>{6});
}

TEST(MadeArguments, ConstantsDecideWhatOthersAre) {
  const auto sdfg = parse(
      "sdfg columns(A: float64[N, M] {strides = [sA, sB], total_size = sA*N + sB*M})\n"
      "  symbol M: int32\n  symbol N: int64\n  symbol sA: int64\n  symbol sB: int64\n");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  const auto made = make_arguments(*sdfg, {.size = 8, .constants = {{"sA", 1}, {"N", 3}}});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->at("A").shape, (std::vector<std::int64_t>{3, 8}));
  EXPECT_EQ(first_byte(*made, "sA"), 1);
  EXPECT_EQ(first_byte(*made, "sB"), 3);
}

TEST(MadeArguments, StridesKeepElementsApart) {
  // B raises the stride that A shares with it; a stride that is an extent, too, is an extent.
  const auto sdfg = parse(
      "sdfg strided(A: float64[N, M, 2] {strides = [sA, sB, 1], total_size = sA*N},\n"
      "    B: float64[N, M] {strides = [sB, 1], total_size = sB*N},\n"
      "    C: float64[M, N] {strides = [N, sC], total_size = N*M})\n"
      "  symbol M: int32\n  symbol N: int64\n  symbol sA: int64\n  symbol sB: int64\n"
      "  symbol sC: int32\n");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  NdArray three = NdArray::zeros(BaseType::Int32, {});
  three.bytes[0] = std::byte(3);
  const auto made = make_arguments(*sdfg, {.size = 5, .given = {{"M", three}}});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(first_byte(*made, "sB"), 3);
  EXPECT_EQ(first_byte(*made, "sA"), 9);
  EXPECT_EQ(first_byte(*made, "sC"), 1);
  EXPECT_EQ(first_byte(*made, "N"), 5);
}

TEST(MadeArguments, AssumptionsDecideWhatOthersAre) {
  const auto sdfg = parse(
      "sdfg assumed(A: float64[N, M] {strides = [sA, sB], total_size = sA*N + sB*M}, K: int32)\n"
      "  symbol M: int32\n  symbol N: int64\n  symbol sA: int64\n  symbol sB: int64\n");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  const auto assume = parse_conditions("sA == 1, N*N == 49, M + 2*K == 3*N, K > 4");
  ASSERT_TRUE(assume) << assume.error().text();
  const auto made = make_arguments(*sdfg, {.size = 8, .assume = *assume});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(first_byte(*made, "N"), 7);
  EXPECT_EQ(first_byte(*made, "K"), 8);
  EXPECT_EQ(made->at("A").shape, (std::vector<std::int64_t>{7, 5}));
  EXPECT_EQ(first_byte(*made, "sA"), 1);
  EXPECT_EQ(first_byte(*made, "sB"), 7);  // N elements of stride 1
}

TEST(MadeArguments, GivenValuesMayContradictAnAssumption) {
  const auto sdfg = parse("sdfg sized(A: float64[N], B: float64[N + 1], K: int32)\n"
                          "  symbol N: int64\n");
  ASSERT_TRUE(sdfg);
  const auto assume = parse_conditions("N > K, K > 5");
  ASSERT_TRUE(assume);
  const NamedArrays given{{"A", doubles({1, 2, 3})}};
  const auto made = make_arguments(*sdfg, {.given = given, .assume = *assume});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("contradict the assumption"), std::string::npos)
      << made.error().text();
}

TEST(Run, ScalarsAreNoResults) {
  const auto sdfg = parse("sdfg scalars(a: int32, b: int32)\n");
  ASSERT_TRUE(sdfg);
  const auto report = run_and_compare(*sdfg, {}, [](const Sdfg&, NamedArrays arguments) {
    return Result<Executed>(Executed{std::move(arguments), {}});
  });
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(to_text(*report), "nothing to compare: none of the arguments is an array\n");
}

TEST(Run, ADifferenceIsMeasured) {
  const auto report = against({2, 4, NAN});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_FALSE(report->bit_for_bit());
  EXPECT_EQ(report->outputs[0].unequal, 1u);
  EXPECT_EQ(report->outputs[0].largest_absolute, 1);
  EXPECT_EQ(report->outputs[0].largest_relative, 0.25);
  EXPECT_TRUE(report->within(0.25));
  EXPECT_FALSE(report->within(0.2));
}

TEST(Run, NanWhereNoneWasRecordedIsWrongAtAnyTolerance) {
  const auto report = against({2, 3, 4});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->outputs[0].nonfinite, 1u);
  EXPECT_FALSE(report->within(1e300));
}

TEST(Run, WithoutARecordedOutputThereIsNothingToCompare) {
  const auto report =
      run_and_compare(increment(), {{"in:A", doubles({1, 2, 3})}}, interpreter_backend());
  ASSERT_FALSE(report);
  EXPECT_EQ(
      report.error().text(),
      "the data has no recorded output to compare with; outputs are entries named 'out:NAME', "
      "inputs 'in:NAME'");
}

TEST(Run, ARecordHasTheArgumentsBeforeAndAfterTheCall) {
  const NamedArrays given = {{"in:A", doubles({1, 2, 3})}, {"out:A", doubles({0, 0, 0})}};
  const auto all = run_and_record(increment(), given, interpreter_backend());
  ASSERT_TRUE(all) << all.error().text();
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ(all->at("in:A").bytes, doubles({1, 2, 3}).bytes);
  EXPECT_EQ(all->at("out:A").bytes, doubles({2, 3, 4}).bytes);
}

TEST(Run, AnOutputOfAnotherShapeIsAnError) {
  const auto report = against({2, 3});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().text(), "output 'A': has the shape [3], recorded is [2]");
}

}  // namespace
}  // namespace sdfg
