#include "passes/common/blocks.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/graph_algorithms.h"
#include "ir/walk.h"

namespace sdfg {

bool is_empty_state(const Block& block) {
  const auto* state = block.as<State>();
  return state && state->node_count() == 0 && state->instrument == Instrumentation::None &&
         state->symbol_instrument == DataInstrumentation::None && state->location->empty() &&
         block.extras.empty();
}

bool does_nothing(const Block& block) {
  if (block.is<State>()) return is_empty_state(block);
  if (const auto* region = block.as<ControlFlowRegion>()) return does_nothing(*region);
  if (const auto* conditional = block.as<ConditionalBlock>())
    return std::ranges::all_of(conditional->branches,
                               [](const Branch& b) { return does_nothing(b.region()); });
  return false;
}

bool does_nothing(const Region& region) {
  for (BlockId b : region.nodes())
    if (!does_nothing(region[b])) return false;
  return only_leads_on(region);
}

bool only_leads_on(const Region& region) {
  for (InterstateEdgeId e : region.edges())
    if (!region[e].assignments.empty()) return false;
  // Without cycles there are as many components as blocks.
  const auto component = strong_components(region);
  std::vector<char> seen(region.id_bound(), 0);
  for (BlockId b : region.nodes())
    if (seen[component[b.value]]++) return false;
  for (InterstateEdgeId e : region.edges())
    if (region.source(e) == region.target(e)) return false;
  return true;
}

Labels::Labels(const Region& region) {
  for (BlockId b : region.nodes()) taken_.insert(region[b].label);
}

std::string Labels::take(std::string_view label) {
  std::string candidate(label);
  if (taken_.insert(candidate).second) return candidate;
  std::size_t& number = next_[candidate];
  do candidate = std::string(label) + "_" + std::to_string(number++);
  while (!taken_.insert(candidate).second);
  return candidate;
}

bool is_jump(const Block& block) {
  return block.is<BreakBlock>() || block.is<ContinueBlock>() || block.is<ReturnBlock>();
}

bool may_return(const Block& block) {
  bool found = false;
  for_each_block_in(block, [&](const Block& inner) { found |= inner.is<ReturnBlock>(); });
  return found;
}

const std::string* find_jump(const Region& region, bool in_inner_loop) {
  for (BlockId id : region.nodes()) {
    const Block& block = region[id];
    if (block.is<ReturnBlock>()) return &block.label;
    if (!in_inner_loop && is_jump(block)) return &block.label;
    if (const Region* inner = block.region())
      if (const auto* found = find_jump(*inner, in_inner_loop || block.is<LoopRegion>()))
        return found;
    if (const auto* conditional = block.as<ConditionalBlock>())
      for (const Branch& branch : conditional->branches)
        if (const auto* found = find_jump(branch.region(), in_inner_loop)) return found;
  }
  return nullptr;
}

void move_ways_in(Region& region, BlockId from, BlockId to) {
  const std::vector<InterstateEdgeId> in(region.in(from).begin(), region.in(from).end());
  for (InterstateEdgeId e : in) region.set_target(e, to);
}

void move_ways_out(Region& region, BlockId from, BlockId to) {
  const std::vector<InterstateEdgeId> out(region.out(from).begin(), region.out(from).end());
  for (InterstateEdgeId e : out) region.set_source(e, to);
}

BlockId put_before(Region& region, BlockId block, Block added) {
  const BlockId before = region.add(std::move(added));
  move_ways_in(region, block, before);
  region.connect(before, block, InterstateEdge{});
  if (region.start_block == block) region.start_block = before;
  return before;
}

BlockId put_after(Region& region, BlockId block, Block added) {
  const BlockId after = region.add(std::move(added));
  move_ways_out(region, block, after);
  region.connect(block, after, InterstateEdge{});
  return after;
}

bool may_end_region(const Region& region, BlockId block) {
  if (is_jump(region[block])) return false;
  return std::ranges::none_of(region.out(block), [&](InterstateEdgeId e) {
    return region[e].condition.always_true();
  });
}

void keep_start(Region& region, std::optional<BlockId> first) {
  if (!first) return;
  const bool stale = region.start_block && !region.contains(*region.start_block);
  if (stale || start(region) != first) region.start_block = first;
}

/// Erases the edges, and the blocks that were reached through them alone. What nobody reaches would
/// stay in the way of others: DaCe takes the variable of a loop there for a missing symbol.
static void cut_off(Region& region, const std::vector<InterstateEdgeId>& edges,
                    std::optional<BlockId> first) {
  std::vector<BlockId> behind;
  const auto reach = [&](std::vector<char>& seen, std::vector<BlockId>& open) {
    for (std::size_t at = 0; at < open.size(); ++at)
      for (InterstateEdgeId e : region.out(open[at]))
        if (const BlockId next = region.target(e); !std::exchange(seen[next.value], 1))
          open.push_back(next);
  };
  for (InterstateEdgeId e : edges) behind.push_back(region.target(e)), region.erase(e);
  if (!first) return;
  std::vector<char> reached(region.id_bound()), lost(region.id_bound());
  std::vector<BlockId> from_start{*first};
  reached[first->value] = 1;
  reach(reached, from_start);
  for (BlockId b : behind) lost[b.value] = 1;
  reach(lost, behind);
  for (BlockId b : behind)
    if (region.contains(b) && !reached[b.value]) region.erase(b);
}

std::vector<BlockId> splice_region(Region& parent, BlockId block, std::optional<BlockId>& first,
                                   Labels& labels) {
  Region inner = std::move(*parent[block].region());
  const BlockId entry = *start(inner);
  const std::string label = parent[block].label;
  labels.release(label);
  std::vector<BlockId> moved(inner.id_bound()), added, exits;
  for (BlockId b : inner.nodes()) {
    Block& from = inner[b];
    from.label = labels.taken(from.label) ? labels.take(label + "_" + from.label)
                                          : labels.take(from.label);
    moved[b.value] = parent.add(std::move(from));
    added.push_back(moved[b.value]);
  }
  for (BlockId b : inner.nodes())
    for (InterstateEdgeId e : inner.out(b))
      parent.connect(moved[b.value], moved[inner.target(e).value], std::move(inner[e]));
  for (BlockId b : added)
    if (may_end_region(parent, b)) exits.push_back(b);

  move_ways_in(parent, block, moved[entry.value]);
  const std::vector<InterstateEdgeId> out(parent.out(block).begin(), parent.out(block).end());
  if (first == block) first = moved[entry.value];
  if (exits.empty()) {
    if (!out.empty()) cut_off(parent, out, first);
  } else if (!out.empty()) {
    BlockId end;
    if (exits.size() == 1 && parent.out(exits[0]).empty()) {
      end = exits[0];
    } else {
      end = parent.add(Block{labels.take(label + "_end"), State{}});
      added.push_back(end);
      for (BlockId exit : exits) parent.connect(exit, end, {});
    }
    for (InterstateEdgeId e : out) parent.set_source(e, end);
  }
  if (parent.contains(block)) parent.erase(block);
  return added;
}

std::vector<std::vector<BlockId>> state_chains(const Region& region) {
  const auto first = start(region);
  // The state that always follows, if one does.
  const auto next = [&](BlockId b) -> std::optional<BlockId> {
    if (!region[b].is<State>() || region.out(b).size() != 1) return {};
    const InterstateEdgeId edge = region.out(b)[0];
    const BlockId to = region.target(edge);
    if (to == first || !region[to].is<State>() || region.in(to).size() != 1 ||
        !region[edge].condition.always_true())
      return {};
    return to;
  };
  std::set<BlockId> inside;
  for (BlockId b : region.nodes())
    if (const auto to = next(b)) inside.insert(*to);
  std::vector<std::vector<BlockId>> chains;
  for (BlockId b : region.nodes()) {
    if (!region[b].is<State>() || inside.contains(b)) continue;
    auto& chain = chains.emplace_back();
    for (std::optional<BlockId> at = b; at; at = next(*at)) chain.push_back(*at);
  }
  return chains;
}

void move_blocks(Region& from, const std::vector<BlockId>& blocks, Region& to) {
  std::map<BlockId, BlockId> moved;
  for (BlockId b : blocks) moved[b] = to.add(std::move(from[b]));
  for (BlockId b : blocks)
    for (InterstateEdgeId e : from.out(b))
      if (const auto target = moved.find(from.target(e)); target != moved.end())
        to.connect(moved[b], target->second, std::move(from[e]));
  for (BlockId b : blocks) from.erase(b);
  to.start_block = moved[blocks.front()];
}

std::optional<Code> negated(const Code& condition) {
  const Expr* expr = condition.expr();
  if (!expr) return std::nullopt;
  if (expr->is(Op::Not)) return Code::from(expr->arg(0));
  return Code::from(Expr::make(Op::Not, {*expr}));
}

}  // namespace sdfg
