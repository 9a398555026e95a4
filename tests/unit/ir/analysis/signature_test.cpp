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
