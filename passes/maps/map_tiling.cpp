#include "passes/maps/map_tiling.h"

#include <algorithm>
#include <optional>

#include "ir/analysis/propagate.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

/// Which dimensions are tiled, and which move to the outer map as they are.
struct Plan {
  std::vector<DimensionTiling> tilings;
  std::vector<std::size_t> outside;
};

/// Parameters that say in which element a point accumulates; nothing if no elements are shared.
std::optional<SymbolSet> accumulates_by(const State& state, MapEnds ends) {
  const auto& map = state.get<MapEntry>(ends.entry);
  SymbolSet read;
  bool shared = false;
  for (EdgeId e : state.in(ends.exit)) {
    const Memlet& memlet = state[e].memlet;
    if (!memlet.wcr || !memlet.subset()) continue;
    SymbolSet here;
    collect_symbols(*memlet.subset(), here);
    read.insert(here.begin(), here.end());
    shared |= !std::ranges::all_of(map.params, [&](const auto& p) { return here.contains(p); });
  }
  return shared ? std::optional(std::move(read)) : std::nullopt;
}

Plan plan(const State& state, MapEnds ends, const MapTiling::Options& options) {
  Plan plan;
  const auto& map = state.get<MapEntry>(ends.entry);
  const auto shared = options.only_wcr ? accumulates_by(state, ends) : std::nullopt;
  if (options.only_wcr && (!shared || ends.depth > 0)) return plan;
  for (std::size_t d = 0; d < map.params.size(); ++d) {
    std::int64_t size = options.tile_sizes[std::min(d, options.tile_sizes.size() - 1)];
    if (shared && shared->contains(map.params[d])) size = 1;
    const auto length = map.ranges[d].size().as_integer();
    if (length && *length <= size && !options.tile_trivial) continue;
    if (size == 1 && !options.tile_trivial)
      plan.outside.push_back(d);
    else
      plan.tilings.push_back(
          {d, size, TilingType::Normal, options.divides_evenly, false, options.skew});
  }
  return plan;
}

Refusal check(const Sdfg& sdfg, const State& state, MapEnds ends, const Plan& plan) {
  const auto& map = state.get<MapEntry>(ends.entry);
  if (plan.tilings.empty()) return "no dimension is to be tiled, or none is longer than its tile";
  std::vector<std::size_t> order = plan.outside;
  for (std::size_t d = 0; d < map.params.size(); ++d)
    if (std::ranges::find(plan.outside, d) == plan.outside.end()) order.push_back(d);
  if (Refusal why = check_dimension_order(map, order)) return why;
  return check_tiling(sdfg, state, ends, plan.tilings);
}

}  // namespace

Result<Changed> MapTiling::run(Sdfg& root, const Options& options, PassContext& context) {
  const auto& sizes = options.tile_sizes;
  const bool sound = !sizes.empty() && std::ranges::min(sizes) > 0;
  if (!sound)
    return Diagnostic{{}, "tile_sizes holds no usable sizes", "write tile_sizes=64,8"};
  Changed result = Changed::No;
  AssignedNames assigned;
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    const auto tree = scope_tree(state);
    if (!tree) return;
    ScopeNames names(sdfg, state, assigned);
    std::vector<NodeId> changed;
    for (const MapEnds ends : maps_of(state, *tree, options.maps)) {
      const Trail here = trail.in(state, ends.entry);
      const Plan how = plan(state, ends, options);
      if (const Refusal why = check(sdfg, state, ends, how)) {
        context.refused(here, why);
        continue;
      }
      if (!context.may_apply()) break;
      context.applied(here, "tiled the map " + describe(state.get<MapEntry>(ends.entry)));
      tile_map(state, ends, how.tilings, how.outside, options.prefix, names);
      changed.push_back(ends.entry);
    }
    propagate_memlets(sdfg, state, changed);
    if (!changed.empty()) result = Changed::Yes;
  });
  return result;
}

}  // namespace sdfg
