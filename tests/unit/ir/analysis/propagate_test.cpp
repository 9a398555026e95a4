#include "ir/analysis/propagate.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "tests/unit/ir/print_expr.h"

namespace sdfg {
namespace {

class Propagate : public testing::Test {
 protected:
  Propagate() {
    b.symbol("N");
    b.symbol("M");
    b.array("A", BaseType::Float64, "N, M");
    b.array("I", BaseType::Int64, "N");
    b.array("B", BaseType::Float64, "N, M");
  }
  /// The memlet between the container's outermost access node and the scope, after every memlet
  /// outside of the innermost scope was lost and found again.
  static std::string outside(Sdfg sdfg, const std::string& data,
                             const Assumptions& assumptions = {}) {
    State& state = *sdfg[*sdfg.nodes().begin()].as<State>();
    for (const EdgeId e : state.edges()) {
      const bool inner = !state[state.source(e)].is_code() && !state[state.target(e)].is_code();
      Memlet& m = state[e].memlet;
      if (inner && m.subset()) m.subset()->ranges.assign(m.subset()->rank(), Range::index(77));
    }
    propagate_memlets(sdfg, state, assumptions);
    for (const EdgeId e : state.edges())
      for (const NodeId n : {state.source(e), state.target(e)})
        if (const auto* access = state[n].as<AccessNode>(); access && access->data == data) {
          const Memlet& m = state[e].memlet;
          return to_text(*m.subset()) + " volume " + to_text(m.volume) +
                 (m.dynamic ? " dynamic" : "");
        }
    return "no such edge";
  }
  Builder b{"program"};
};

TEST_F(Propagate, StencilInNestedMaps) {
  StateBuilder s = b.state("main");
  s.open_map("rows", "i", "1:N - 1");
  s.open_map("columns", "j", "0:M");
  s.tasklet("sum", {{"a", "A[i - 1, j]"}, {"b", "A[i + 1, j]"}}, "c = a + b", {{"c", "B[i, j]"}});
  s.close_map();
  s.close_map();
  Assumptions large;
  large.assume("N", 3, {});
  large.assume("M", 1, {});
  const Sdfg stencil = b.take();
  EXPECT_EQ(outside(stencil, "A", large), "0:N, 0:M volume 2*M*N - 4*M");
  EXPECT_EQ(outside(stencil, "B", large), "1:N - 1, 0:M volume M*N - 2*M");
}

TEST_F(Propagate, AnIndirectDimensionIsTheWholeExtent) {
  b.state("main").map("gather", "i", "0:N", {{"a", "A[I[i], 3]"}}, "c = a", {{"c", "B[i, 0]"}});
  EXPECT_EQ(outside(b.take(), "A"), "0:N, 3 volume N");
}

TEST_F(Propagate, WhatOnlyTheScopeKnowsIsNotMentionedOutside) {
  b.scalar("n", BaseType::Int64);
  StateBuilder s = b.state("main");
  s.open_map("dynamic", "i", "0:n_in", {{"n_in", "n"}});
  s.tasklet("copy", {{"a", "A[i, 0]"}}, "c = a", {{"c", "B[i, 2:5]"}});
  s.close_map();
  const Sdfg program = b.take();
  EXPECT_EQ(outside(program, "A"), "0:N, 0 volume 0 dynamic");
  EXPECT_EQ(outside(program, "B"), "0:N, 2:5 volume 0 dynamic");
}

TEST_F(Propagate, TriangularMaps) {
  StateBuilder s = b.state("main");
  s.open_map("rows", "i", "0:N");
  s.open_map("columns", "j", "0:i + 1");
  s.tasklet("copy", {{"a", "A[i, j]"}}, "c = a", {{"c", "B[j, i]"}});
  s.close_map();
  s.close_map();
  EXPECT_EQ(outside(b.take(), "A"), "0:N, 0:N volume 0 dynamic");
}

TEST_F(Propagate, ResolutionOfConflictsIsCarriedOutward) {
  b.array("sum", BaseType::Float64, "1");
  b.state("main").map("reduce", "i", "0:N", {{"a", "A[i, 0]"}}, "c = a",
                      {{"c", "sum[0]", "lambda x, y: x + y"}});
  Sdfg sdfg = b.take();
  State& state = *sdfg[*sdfg.nodes().begin()].as<State>();
  for (const EdgeId e : state.edges())
    if (state[state.source(e)].is_exit()) state[e].memlet.wcr.reset();
  propagate_memlets(sdfg);
  for (const EdgeId e : state.edges())
    if (state[state.source(e)].is_exit()) {
      ASSERT_TRUE(state[e].memlet.wcr);
      EXPECT_EQ(detect_reduction(*state[e].memlet.wcr), Reduction::Sum);
      EXPECT_EQ(to_text(state[e].memlet.volume), "N");
    }
}

}  // namespace
}  // namespace sdfg
