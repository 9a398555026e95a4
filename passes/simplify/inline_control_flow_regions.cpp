#include "passes/simplify/inline_control_flow_regions.h"

#include <algorithm>

#include "ir/graph_algorithms.h"
#include "passes/common/bind_symbols.h"
#include "passes/common/blocks.h"

namespace sdfg {
namespace {

bool is_plain(const Block& block) {
  const auto* region = block.as<ControlFlowRegion>();
  return region && region->flavor != ControlFlowRegion::Flavor::Unstructured;
}

/// From the outside in: each block moves up once, together with all that is in it. `dropped`: set
/// when blocks of the SDFG go because nobody reaches them any more.
Changed run_on(Region& region, const Trail& trail, PassContext& context, bool& dropped) {
  Changed changed = Changed::No;
  std::optional<BlockId> first = start(region);
  std::optional<Labels> labels;
  std::vector<BlockId> open;
  const auto add = [&](auto&& blocks) {
    const std::size_t before = open.size();
    for (BlockId b : blocks) open.push_back(b);
    std::reverse(open.begin() + std::ptrdiff_t(before), open.end());
  };
  add(region.nodes());
  while (!open.empty()) {
    const BlockId id = open.back();
    open.pop_back();
    if (!region.contains(id)) continue;  // it followed a jump
    Block& block = region[id];
    const Trail here = trail.in(block);
    if (is_plain(block)) {
      if (!start(*block.region())) {
        context.refused(here, "the region's first block cannot be told");
      } else if (first && context.may_apply()) {
        context.applied(here, "its blocks took its place");
        if (!labels) labels.emplace(region);
        const std::size_t before = region.node_count();
        const std::vector<BlockId> moved = splice_region(region, id, first, *labels);
        dropped = dropped || region.node_count() + 1 < before + moved.size();
        add(moved);
        changed = Changed::Yes;
        continue;
      }
    }
    if (Region* inner = block.region()) changed |= run_on(*inner, here, context, dropped);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches)
        changed |= run_on(branch.region(), here.in(branch.block), context, dropped);
    if (auto* state = block.as<State>())
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg) {
          bool dropped_inside = false;
          changed |= run_on(**nested->sdfg, here.in(*state, n), context, dropped_inside);
          if (dropped_inside) settle_symbols(*nested);
        }
  }
  if (changed == Changed::Yes) keep_start(region, first);
  return changed;
}

}  // namespace

Result<Changed> InlineControlFlowRegions::run(Sdfg& sdfg, const Options&, PassContext& context) {
  bool dropped = false;
  return run_on(sdfg, {}, context, dropped);
}

}  // namespace sdfg
