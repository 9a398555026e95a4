#include <algorithm>

#include "passes/common/symbol_values.h"

// SymbolValues in regions that are no chain of blocks.

namespace sdfg {

/// Finds where all ways through a region go through one block, and none leads back.
void SymbolValues::cut(RegionInfo& info) {
  const Region& region = *info.region;
  const Place count = Place(info.order.size());
  info.places.assign(info.extent.size(), nowhere);
  for (Place i = 0; i < count; ++i) info.places[info.order[i].value] = i;
  // How many edges pass each place by: differences first.
  std::vector<int> passing(count + 2);
  for (BlockId b : info.order)
    for (InterstateEdgeId e : region.out(b)) {
      const Place from = info.places[b.value], to = info.places[region.target(e).value];
      ++passing[std::min(from, to) + 1];
      --passing[from < to ? to : from + 1];
    }
  int now = 0;
  for (Place i = 0; i < count; ++i)
    if ((now += passing[i]) == 0) info.cuts.push_back(i);
  info.cuts.push_back(count);
}

std::optional<SymbolValues::Version> SymbolValues::Flow::at(Place place) const {
  const auto behind = std::ranges::upper_bound(parts, place, {}, &Part::begin);
  if (behind == parts.begin()) return entry;
  const Part& part = *std::prev(behind);
  return place < part.end ? part.in[place - part.begin] : part.out;
}

/// The versions that come in over the edges to a block, and at the region's start.
std::vector<SymbolValues::Version> SymbolValues::arrivals(Symbol s, RegionIndex index,
                                                          BlockId block, const Flow& flow) {
  const RegionInfo& info = regions_[index];
  const Region& region = *info.region;
  std::vector<Version> out;
  const auto add = [&](Version v) {
    if (std::ranges::find(out, v) == out.end()) out.push_back(v);
  };
  if (block == info.order.front()) add(flow.entry);
  for (InterstateEdgeId e : region.in(block)) {
    const BlockId source = region.source(e);
    const Place place = info.places[source.value];
    const auto in = place == nowhere ? std::nullopt : flow.at(place);
    if (!in) continue;
    const auto [begin, end] = info.extent[source.value];
    if (region[e].assignments.contains(names_[s])) {
      // Behind the block are those of its edges.
      for (const Definition& d : all_in(s, end, info.end)) {
        if (d.region != index || d.block != source) break;
        if (d.edge == e) add(assigned(s, d));
      }
      continue;
    }
    add(assigned_in(s, begin, end) ? after_block(s, index, source) : *in);
  }
  return out;
}

/// What the versions that arrive at a block become there.
std::optional<SymbolValues::Version> SymbolValues::meet(Symbol s, RegionIndex index, BlockId block,
                                                        const Flow& flow) {
  const auto versions = arrivals(s, index, block, flow);
  if (versions.empty()) return std::nullopt;
  if (versions.size() == 1) return versions[0];
  return version({Kind::Block, s, std::uint32_t(index), block.value});
}

const SymbolValues::Flow& SymbolValues::flow(Symbol s, RegionIndex index) {
  if (const auto known = flows_.find({index, s}); known != flows_.end()) return known->second;
  const RegionInfo& info = regions_[index];
  Flow out;
  out.entry = index == 0 ? version({Kind::Entry, s, 0, 0})
              : info.loop
                  ? version({Kind::Loop, s, std::uint32_t(index), 0})  // it assigns the symbol
                  : before(s, info.parent, info.block);
  for (Position from = info.begin;;) {
    const auto rest = all_in(s, from, info.end);
    if (rest.empty()) break;
    const auto behind = std::ranges::upper_bound(
        info.order, rest[0].position, {}, [&](BlockId b) { return info.extent[b.value].first; });
    const Place place = Place(behind - info.order.begin() - 1);
    const auto end = std::ranges::upper_bound(info.cuts, place);
    flow_through(s, index, out, *std::prev(end), *end);
    if (*end == info.order.size()) break;
    from = info.extent[info.order[*end].value].first;
  }
  return flows_[{index, s}] = std::move(out);
}

/// Through the blocks between two cuts. What meets in one stays met.
void SymbolValues::flow_through(Symbol s, RegionIndex index, Flow& flow, Place begin, Place end) {
  const RegionInfo& info = regions_[index];
  flow.parts.push_back({begin, end, std::vector<std::optional<Version>>(end - begin), {}});
  auto& in = flow.parts.back().in;
  std::vector<bool> met(end - begin);
  for (bool again = true; again;) {
    again = false;
    for (Place i = 0; i < in.size(); ++i) {
      if (met[i]) continue;
      const auto now = meet(s, index, info.order[begin + i], flow);
      if (!now || now == in[i]) continue;
      met[i] = origins_[*now] == Origin{Kind::Block, s, std::uint32_t(index),
                                        info.order[begin + i].value};
      in[i] = now;
      again = true;
    }
  }
  if (end < info.order.size()) flow.parts.back().out = meet(s, index, info.order[end], flow);
}

}  // namespace sdfg
