#include "passes/map_fusion/exact_write.h"

#include <algorithm>

#include "passes/common/outputs_read.h"

namespace sdfg {
namespace {

const std::optional<Subset>& written(const Memlet& memlet) {
  return memlet.dst_subset ? memlet.dst_subset : memlet.subset();
}

/// Does the subset, over all points of the map, name each element of its image?
bool fills_image(const Subset& subset, const MapEntry& map, const Assumptions& assumptions) {
  std::vector<bool> used(map.params.size());
  for (const Range& range : subset.ranges) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < map.params.size(); ++k) {
      const std::string& param = map.params[k];
      if (!uses_symbol(range.begin, param) && !uses_symbol(range.end, param)) continue;
      const auto affine = match_affine(range.begin, param);
      const auto factor = affine ? affine->coefficient.as_integer().value_or(0) : 0;
      if (!range.is_index() || (factor != 1 && factor != -1)) return false;
      if (used[k] || ++count > 1 || !(map.ranges[k].step == Expr(1)) ||
          !(map.ranges[k].tile == Expr(1)))
        return false;
      used[k] = true;
    }
  }
  // A parameter that moves nothing must take some value.
  for (std::size_t k = 0; k < map.params.size(); ++k) {
    const Range& range = map.ranges[k];
    if (!used[k] && !certain(less_equal(range.begin, range.end, assumptions))) return false;
    for (const std::string& param : map.params)
      if (uses_symbol(range.begin, param) || uses_symbol(range.end, param)) return false;
  }
  return true;
}

/// A dynamic range input gives a name a value of its own.
bool uses_range_input(const Subset& subset, const MapEntry& map, const Node& entry) {
  const auto used_in = [](const std::vector<Range>& ranges, const std::string& name) {
    return std::ranges::any_of(ranges, [&](const Range& r) {
      return uses_symbol(r.begin, name) || uses_symbol(r.end, name);
    });
  };
  return std::ranges::any_of(entry.in_connectors, [&](const auto& connector) {
    const std::string& name = connector.first;
    return !name.starts_with("IN_") && (used_in(subset.ranges, name) || used_in(map.ranges, name));
  });
}

}  // namespace

bool writes_exactly(const State& state, EdgeId edge, const Assumptions& assumptions) {
  const Memlet& memlet = state[edge].memlet;
  if (memlet.dynamic || combines(state, edge)) return false;
  const NodeId exit = state.source(edge);
  if (!state[exit].is_exit()) return true;
  const auto* map_exit = state[exit].as<MapExit>();
  if (!map_exit) return false;
  const std::string connector = matching_connector(state[edge].src_connector);
  std::optional<EdgeId> inner;
  for (EdgeId e : state.in(exit))
    if (state[e].dst_connector == connector) {
      if (inner) return false;
      inner = e;
    }
  if (!inner || !writes_exactly(state, *inner, assumptions)) return false;
  const auto& inside = written(state[*inner].memlet);
  const auto& outside = written(memlet);
  const auto& map = state.get<MapEntry>(map_exit->entry);
  if (!inside || !outside || uses_range_input(*inside, map, state[map_exit->entry]) ||
      !fills_image(*inside, map, assumptions))
    return false;
  Subset filled;
  for (auto& range : image(*inside, map.params, map.ranges, assumptions)) {
    if (!range) return false;
    filled.ranges.push_back(std::move(*range));
  }
  return filled == *outside || certain(covers(filled, *outside, assumptions));
}

}  // namespace sdfg
