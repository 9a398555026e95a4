#include "ir/analysis/symbol_flow.h"

#include <algorithm>

#include "ir/graph_algorithms.h"

namespace sdfg {

SymbolFlow::SymbolFlow(const Sdfg& sdfg) { add_region(sdfg, nullptr, 0, {}); }

void SymbolFlow::add_region(const Region& region, const LoopRegion* loop, RegionIndex parent,
                            BlockId block) {
  const RegionIndex index = regions_.size();
  Info info;
  info.region = &region;
  info.loop = loop;
  info.parent = parent;
  info.block = block;
  if (index > 0) {
    const Info& outer = regions_[parent];
    info.depth = outer.depth + 1;
    info.repeats = outer.repeats || loop || in_cycle(outer, block);
  }
  regions_.push_back(std::move(info));
  for (InterstateEdgeId e : region.edges())
    for (const auto& [name, value] : region[e].assignments)
      definitions_[name].push_back({index, region.source(e), region.target(e), e});
  for (BlockId id : region.nodes()) {
    const Block& inner = region[id];
    std::vector<RegionIndex> children;
    const auto add = [&](const Region& child) {
      children.push_back(regions_.size());
      add_region(child, inner.as<LoopRegion>(), index, id);
    };
    if (const Region* child = inner.region()) add(*child);
    if (const auto* conditional = inner.as<ConditionalBlock>())
      for (const Branch& branch : conditional->branches) add(branch.region());
    if (!children.empty()) regions_[index].children.emplace_back(id, std::move(children));
  }
}

SymbolFlow::RegionIndex SymbolFlow::child(RegionIndex region, BlockId block,
                                          std::size_t branch) const {
  const auto& children = regions_[region].children;
  const auto found =
      std::ranges::lower_bound(children, block, {}, [](const auto& c) { return c.first; });
  SDFG_ASSERT(found != children.end() && found->first == block && branch < found->second.size());
  return found->second[branch];
}

void SymbolFlow::define(std::string_view name, RegionIndex region, BlockId block) {
  definitions_[std::string(name)].push_back({region, block, block, {}});
}

const SymbolFlow::Order& SymbolFlow::order(const Info& info) const {
  if (!info.order.empty()) return info.order.front();
  const Region& region = *info.region;
  Order order;
  order.component = strong_components(region);
  order.size.resize(region.id_bound());
  order.enter.resize(region.id_bound());
  order.leave.resize(region.id_bound());
  for (BlockId b : region.nodes()) ++order.size[order.component[b.value]];

  const std::vector<BlockId> dominator = immediate_dominators(region);
  std::vector<std::vector<BlockId>> dominated(region.id_bound());
  for (BlockId b : region.nodes())
    if (const BlockId d = dominator[b.value]) dominated[d.value].push_back(b);
  if (const auto first = start(region)) {
    std::size_t clock = 0;
    std::vector<std::pair<BlockId, std::size_t>> path{{*first, 0}};
    order.enter[first->value] = ++clock;
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next == dominated[block.value].size()) {
        order.leave[block.value] = ++clock;
        path.pop_back();
        continue;
      }
      const BlockId inner = dominated[block.value][next++];
      order.enter[inner.value] = ++clock;
      path.emplace_back(inner, 0);
    }
  }
  info.order.push_back(std::move(order));
  return info.order.front();
}

bool SymbolFlow::in_cycle(const Info& info, BlockId block) const {
  if (info.region->edge_count() == 0) return false;
  const Order& o = order(info);
  if (o.size[o.component[block.value]] > 1) return true;
  for (InterstateEdgeId e : info.region->out(block))
    if (info.region->target(e) == block) return true;
  return false;
}

/// Is every path to the block one through the edge? (False when that is hard to say.)
bool SymbolFlow::only_behind(const Info& info, const Order& order, InterstateEdgeId edge,
                             BlockId block) const {
  const Region& region = *info.region;
  const BlockId target = region.target(edge);
  if (!order.dominates(target, block) || is_start(region, target)) return false;
  for (InterstateEdgeId e : region.in(target))
    if (e != edge && !order.dominates(target, region.source(e))) return false;
  return true;
}

bool SymbolFlow::may_be_defined(std::string_view name, const Point& use) const {
  for (RegionIndex at = use.region; at != 0; at = regions_[at].parent)
    if (const LoopRegion* loop = regions_[at].loop; loop && loop->loop_variable == name)
      return true;
  // What a loop evaluates on the way out sees its variable, too.
  if (use.leaving && !use.edge)
    if (const auto* loop = (*regions_[use.region].region)[use.block].as<LoopRegion>();
        loop && loop->loop_variable == name)
      return true;
  const auto found = definitions_.find(std::string(name));
  return found != definitions_.end() &&
         std::ranges::any_of(found->second, [&](const Definition& d) { return precedes(d, use); });
}

bool SymbolFlow::precedes(const Definition& definition, const Point& use) const {
  // The region that holds both, and the blocks of it that they are in.
  RegionIndex from = definition.region, to = use.region;
  BlockId inside_from, inside_to;
  const auto climb = [&](RegionIndex& at, BlockId& block) {
    block = regions_[at].block;
    at = regions_[at].parent;
  };
  while (from != to)
    if (regions_[from].depth >= regions_[to].depth)
      climb(from, inside_from);
    else
      climb(to, inside_to);
  const Info& info = regions_[from];

  const BlockId block = inside_to ? inside_to : use.block;
  const BlockId source = inside_from ? inside_from : definition.from;
  const BlockId target = inside_from ? inside_from : definition.to;
  const bool on_edge = !inside_from && definition.edge;
  if (!on_edge && source == block) {
    if (inside_from && inside_to) return info.repeats || in_cycle(info, block);  // other branch
    return use.leaving || !inside_from;
  }
  if (!inside_to && use.edge && on_edge && definition.edge == use.edge) return false;

  const Order& o = order(info);
  if (!info.repeats && o.component[target.value] > o.component[block.value]) return false;
  if (inside_to) return true;  // the first time round, the use itself may have been skipped
  if (use.edge) return !only_behind(info, o, use.edge, source);
  return !o.dominates(block, source);
}

}  // namespace sdfg
