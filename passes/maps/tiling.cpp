#include "passes/maps/tiling.h"

#include <algorithm>

#include "passes/common/point_order.h"
#include "passes/common/scope.h"

namespace sdfg {
namespace {

/// The two ranges that one becomes.
struct Tiled {
  Range tiles, points;
};

Tiled tile(const Range& range, const DimensionTiling& how, const Expr& at) {
  const Expr size = how.size, step = range.step, points = range.size();
  if (how.strided) {
    const Expr tiles = how.type == TilingType::NumberOfTiles ? size : ceil_div(points, size);
    // A range without points has no tiles, and still a step.
    return {{0, tiles - 1}, {range.begin + step * at, range.end, step * max(1, tiles)}};
  }
  switch (how.type) {
    case TilingType::Normal: {
      const Expr last = at + size * step - 1;
      return {{range.begin, range.end, size * step},
              {at, how.divides_evenly ? last : min(last, range.end), step}};
    }
    case TilingType::CeilRange: {
      const Expr first = range.begin + at * size * step, last = first + size * step - 1;
      return {{0, ceil_div(points, size) - 1},
              {first, how.divides_evenly ? last : min(last, range.end), step}};
    }
    case TilingType::NumberOfTiles: {
      const auto before = [&](const Expr& tile) {
        return how.divides_evenly ? tile * floor_div(points, size) : floor_div(tile * points, size);
      };
      return {{0, size - 1},
              {range.begin + step * before(at), range.begin + step * (before(at + 1) - 1), step}};
    }
  }
  SDFG_ASSERT(false) << "no such tiling";
  return {};
}

const DimensionTiling* find(const std::vector<DimensionTiling>& tilings, std::size_t dimension) {
  const auto at = std::ranges::find(tilings, dimension, &DimensionTiling::dimension);
  return at == tilings.end() ? nullptr : &*at;
}

/// The same with its points counted from its first.
void skew(Range& points) {
  points.end = points.end - points.begin;
  points.begin = 0;
}

}  // namespace

Refusal check_tiling(const Sdfg& sdfg, const State& state, MapEnds ends,
                     const std::vector<DimensionTiling>& tilings) {
  const auto& map = state.get<MapEntry>(ends.entry);
  Substitution moved;
  // Neighbours of a single dimension stay neighbours, unless they are dealt out.
  if (map.params.size() > 1 || tilings.front().strided)
    if (Refusal why = check_reordering(sdfg, state, ends.entry)) return why;
  for (const DimensionTiling& how : tilings) {
    const Range& range = map.ranges[how.dimension];
    const std::string name = "'" + map.params[how.dimension] + "'";
    if (range.tile != Expr(1)) return "the range " + to_text(range) + " of " + name + " has tiles";
    if (certain(less_equal(range.size(), 0))) return "the range of " + name + " has no points";
    SymbolSet used;
    collect_symbols(Subset{{range}}, used);
    for (const std::string& param : map.params)
      if (used.contains(param))
        return "the range " + to_text(range) + " of " + name + " uses '" + param + "'";
    if (how.divides_evenly && equal(mod(range.size(), how.size), 0) == Truth::No)
      return std::to_string(how.size) + " does not divide the " + to_text(range.size()) +
             " points of " + name;
    // What is added later is a name that nothing inside has (ScopeNames).
    const Expr param = Expr::symbol(map.params[how.dimension]);
    if (how.skew) moved[param.name()] = param + tile(range, how, param).points.begin;
  }
  if (moved.empty()) return {};
  return check_substitution(sdfg, state, *find_scope(state, ends.entry), moved);
}

void tile_map(State& state, MapEnds ends, const std::vector<DimensionTiling>& tilings,
              const std::vector<std::size_t>& outside, std::string_view prefix, ScopeNames& names) {
  MapEntry outer = state.get<MapEntry>(ends.entry);
  MapEntry inner;
  inner.label = outer.label;
  inner.schedule = outer.schedule == Schedule::Default ? Schedule::Default : Schedule::Sequential;
  const std::vector<std::string> params = std::exchange(outer.params, {});
  const std::vector<Range> ranges = std::exchange(outer.ranges, {});
  Substitution moved;
  for (std::size_t d = 0; d < params.size(); ++d) {
    const DimensionTiling* how = find(tilings, d);
    if (!how) {
      MapEntry& map = std::ranges::find(outside, d) != outside.end() ? outer : inner;
      map.params.push_back(params[d]);
      map.ranges.push_back(ranges[d]);
      continue;
    }
    const std::string name = names.fresh(prefix, "_" + params[d], ends.depth);
    Tiled tiled = tile(ranges[d], *how, Expr::symbol(name));
    if (how->skew) {
      moved[params[d]] = Expr::symbol(params[d]) + tiled.points.begin;
      skew(tiled.points);
    }
    outer.params.push_back(name);
    outer.ranges.push_back(std::move(tiled.tiles));
    inner.params.push_back(params[d]);
    inner.ranges.push_back(std::move(tiled.points));
  }
  if (!moved.empty()) {
    substitute_in_scope(state, *find_scope(state, ends.entry), moved);
    inner.ranges = substitute(Subset{std::move(inner.ranges)}, moved).ranges;
  }
  outer.collapse = std::min(outer.collapse, std::int64_t(outer.params.size()));
  state.get<MapEntry>(ends.entry) = std::move(inner);
  Node node{std::move(outer)};
  node.debuginfo = state[ends.entry].debuginfo;
  wrap_map(state, ends, std::move(node));
}

}  // namespace sdfg
