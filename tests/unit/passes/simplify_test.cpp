#include <gtest/gtest.h>

#include "ir/parse.h"
#include "ir/print.h"
#include "passes/simplify/dead_state_elimination.h"

namespace sdfg {
namespace {

TEST(DeadStateElimination, LeavesARegionAloneWhoseFirstBlockCannotBeTold) {
  // The verifier rejects such a program, so no text case can show it.
  auto sdfg = parse("sdfg two_starts() {start = none}\n  state first\n  state second\n");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  PassContext context("dead-state-elimination");
  context.collect_remarks = true;
  EXPECT_EQ(*DeadStateElimination::run(*sdfg, {}, context), Changed::No);
  ASSERT_EQ(context.remarks.size(), 1u);
  EXPECT_EQ(context.remarks[0].message, "the region's first block cannot be told");
  EXPECT_EQ(sdfg->node_count(), 2u);
}

}  // namespace
}  // namespace sdfg
