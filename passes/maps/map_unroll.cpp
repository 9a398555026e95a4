#include "passes/maps/map_unroll.h"

#include <algorithm>
#include <map>

#include "ir/replace.h"
#include "passes/common/point_order.h"
#include "passes/common/scope.h"
#include "passes/common/scope_locals.h"
#include "passes/common/viewed.h"
#include "passes/common/walk_states.h"
#include "passes/maps/nest.h"
#include "passes/simplify/trivial_map_elimination.h"

namespace sdfg {
namespace {

using Point = std::vector<std::int64_t>;
using Environment = ByName<std::int64_t>;

/// Adds the points of the dimensions from `d` on, up to one more than `limit`.
Refusal add_points(const MapEntry& map, std::size_t d, Environment& env, Point& point,
                   std::int64_t limit, std::vector<Point>& points) {
  if (d == map.params.size()) {
    points.push_back(point);
    if (std::int64_t(points.size()) > limit)
      return "the map has more than " + std::to_string(limit) + " points";
    return {};
  }
  const Range& range = map.ranges[d];
  const auto begin = evaluate(range.begin, env), end = evaluate(range.end, env);
  const auto step = evaluate(range.step, env);
  if (!begin || !end || !step || *step < 1 || range.tile != Expr(1))
    return "the range " + to_text(range) + " of '" + map.params[d] + "' is not known";
  for (std::int64_t i = *begin; i <= *end; i += *step) {
    env[map.params[d]] = point.emplace_back(i);
    if (const Refusal why = add_points(map, d + 1, env, point, limit, points)) return why;
    point.pop_back();
  }
  return {};
}

void set_point(MapEntry& map, const Point& point) {
  for (std::size_t d = 0; d < point.size(); ++d) map.ranges[d] = Range::index(point[d]);
}

class Unroller {
 public:
  Unroller(const Sdfg& root, const MapUnroll::Options& options, PassContext& context)
      : gpu_(root), options_(options), context_(context) {}

  void on_state(Sdfg& sdfg, State& state, const Trail& trail) {
    const auto tree = scope_tree(state);
    if (!tree) return;
    std::vector<MapEnds> todo = maps_of(state, *tree, options_.maps);
    for (std::size_t i = 0; i < todo.size(); ++i) {
      const MapEnds ends = todo[i];
      const std::optional<Scope> scope = find_scope(state, ends.entry);
      if (!scope) continue;
      const Trail here = trail.in(state, ends.entry);
      std::vector<Point> points;
      if (const Refusal why = check(sdfg, state, ends, *scope, points)) {
        context_.refused(here, why);
        continue;
      }
      if (!context_.may_apply()) return;
      const auto& map = state.get<MapEntry>(ends.entry);
      context_.applied(here, "points of the map " + describe(map) +
                                 " written out: " + std::to_string(points.size()));
      unroll(sdfg, state, ends, *scope, points, todo);
      changed = Changed::Yes;
    }
  }

  Changed changed = Changed::No;

 private:
  Refusal check(const Sdfg& sdfg, State& state, MapEnds ends, const Scope& scope,
                std::vector<Point>& points) const {
    auto& map = state.get<MapEntry>(ends.entry);
    Environment env;
    Point point;
    if (Refusal why = add_points(map, 0, env, point, options_.max_points, points)) return why;
    if (points.empty()) return "the map has no point";
    const std::size_t nodes = state.node_count() + (points.size() - 1) * scope.nodes.size();
    if (std::int64_t(nodes) > options_.max_nodes)
      return "a body for each of its " + std::to_string(points.size()) +
             " points makes more than " + std::to_string(options_.max_nodes) +
             " nodes of the state; max_nodes says how many may be";
    if (points.size() > 1)
      if (Refusal why = check_reordering(sdfg, state, ends.entry)) return why;
    // Each copy is a trivial map; what holds for the first point holds for all.
    const std::vector<Range> ranges = map.ranges;
    set_point(map, points.front());
    Refusal why = TrivialMapElimination::check(sdfg, state, {{ends.entry}}, {}, gpu_);
    map.ranges = ranges;
    return why;
  }

  void unroll(Sdfg& sdfg, State& state, MapEnds ends, const Scope& scope,
              const std::vector<Point>& points, std::vector<MapEnds>& todo) {
    const std::vector<std::string> local = local_transients(sdfg, state, scope);
    std::vector<MapEnds> maps{ends};
    for (std::size_t p = 1; p < points.size(); ++p) {
      std::vector<NodeId> copies;
      maps.push_back(clone_map(state, ends, scope.nodes, copies));
      give_own_transients(state, maps.back(), copies, local);
      add_inner_maps(state, copies, todo);
    }
    for (std::size_t p = 0; p < points.size(); ++p) {
      set_point(state.get<MapEntry>(maps[p].entry), points[p]);
      TrivialMapElimination::apply(sdfg, state, {{maps[p].entry}}, {});
    }
  }

  /// Maps inside a copy are looked at as the originals are.
  void add_inner_maps(const State& state, const std::vector<NodeId>& copies,
                      std::vector<MapEnds>& todo) const {
    const auto wanted = [&](const MapEntry& map) {
      return options_.maps.empty() ||
             std::ranges::find(options_.maps, map.label) != options_.maps.end();
    };
    for (NodeId id : copies)
      if (const auto* exit = state[id].as<MapExit>();
          exit && wanted(state.get<MapEntry>(exit->entry)))
        todo.push_back({exit->entry, id});
  }

  std::vector<std::string> local_transients(Sdfg& sdfg, const State& state, const Scope& scope) {
    std::map<std::string, std::size_t> inside;
    for (NodeId id : scope.nodes)
      if (const auto* access = state[id].as<AccessNode>()) ++inside[root_name(access->data)];
    if (!locals_ || &locals_->sdfg() != &sdfg) locals_.emplace(sdfg);
    std::vector<std::string> local;
    for (const auto& [name, count] : inside)
      if (locals_->is_local(name, count)) local.push_back(name);
    return local;
  }

  void give_own_transients(State& state, MapEnds ends, const std::vector<NodeId>& nodes,
                           const std::vector<std::string>& local) {
    if (local.empty()) return;
    Renaming names;
    for (const std::string& name : local) names.emplace(name, locals_->renew(name));
    rename_in(state, ends, nodes, names);
  }

  void rename_in(State& state, MapEnds ends, const std::vector<NodeId>& nodes,
                 const Renaming& names) {
    const auto rename = [&](std::string& data) {
      const std::string root = root_name(data);
      if (const auto at = names.find(root); at != names.end())
        data.replace(0, root.size(), at->second);
    };
    for (NodeId id : nodes)
      if (auto* access = state[id].as<AccessNode>()) rename(access->data);
    for (EdgeId e : state.out(ends.entry)) rename(state[e].memlet.data);
    for (NodeId id : nodes)
      for (EdgeId e : state.out(id)) rename(state[e].memlet.data);
  }

  const GpuMemory gpu_;
  const MapUnroll::Options& options_;
  PassContext& context_;
  std::optional<ScopeLocals> locals_;  ///< of the SDFG of the last map
};

}  // namespace

Result<Changed> MapUnroll::run(Sdfg& root, const Options& options, PassContext& context) {
  Unroller unroller(root, options, context);
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    unroller.on_state(sdfg, state, trail);
  });
  return unroller.changed;
}

}  // namespace sdfg
