#include "passes/gpu/boxes.h"

#include "ir/analysis/propagate.h"

namespace sdfg {
namespace {

/// The most that an expression of the map's first parameters can be, in symbols from outside.
std::optional<Expr> most(const Expr& e, const MapEntry& map, std::size_t dimensions) {
  Subset bound{{Range{0, e}}};
  for (std::size_t d = dimensions; d-- > 0;) {
    const auto found = image(bound, {map.params[d]}, {map.ranges[d]});
    if (found.size() != 1 || !found[0]) return std::nullopt;
    bound = Subset{{*found[0]}};
  }
  for (const std::string& param : map.params)
    if (uses_symbol(bound[0].end, param)) return std::nullopt;
  return bound[0].end;
}

}  // namespace

NodeId put_into_box(const Sdfg& sdfg, State& state, MapEnds ends, AssignedNames& assigned) {
  if (is_rectangular(state.get<MapEntry>(ends.entry))) return ends.entry;
  MapEntry outer = state.get<MapEntry>(ends.entry), inner;
  const MapEntry map = outer;
  outer.params.clear(), outer.ranges.clear();
  outer.collapse = 1;
  inner.label = map.label;
  inner.schedule = Schedule::Sequential;
  ScopeNames names(sdfg, state, assigned);
  for (std::size_t d = 0; d < map.params.size(); ++d) {
    const Range& r = map.ranges[d];
    if (!depends_on_earlier(map, d)) {
      outer.params.push_back(map.params[d]);
      outer.ranges.push_back(r);
      continue;
    }
    inner.params.push_back(map.params[d]);
    inner.ranges.push_back(r);
    const auto steps = most(floor_div(r.end - r.begin, r.step), map, d);
    if (!steps) continue;
    const std::string count = names.fresh("step_", map.params[d], 0);
    const Expr at = r.begin + Expr::symbol(count) * r.step;
    outer.params.push_back(count);
    outer.ranges.push_back({0, *steps});
    inner.ranges.back() = {at, min(r.end, at)};
  }
  const RareOptional<DebugInfo> debuginfo = state[ends.entry].debuginfo;
  state.get<MapEntry>(ends.entry) = std::move(inner);
  Node around{std::move(outer)};
  around.debuginfo = debuginfo;
  const MapEnds wrapped = wrap_map(state, ends, std::move(around));
  propagate_memlets(sdfg, state, ends.entry);
  return wrapped.entry;
}

}  // namespace sdfg
