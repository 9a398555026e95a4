#include "passes/simplify/continue_to_condition.h"

#include <algorithm>

#include "ir/graph_algorithms.h"
#include "passes/common/blocks.h"

namespace sdfg {
namespace {

/// The region's blocks, when each leads unconditionally to the next; else nothing.
std::optional<std::vector<BlockId>> chain(const Region& region) {
  const auto first = start(region);
  if (!first) return std::nullopt;
  std::vector<BlockId> out{*first};
  while (!region.out(out.back()).empty()) {
    const auto edges = region.out(out.back());
    if (edges.size() != 1 || !region[edges[0]].condition.always_true()) return std::nullopt;
    const BlockId next = region.target(edges[0]);
    if (region.in(next).size() != 1 || next == *first) return std::nullopt;
    out.push_back(next);
  }
  return out.size() == region.node_count() ? std::optional(out) : std::nullopt;
}

class Rewriter {
 public:
  explicit Rewriter(PassContext& context) : context_(context) {}

  Changed on_region(Region& region, const Trail& trail, bool is_loop) {
    Changed changed = Changed::No;
    if (is_loop) changed |= on_body(region, trail);
    for (BlockId id : region.nodes()) {
      Block& block = region[id];
      const Trail here = trail.in(block);
      if (Region* inner = block.region())
        changed |= on_region(*inner, here, block.is<LoopRegion>());
      if (auto* conditional = block.as<ConditionalBlock>())
        for (Branch& branch : conditional->branches)
          changed |= on_region(branch.region(), here.in(branch.block), false);
      if (auto* state = block.as<State>())
        for (NodeId n : state->nodes_of<NestedSdfg>())
          if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
            changed |= on_region(**nested->sdfg, here.in(*state, n), false);
    }
    return changed;
  }

 private:
  /// From the last block to the first: what a conditional takes in is then small.
  Changed on_body(Region& body, const Trail& trail) {
    Changed changed = Changed::No;
    const auto first = start(body);
    std::vector<BlockId> order = reverse_postorder(body);
    std::ranges::reverse(order);
    for (BlockId id : order) {
      if (!body.contains(id) || !continues(body[id])) continue;
      const Trail here = trail.in(body[id]);
      std::vector<BlockId> rest;
      if (const Refusal why = check(body, id, rest)) {
        context_.refused(here, why);
        continue;
      }
      if (!context_.may_apply()) break;
      context_.applied(here, "what follows the jump became a branch");
      apply(body, id, rest);
      changed = Changed::Yes;
    }
    if (changed == Changed::Yes) keep_start(body, first);
    return changed;
  }

  /// Does a branch of the conditional hold a `continue` at its top?
  static bool continues(const Block& block) {
    const auto* conditional = block.as<ConditionalBlock>();
    if (!conditional) return false;
    for (const Branch& branch : conditional->branches)
      for (BlockId b : branch.region().nodes())
        if (branch.region()[b].is<ContinueBlock>()) return true;
    return false;
  }

  static Refusal check(const Region& body, BlockId id, std::vector<BlockId>& rest) {
    const auto& branches = body[id].as<ConditionalBlock>()->branches;
    if (branches.size() != 1) return "the conditional has several branches";
    const Branch& only = branches[0];
    const auto blocks = chain(only.region());
    const bool runs_to_jump = blocks && only.region()[blocks->back()].is<ContinueBlock>();
    if (!runs_to_jump) return "its branch does more than run to the jump";
    if (!only.condition) return "it has no condition: what follows never runs";
    if (body.out(id).empty()) return {};
    if (body.out(id).size() != 1 || !body[body.out(id)[0]].condition.always_true())
      return "it goes on in several ways or under a condition";
    return collect_rest(body, id, rest);
  }

  /// All blocks behind the conditional, which nothing else may lead to.
  static Refusal collect_rest(const Region& body, BlockId id, std::vector<BlockId>& rest) {
    std::map<BlockId, std::size_t> ways{{body.target(body.out(id)[0]), 1}};
    rest = {body.target(body.out(id)[0])};
    for (std::size_t at = 0; at < rest.size(); ++at)
      for (InterstateEdgeId e : body.out(rest[at]))
        if (++ways[body.target(e)] == 1) rest.push_back(body.target(e));
    for (BlockId b : rest)
      if (body.in(b).size() != ways[b])
        return "what follows it is also reached in another way";
    return {};
  }

  static void apply(Region& body, BlockId id, const std::vector<BlockId>& rest) {
    auto& branches = body[id].as<ConditionalBlock>()->branches;
    Region& then = branches[0].region();
    const Code otherwise = *negated(*branches[0].condition);
    const auto blocks = *chain(then);
    const bool only_jumps = blocks.size() == 1;
    then[blocks.back()].kind = State{};
    if (rest.empty()) return;

    ControlFlowRegion region;
    const InterstateEdge edge = body[body.out(id)[0]];
    body.erase(body.out(id)[0]);
    move_blocks(body, rest, region);
    if (!edge.assignments.empty()) {
      const BlockId entry = *start(region);
      const BlockId before = region.add(Block{Labels(region).take("assign"), State{}});
      region.connect(before, entry, edge);
      region.start_block = before;
    }
    if (only_jumps) {
      Block holder = std::move(branches[0].block);
      holder.kind = std::move(region);
      branches[0] = {otherwise, std::move(holder)};
    } else {
      Block holder{branches[0].block.label + "_else", std::move(region)};
      branches.push_back({std::nullopt, std::move(holder)});
    }
  }

  PassContext& context_;
};

}  // namespace

Result<Changed> ContinueToCondition::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return Rewriter(context).on_region(sdfg, {}, false);
}

}  // namespace sdfg
