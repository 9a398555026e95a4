#include "ir/walk.h"

#include <gtest/gtest.h>

namespace sdfg {
namespace {

Block state_with_access(const char* label, const char* data) {
  State state;
  state.add(Node{AccessNode{data}});
  return Block{label, std::move(state)};
}

/// s0; loop { s1; if { s2 } else { nested SDFG { inner } } }
const Sdfg sample() {
  Sdfg inner;
  inner.name = "inner";
  inner.add(state_with_access("inner_state", "C"));
  NestedSdfg nested;
  nested.sdfg = Box<Sdfg>(inner);
  State calling;
  calling.add(Node{std::move(nested)});

  ControlFlowRegion then, otherwise;
  then.add(state_with_access("s2", "B"));
  otherwise.add(Block{"s3", std::move(calling)});
  ConditionalBlock conditional;
  conditional.branches.push_back({Code("x > 0"), Block{"then", std::move(then)}});
  conditional.branches.push_back({std::nullopt, Block{"else", std::move(otherwise)}});

  LoopRegion loop;
  const BlockId s1 = loop.add(state_with_access("s1", "A"));
  loop.connect(s1, loop.add(Block{"if", std::move(conditional)}), {});
  Sdfg sdfg;
  sdfg.name = "outer";
  const BlockId s0 = sdfg.add(state_with_access("s0", "A"));
  sdfg.connect(s0, sdfg.add(Block{"loop", std::move(loop)}), {});
  return sdfg;
}

TEST(Walk, BlocksOuterBeforeInnerIncludingBranches) {
  std::string seen;
  for_each_block(sample(), [&](const Block& b) { seen += b.label + " "; });
  EXPECT_EQ(seen, "s0 loop s1 if then s2 else s3 ");
}

TEST(Walk, StatesWithTheirBlocks) {
  std::string seen;
  for_each_state(sample(), [&](const State&, const Block& b) { seen += b.label + " "; });
  EXPECT_EQ(seen, "s0 s1 s2 s3 ");
}

TEST(Walk, RegionsAndInterstateEdges) {
  int regions = 0, edges = 0;
  const Sdfg sdfg = sample();
  for_each_region(sdfg, [&](const Region&) { ++regions; });
  for_each_interstate_edge(sdfg, [&](const InterstateEdge&) { ++edges; });
  EXPECT_EQ(regions, 4);  // the SDFG, the loop, two branches
  EXPECT_EQ(edges, 2);
}

TEST(Walk, NestedSdfgsAtAnyDepth) {
  std::string seen;
  for_each_sdfg(sample(), [&](const Sdfg& s) { seen += s.name + " "; });
  EXPECT_EQ(seen, "outer inner ");
}

TEST(Walk, ElementsCanBeChanged) {
  Sdfg sdfg = sample();
  for_each_node(sdfg, [](Node& node) {
    if (auto* access = node.as<AccessNode>()) access->data = "Z";
  });
  std::string seen;
  for_each_node(sdfg, [&](const Node& n, const State&, NodeId id) {
    seen += std::string(n.label()) + std::to_string(id.value) + " ";
  });
  EXPECT_EQ(seen, "Z0 Z0 Z0 0 ");
}

}  // namespace
}  // namespace sdfg
