#include "passes/map_fusion/map_fusion_horizontal.h"

#include <algorithm>
#include <set>

#include "passes/map_fusion/fusion_conflicts.h"
#include "passes/map_fusion/fusion_walk.h"

namespace sdfg {
namespace {

/// Maps that may join the next one of a bucket; those before have been passed often enough.
constexpr std::size_t most_candidates = 32;

/// Equal for maps whose ranges agree in some order.
std::string bucket(const MapEntry& map) {
  std::vector<std::string> ranges;
  for (const Range& range : map.ranges) ranges.push_back(to_text(range));
  std::ranges::sort(ranges);
  std::string key(to_text(map.schedule));
  for (const std::string& range : ranges) key += ";" + range;
  return key;
}

bool have_common_ancestor(const FusionMap& a, const FusionMap& b) {
  bool found = false;
  for_each_shared(a.reads, b.reads, [&](const std::string&, const auto& x, const auto& y) {
    for (const std::string& p : x.all())
      for (const std::string& q : y.all()) found = found || a.in.at(p).node == b.in.at(q).node;
  });
  return found;
}

/// That a container of `producer` goes when all who read it have joined the map, and that one of
/// them no longer could if the map were also `other`, after which it comes for another reason.
Refusal check_readers(FusionMaps& maps, NodeId producer, NodeId other,
                      const FusionRules& vertical) {
  const FusionSite& site = maps.site();
  const auto joins = [&](NodeId map, NodeId reader) {
    FusionPlan plan;
    return maps.is_map(reader) && exchange_data(site.state, maps.at(map), maps.at(reader)) &&
           !plan_fusion(site, maps.at(map), maps.at(reader), vertical, plan);
  };
  for (const auto& [container, ports] : maps.at(producer).writes) {
    if (!site.sdfg.find_data(container)->transient || !site.accesses.is_single_use(container))
      continue;
    const NodeId node = maps.at(producer).out.at(*ports.all().begin()).node;
    std::set<NodeId> readers;
    for (EdgeId e : site.state.out(node))
      if (!site.state[e].memlet.empty()) readers.insert(site.state.target(e));
    const bool one_comes_later = std::ranges::any_of(readers, [&](NodeId reader) {
      return site.order.reaches(maps.at(other).exit, reader) && !joins(other, reader);
    });
    if (one_comes_later &&
        std::ranges::all_of(readers, [&](NodeId reader) { return joins(producer, reader); }))
      return "'" + container +
             "', which goes when its readers join the map that writes it, would stay";
  }
  return {};
}

}  // namespace

Result<Changed> MapFusionHorizontal::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  const FusionRules rules{.vertical = false, .assume_pointwise = options.assume_pointwise};
  const FusionRules vertical{.shrink = true, .assume_pointwise = options.assume_pointwise};
  const auto visit = [&](FusionMaps& maps, const std::vector<NodeId>& entries) {
    std::map<std::string, std::vector<NodeId>> buckets;
    for (NodeId entry : entries) {
      // What is in a stream may come from any node of the state, without a path from there.
      if (takes_from_stream(maps.site().sdfg, maps.site().state, entry)) continue;
      auto& known = buckets[bucket(maps.site().state.get<MapEntry>(entry))];
      std::optional<NodeId> fused;
      for (std::size_t i = known.size() > most_candidates ? known.size() - most_candidates : 0;
           i < known.size() && !fused; ++i) {
        if (options.only_if_common_ancestor &&
            !have_common_ancestor(maps.at(known[i]), maps.at(entry)))
          continue;
        const auto check = [&, earlier = known[i]](const FusionMap&, const FusionPlan&) {
          Refusal why = check_readers(maps, earlier, entry, vertical);
          return why ? why : check_readers(maps, entry, earlier, vertical);
        };
        fused = maps.fuse(known[i], entry, rules,
                          options.producers_first ? check : FusionMaps::Filter());
        if (fused) known[i] = *fused;
      }
      if (!fused) known.push_back(entry);
    }
  };
  return walk_scopes(
      sdfg, {options.only_toplevel_maps, options.only_inner_maps},
      {options.never_consolidate_edges, options.consolidate_edges_only_if_not_extending}, context,
      visit);
}

}  // namespace sdfg
