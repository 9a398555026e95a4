#include "ir/analysis/signature.h"

#include <gtest/gtest.h>

#include "ir/analysis/free_symbols.h"
#include "ir/parse.h"

namespace sdfg {
namespace {

Sdfg program(std::string_view text) {
  Result<Sdfg> sdfg = parse(text);
  EXPECT_TRUE(sdfg) << (sdfg ? "" : sdfg.error().text());
  return *std::move(sdfg);
}

/// "float64* A, int32 n" or the error.
std::string text(const Result<std::vector<Argument>>& arguments) {
  if (!arguments) return arguments.error().text();
  std::string all;
  for (const Argument& a : *arguments)
    all += (all.empty() ? "" : ", ") + a.type.text() + (a.pointer ? "* " : " ") + a.name;
  return all;
}

TEST(Signature, PointersThenValuesEachSortedByName) {
  const Sdfg sdfg = program(R"sdfg(
sdfg p(a: float64[N], Z: float64[N], m: int32, g: int32 {storage = GPU_Global}, __dace_x: int32)
  symbol N: int64
  symbol Unused: int32
  transient t: float64[N]
  state main
    n0 = access a
    n1 = access Z
    n0 -> n1 : a[0:N]
)sdfg");
  EXPECT_EQ(text(signature(sdfg)), "float64* Z, float64* a, int64 N, int32* g, int32 m");
  EXPECT_EQ(text(init_signature(sdfg)), "int64 N");
}

TEST(Signature, AShapeAloneNeedsNoArgument) {
  EXPECT_EQ(text(signature(program(R"sdfg(
sdfg p(A: float64[N, M])
  symbol N: int32
  symbol M: int32
  state main
)sdfg"))),
            "float64* A, int32 M");  // the stride of the first dimension
}

TEST(Signature, SinceDace200a9DescriptorsOfUnusedContainersNeedNoArgument) {
  const auto arguments = [](std::string_view version) {
    Sdfg sdfg = program(R"sdfg(
sdfg p(A: float64[N, M], B: float64[N, K], C: float64[N, L])
  symbol N: int32
  symbol M: int32
  symbol K: int32
  symbol L: int32
  state first
    n0 = access A
    n1 = nested_sdfg inner with (Z = L)
      sdfg inner(a: float64[2])
        symbol Z: int32
        transient unused: float64[Z, Z]
        state main
    n0 -> n1.a : A[0, 0:2]
  state last
  first -> last if "B[0, 0] > 0"
)sdfg");
    sdfg.dace_version = version;
    return text(signature(sdfg));
  };
  const std::string all = "float64* A, float64* B, float64* C, int32 K, int32 L, int32 M";
  for (const auto* before : {"", "1.0.2", "2.0.0a6", "2.0.0a8"}) EXPECT_EQ(arguments(before), all);
  for (const auto* since : {"2.0.0a9", "2.0.0a10", "2.0.0b1", "2.0.0", "2.1.0"})
    EXPECT_EQ(arguments(since), "float64* A, float64* B, float64* C, int32 K, int32 M");
}

TEST(Signature, AUsedSymbolMustBeDeclared) {
  EXPECT_EQ(text(signature(program(R"sdfg(
sdfg p(A: float64[N, M])
  state main
)sdfg"))),
            "sdfg p: symbol 'M' is used but not declared, so its type is unknown; declare it among "
            "the SDFG's symbols");
}

TEST(Signature, WhatAnEdgeOrLoopAssignsFirstIsNoArgument) {
  EXPECT_EQ(text(signature(program(R"sdfg(
sdfg p(A: int32[4])
  symbol i: int32
  symbol j: int32
  symbol k: int32
  symbol n: int32
  state first
  loop l (i) from "i = 0" while "i < n" next "i = i + k"
    state body
  first -> l set j = A[0], k = k + 1
)sdfg"))),
            "int32* A, int32 k, int32 n");
}

TEST(Signature, NestedSdfgsNeedWhatTheirCodeNeeds) {
  EXPECT_EQ(text(signature(program(R"sdfg(
sdfg p(A: float64[4])
  symbol a: int32
  symbol b: int32
  state main
    n0 = nested_sdfg inner with (x = a, y = b)
      sdfg inner(X: float64[y] {total_size = 4})
        symbol x: int32
        symbol y: int32
        state only
          n0 = tasklet t: "o = x"
          n1 = access X
          n0.o -> n1 : X[0]
    n1 = access A
    n0.X -> n1 : A[0:4]
)sdfg"))),
            "float64* A, int32 a");
}

TEST(Signature, ExponentsAreNoNames) {
  std::vector<std::string> words;
  for_each_word("e = 1e5 + 2e-3 + e5 + x1", [&](std::string_view w) { words.emplace_back(w); });
  EXPECT_EQ(words, (std::vector<std::string>{"e", "e5", "x1"}));
}

}  // namespace
}  // namespace sdfg
