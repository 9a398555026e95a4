#include <gtest/gtest.h>

#include <cstring>

#include "codegen/interpreter.h"
#include "ir/parse.h"

namespace sdfg {
namespace {

NdArray zeros(std::int64_t count, BaseType type = BaseType::Float64) {
  return NdArray::zeros(type, {count});
}

ExecutionCounts count(std::string_view text, NamedArrays arguments) {
  const auto sdfg = parse(text);
  if (!sdfg) {
    ADD_FAILURE() << sdfg.error().text();
    return {};
  }
  auto execution = interpret(*sdfg, std::move(arguments), {.count = true});
  if (!execution) {
    ADD_FAILURE() << execution.error().text();
    return {};
  }
  return *execution->counts;
}

TEST(Counts, AMapMovesEachElementOnce) {
  const ExecutionCounts c = count(
      "sdfg twice(A: float64[8], B: float64[8])\n"
      "  state s\n"
      "    n0 = access A\n"
      "    n1 = map m (i) in [0:4]\n"
      "      n2 = tasklet t: \"o = a + b\"\n"
      "    n3 = exit n1\n"
      "    n4 = access B\n"
      "    n0 -> n1.IN_A : A[0:8]\n"
      "    n1.OUT_A -> n2.a : A[i]\n"
      "    n1.OUT_A -> n2.b : A[i + 1]\n"  // four elements of these are read before
      "    n2.o -> n3.IN_B : B[i]\n"
      "    n3.OUT_B -> n4 : B[0:4]\n",
      {{"A", zeros(8)}, {"B", zeros(8)}});
  ASSERT_EQ(c.kernels.size(), 1u);
  EXPECT_EQ(c.kernels[0].kind, "map");
  EXPECT_EQ(c.kernels[0].points, 4u);
  EXPECT_EQ(c.bytes_read(), 5u * 8);
  EXPECT_EQ(c.bytes_written(), 4u * 8);
  EXPECT_EQ(c.lower_bound(), 9u * 8);
  EXPECT_EQ(c.transient_bytes, 0u);
}

TEST(Counts, AGatherCountsTheTableAndWhatItFinds) {
  NdArray table = zeros(4, BaseType::Int32);
  const std::int32_t indices[] = {7, 7, 2, 7};
  std::memcpy(table.bytes.data(), indices, sizeof indices);
  const ExecutionCounts c = count(
      "sdfg gather(A: float64[8], B: float64[4], T: int32[4])\n"
      "  state s\n"
      "    n0 = access A\n"
      "    n5 = access T\n"
      "    n1 = map m (i) in [0:4]\n"
      "      n2 = tasklet t: \"o = a[k]\"\n"
      "    n3 = exit n1\n"
      "    n4 = access B\n"
      "    n0 -> n1.IN_A : A[0:8]\n"
      "    n5 -> n1.IN_T : T[0:4]\n"
      "    n1.OUT_A -> n2.a : A[0:8]\n"
      "    n1.OUT_T -> n2.k : T[i]\n"
      "    n2.o -> n3.IN_B : B[i]\n"
      "    n3.OUT_B -> n4 : B[0:4]\n",
      {{"A", zeros(8)}, {"B", zeros(4)}, {"T", table}});
  EXPECT_EQ(c.bytes_read(), 4u * 4 + 2 * 8);
  EXPECT_EQ(c.bytes_written(), 4u * 8);
}

constexpr std::string_view looped =
    "sdfg looped(A: float64[8])\n"
    "  symbol n: int64\n"
    "  symbol i: int64\n"
    "  loop l (i) from \"i = 0\" while \"i < n\" next \"i = i + 1\"\n"
    "    conditional c\n"
    "      branch yes if \"i > 0\"\n"
    "        state s\n"
    "          n0 = map m (j) in [0:i - 1]\n"  // empty for i = 1
    "            n1 = tasklet t: \"o = 1\"\n"
    "          n2 = exit n0\n"
    "          n3 = access A\n"
    "          n0 -> n1\n"
    "          n1.o -> n2.IN_A : A[j]\n"
    "          n2.OUT_A -> n3 : A[0:i - 1]\n";

TEST(Counts, WhatRunsIsCountedAsOftenAsItRuns) {
  NdArray n = NdArray::zeros(BaseType::Int64, {});
  const std::int64_t five = 5;
  std::memcpy(n.bytes.data(), &five, sizeof five);
  const ExecutionCounts c = count(looped, {{"A", zeros(8)}, {"n", n}});
  EXPECT_EQ(c.launches(), 3u);
  EXPECT_EQ(c.bytes_written(), (1u + 2 + 3) * 8);
  EXPECT_EQ(c.lower_bound(), 3u * 8);
}

/// A is copied to t, t to u, u to A: t and u are in use together only while one is copied to the
/// other, and x within one kernel.
constexpr std::string_view chain =
    "sdfg chain(A: float64[8])\n"
    "  transient t: float64[8]\n"
    "  transient u: float64[8]\n"
    "  transient v: float64[8]\n"
    "  transient x: float64\n"
    "  state s\n"
    "    n0 = access A\n"
    "    n1 = access t\n"
    "    n2 = access u\n"
    "    n3 = access v\n"
    "    n4 = map m (i) in [0:8]\n"
    "      n5 = tasklet f: \"o = a\"\n"
    "      n6 = access x\n"
    "      n7 = tasklet g: \"o = a\"\n"
    "    n8 = exit n4\n"
    "    n9 = access A\n"
    "    n0 -> n1 : A[0:8] -> [0:8]\n"
    "    n1 -> n2 : t[0:8] -> [0:8]\n"
    "    n2 -> n3 : u[0:8] -> [0:8]\n"
    "    n3 -> n4.IN_v : v[0:8]\n"
    "    n4.OUT_v -> n5.a : v[i]\n"
    "    n5.o -> n6 : x[0]\n"
    "    n6 -> n7.a : x[0]\n"
    "    n7.o -> n8.IN_A : A[i]\n"
    "    n8.OUT_A -> n9 : A[0:8]\n";

TEST(Counts, TransientsLiveFromTheirFirstAccessToTheirLast) {
  const ExecutionCounts c = count(chain, {{"A", zeros(8)}});
  EXPECT_EQ(c.launches(), 4u);
  EXPECT_EQ(c.bytes(), 8u * 64);
  EXPECT_EQ(c.lower_bound(), 2u * 64);
  EXPECT_EQ(c.transient_bytes, 3u * 64);
  EXPECT_EQ(c.peak_transient_bytes, 2u * 64);
}

TEST(Counts, WhatTheProgramWroteItselfIsNotNeeded) {
  const ExecutionCounts c = count(
      "sdfg own(A: float64[4], B: float64[4])\n"
      "  state first\n"
      "    n0 = access A\n"
      "    n1 = tasklet t: \"o = 1\"\n"
      "    n1.o -> n0 : A[0]\n"
      "  state second\n"
      "    n0 = access A\n"
      "    n1 = access B\n"
      "    n0 -> n1 : A[0:4] -> [0:4]\n"
      "  first -> second\n",
      {{"A", zeros(4)}, {"B", zeros(4)}});
  EXPECT_EQ(c.argument_bytes_read, 3u * 8);
  EXPECT_EQ(c.argument_bytes_written, 5u * 8);
  EXPECT_EQ(c.host_bytes_written, 8u);  // a tasklet outside of maps is no kernel
  EXPECT_EQ(c.launches(), 1u);
}

TEST(Counts, OnADeviceWhatTheHostDoesIsNoKernel) {
  const ExecutionCounts c = count(
      "sdfg device(A: float64[4] {storage = GPU_Global}, B: float64[4] {storage = CPU_Heap})\n"
      "  transient h: float64[4] {storage = CPU_Heap}\n"
      "  transient d: float64[4] {storage = GPU_Global}\n"
      "  state s\n"
      "    n0 = access B\n"
      "    n1 = access h\n"
      "    n2 = access d\n"
      "    n3 = map m (i) in [0:4] {schedule = GPU_Device}\n"
      "      n4 = tasklet f: \"o = a\"\n"
      "    n5 = exit n3\n"
      "    n6 = access A\n"
      "    n7 = map host (i) in [0:4] {schedule = Sequential}\n"
      "      n8 = tasklet f: \"o = 0\"\n"
      "    n9 = exit n7\n"
      "    n10 = access B\n"
      "    n7 -> n8\n"
      "    n8.o -> n9.IN_B : B[i]\n"
      "    n9.OUT_B -> n10 : B[0:4]\n"
      "    n0 -> n1 : B[0:4] -> [0:4]\n"
      "    n1 -> n2 : h[0:4] -> [0:4]\n"
      "    n2 -> n3.IN_d : d[0:4]\n"
      "    n3.OUT_d -> n4.a : d[i]\n"
      "    n4.o -> n5.IN_A : A[i]\n"
      "    n5.OUT_A -> n6 : A[0:4]\n",
      {{"A", zeros(4)}, {"B", zeros(4)}});
  ASSERT_EQ(c.kernels.size(), 2u);
  EXPECT_EQ(c.kernels[0].kind, "copy");
  EXPECT_EQ(c.kernels[1].kind, "map");
  EXPECT_EQ(c.bytes(), 4u * 32);
  EXPECT_EQ(c.host_bytes_read, 32u);
}

}  // namespace
}  // namespace sdfg
