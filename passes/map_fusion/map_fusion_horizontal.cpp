#include "passes/map_fusion/map_fusion_horizontal.h"

#include <algorithm>

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

}  // namespace

Result<Changed> MapFusionHorizontal::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  const FusionRules rules{.vertical = false, .assume_pointwise = options.assume_pointwise};
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
        fused = maps.fuse(known[i], entry, rules);
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
