#include "passes/simplify/block_fusion.h"

#include <algorithm>
#include <deque>

#include "ir/graph_algorithms.h"
#include "passes/common/blocks.h"

namespace sdfg {
namespace {

bool connected(const Region& region, BlockId from, BlockId to) {
  const auto out = region.out(from), in = region.in(to);
  if (out.size() <= in.size())
    return std::ranges::any_of(out, [&](InterstateEdgeId e) { return region.target(e) == to; });
  return std::ranges::any_of(in, [&](InterstateEdgeId e) { return region.source(e) == from; });
}

class Fusion {
 public:
  Fusion(Region& region, const Trail& trail, PassContext& context)
      : region_(region), trail_(trail), context_(context), first_(start(region)) {}

  Changed run() {
    if (!first_) return Changed::No;
    // Those with one way in first: a block that many lead to then moves as few edges as possible.
    std::deque<BlockId> open;
    for (BlockId b : region_.nodes())
      if (region_.in(b).size() <= 1) open.push_back(b);
    for (BlockId b : region_.nodes())
      if (region_.in(b).size() > 1) open.push_back(b);
    Changed changed = Changed::No;
    while (!open.empty() && region_.node_count() > 1) {
      const BlockId id = open.front();
      open.pop_front();
      if (!region_.contains(id) || !is_empty_state(region_[id])) continue;
      const Trail here = trail_.in(region_[id]);
      const bool last = region_.out(id).size() != 1;
      if (const Refusal why = last ? check_give(id) : check_bypass(id)) {
        context_.refused(here, why);
        continue;
      }
      if (!context_.may_apply()) break;
      context_.applied(here, "removed");
      last ? give(id) : bypass(id);
      changed = Changed::Yes;
    }
    if (changed == Changed::Yes) keep_start(region_, first_);
    return changed;
  }

 private:
  InterstateEdgeId only_out(BlockId id) const { return region_.out(id)[0]; }

  Refusal check_bypass(BlockId id) const {
    const InterstateEdgeId out = only_out(id);
    const BlockId next = region_.target(out);
    if (next == id) return "it only leads to itself";
    // With one way in, whose continuation it is, a condition behind it can move forward.
    if (!region_[out].condition.always_true()) return check_give(id);
    const auto& assignments = region_[out].assignments;
    if (first_ == id && !assignments.empty())
      return "the region starts here, and assignments follow";
    if (!assignments.empty() && region_.in(id).size() > 1)
      return "assignments follow it, and there are several ways to it";
    for (InterstateEdgeId in : region_.in(id)) {
      const std::string& from = region_[region_.source(in)].label;
      if (connected(region_, region_.source(in), next))
        return "'" + from + "' leads to '" + region_[next].label + "' already";
      if (const Refusal why = check_join(region_[in].assignments, assignments)) return why;
    }
    return {};
  }

  /// All assignments of an edge happen at once, and a valid edge does not read what it assigns.
  static Refusal check_join(const OrderedMap<Expr>& before, const OrderedMap<Expr>& after) {
    if (before.empty() || after.empty()) return {};
    const auto reads = [](const OrderedMap<Expr>& values, const OrderedMap<Expr>& targets,
                          bool own) -> std::optional<std::string> {
      for (const auto& [target, value] : values)
        for (const std::string& name : free_symbols(value))
          if (targets.contains(name) && (own || name != target)) return name;
      return std::nullopt;
    };
    if (const auto name = reads(after, before, true))
      return "the assignments behind it read '" + *name + "', which those before it change";
    if (const auto name = reads(before, after, true))
      return "the assignments before it read '" + *name + "', which those behind it change";
    return {};
  }

  void bypass(BlockId id) {
    const InterstateEdgeId out = only_out(id);
    if (!region_[out].condition.always_true()) return give(id);
    const BlockId next = region_.target(out);
    const std::vector<InterstateEdgeId> in(region_.in(id).begin(), region_.in(id).end());
    for (InterstateEdgeId e : in) {
      for (const auto& [target, value] : region_[out].assignments)
        region_[e].assignments.set(target, value);
      region_.set_target(e, next);
    }
    if (first_ == id) first_ = next;
    region_.erase(id);
  }

  Refusal check_give(BlockId id) const {
    if (first_ == id) return "the region starts here, and goes on in several ways";
    if (region_.out(id).empty()) {
      for (InterstateEdgeId e : region_.in(id))
        if (const Refusal why = check_only(e)) return why;
      return {};
    }
    if (region_.in(id).size() != 1) return "several ways lead to it and away from it";
    const InterstateEdgeId in = region_.in(id)[0];
    for (InterstateEdgeId e : region_.out(id))
      if (region_.target(e) == region_.source(in))
        return "it is the only block of a cycle beside '" + region_[region_.source(in)].label + "'";
    return check_only(in);
  }

  /// Is this edge all that can happen after its source, and does it assign nothing?
  Refusal check_only(InterstateEdgeId e) const {
    const Block& before = region_[region_.source(e)];
    if (is_jump(before)) return "'" + before.label + "' jumps elsewhere";
    if (region_.out(region_.source(e)).size() != 1 || !region_[e].condition.always_true())
      return "'" + before.label + "' has other ways to go on";
    if (!region_[e].assignments.empty()) return "symbols are assigned before it";
    return {};
  }

  /// The block before it, if any, gets its out-edges.
  void give(BlockId id) {
    if (!region_.out(id).empty()) move_ways_out(region_, id, region_.source(region_.in(id)[0]));
    region_.erase(id);
  }

  Region& region_;
  const Trail& trail_;
  PassContext& context_;
  std::optional<BlockId> first_;
};

Changed run_on(Region& region, const Trail& trail, PassContext& context) {
  Changed changed = Fusion(region, trail, context).run();
  for (BlockId b : region.nodes()) {
    Block& block = region[b];
    const Trail here = trail.in(block);
    if (Region* inner = block.region()) changed |= run_on(*inner, here, context);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches)
        changed |= run_on(branch.region(), here.in(branch.block), context);
    if (auto* state = block.as<State>())
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
          changed |= run_on(**nested->sdfg, here.in(*state, n), context);
  }
  return changed;
}

}  // namespace

Result<Changed> BlockFusion::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return run_on(sdfg, {}, context);
}

}  // namespace sdfg
