#include "passes/simplify/dead_state_elimination.h"

#include "ir/edges.h"
#include "ir/graph_algorithms.h"
#include "passes/common/bind_symbols.h"
#include "passes/common/branches.h"
#include "passes/common/decide.h"
#include "passes/common/zeroed_lifetimes.h"

namespace sdfg {
namespace {

class Eliminator {
 public:
  explicit Eliminator(PassContext& context) : context_(context) {}

  Changed on_sdfg(Sdfg& sdfg, const Trail& trail) {
    NameSet around = std::exchange(zeroed_, {});
    const Changed changed = on_region(sdfg, sdfg, trail);
    set_to_zero(sdfg, zeroed_);
    zeroed_ = std::move(around);
    return changed;
  }

 private:
  Changed on_region(const Sdfg& sdfg, Region& region, const Trail& trail) {
    const std::optional<BlockId> first = start(region);
    if (!first) {
      if (region.node_count() > 0)
        context_.refused(trail, "the region's first block cannot be told");
      return Changed::No;
    }
    Changed changed = Changed::No;
    for (BlockId id : region.nodes()) changed |= cut_edges(sdfg, region, id, trail);
    // Said now, because cutting edges may leave several blocks without predecessors, or none.
    keep_start(region, *first);
    changed |= drop_unreachable(region, trail);
    keep_start(region, *first);
    for (BlockId id : region.nodes()) changed |= on_block(sdfg, region[id], trail.in(region[id]));
    return changed;
  }

  Changed on_block(const Sdfg& sdfg, Block& block, const Trail& trail) {
    Changed changed = Changed::No;
    if (block.is<ConditionalBlock>())
      changed |= prune_branches(
          block, trail, context_,
          [&](const Code& condition) { return decide(condition, sdfg, {}); }, zeroed_);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches)
        changed |= on_region(sdfg, branch.region(), trail.in(branch.block));
    if (Region* inner = block.region()) changed |= on_region(sdfg, *inner, trail);
    if (auto* state = block.as<State>())
      for (NodeId id : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[id].as<NestedSdfg>(); nested->sdfg) {
          const Changed inside = on_sdfg(**nested->sdfg, trail.in(*state, id));
          if (inside == Changed::Yes) settle_symbols(*nested);
          changed |= inside;
        }
    return changed;
  }

  /// Erases out-edges that are never taken, and makes one that always is unconditional.
  Changed cut_edges(const Sdfg& sdfg, Region& region, BlockId id, const Trail& trail) {
    const Block& block = region[id];
    bool taken = block.is<BreakBlock>() || block.is<ContinueBlock>() || block.is<ReturnBlock>();
    Changed changed = Changed::No;
    for (InterstateEdgeId e : edges_as_tried(region, id)) {
      const Truth truth = taken ? Truth::No : decide(region[e].condition, sdfg, {});
      const bool already_plain = region[e].condition.always_true();
      taken = taken || truth == Truth::Yes;
      if (truth == Truth::Unknown || (truth == Truth::Yes && already_plain)) continue;
      if (!context_.may_apply()) continue;
      changed = Changed::Yes;
      const std::string edge = "the edge to '" + region[region.target(e)].label + "' is ";
      if (truth == Truth::Yes) {
        context_.applied(trail.in(block), edge + "always taken");
        region[e].condition = Code("1");
      } else {
        context_.applied(trail.in(block), edge + "never taken");
        region.erase(e);
      }
    }
    return changed;
  }

  Changed drop_unreachable(Region& region, const Trail& trail) {
    std::vector<char> reached(region.id_bound(), 0);
    for (BlockId id : reachable_blocks(region)) reached[id.value] = 1;
    Changed changed = Changed::No;
    for (BlockId id : region.nodes()) {
      if (reached[id.value] || !context_.may_apply()) continue;
      context_.applied(trail.in(region[id]), "removed");
      collect_zeroed(region[id], zeroed_);
      region.erase(id);
      changed = Changed::Yes;
    }
    return changed;
  }

  static void keep_start(Region& region, BlockId first) {
    if (start(region) != first) region.start_block = first;
  }

  PassContext& context_;
  NameSet zeroed_;  ///< containers of the SDFG that blocks which are gone set to zero
};

}  // namespace

Result<Changed> DeadStateElimination::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return Eliminator(context).on_sdfg(sdfg, {});
}

}  // namespace sdfg
