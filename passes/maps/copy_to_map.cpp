#include "passes/maps/copy_to_map.h"

#include <algorithm>
#include <optional>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/aliases.h"
#include "passes/common/copy.h"
#include "passes/common/order_edge.h"
#include "passes/common/viewed.h"
#include "passes/common/walk_states.h"
#include "passes/maps/nest.h"

namespace sdfg {
namespace {

/// A copy in terms of loops: sizes, and the element on each side at a point.
struct Plan {
  std::string from, to;
  CopySides sides;
  std::vector<std::size_t> from_wide, to_wide;
  bool reshapes = false;  ///< the wide dimensions are not the same ones
};

bool has_tiles(const Subset& subset) {
  return std::ranges::any_of(subset.ranges, [](const Range& r) { return r.tile != Expr(1); });
}

Refusal check(const Sdfg& sdfg, const State& state, EdgeId edge, bool reshapes,
              const Aliases& aliases, Plan& plan) {
  for (const NodeId end : {state.source(edge), state.target(edge)})
    if (const Data* data = sdfg.find_data(state.get<AccessNode>(end).data))
      if (data->is_view() && viewed_edge(sdfg, state, end) == edge)
        return "it says what the view '" + state.get<AccessNode>(end).data + "' looks at";
  if (state[edge].memlet.dynamic || state[edge].memlet.allow_oob)
    return "it is not known how much is copied";
  const auto sides = copy_sides(sdfg, state, edge);
  if (!sides) return "it cannot be told which elements are copied";
  plan.sides = *sides;
  if (has_tiles(sides->src) || has_tiles(sides->dst)) return "a subset has tiles";
  plan.from = state.get<AccessNode>(state.source(edge)).data;
  plan.to = state.get<AccessNode>(state.target(edge)).data;
  if (plan.from == plan.to && intersects(sides->src, sides->dst) != Truth::No)
    return "the two sides " + to_text(sides->src) + " and " + to_text(sides->dst) + " of '" +
           plan.from + "' may overlap";
  if (plan.from != plan.to) {
    const auto from = accessed_container(sdfg, state, state.source(edge));
    const auto to = accessed_container(sdfg, state, state.target(edge));
    if (!from || !to || may_be_same(aliases, *from, *to))
      return "'" + plan.from + "' and '" + plan.to + "' may be the same memory";
  }
  plan.from_wide = wide_dimensions(sides->src);
  plan.to_wide = wide_dimensions(sides->dst);
  bool same = plan.from_wide.size() == plan.to_wide.size();
  for (std::size_t k = 0; same && k < plan.from_wide.size(); ++k)
    same = sides->src[plan.from_wide[k]].size() == sides->dst[plan.to_wide[k]].size();
  if (same) return {};
  plan.reshapes = true;
  if (!reshapes)
    return "the dimensions of " + to_text(sides->src) + " are not those of " + to_text(sides->dst);
  if (!(num_elements(sides->src) == num_elements(sides->dst)))
    return "it is not certain that " + to_text(sides->src) + " and " + to_text(sides->dst) +
           " have as many elements";
  return {};
}

/// Does no code touch both sides, where the host makes the copy?
Refusal check_memory(const Sdfg& sdfg, const Plan& plan, const GpuMemory& gpu) {
  const bool from = gpu.is_out_of_reach(sdfg, plan.from), to = gpu.is_out_of_reach(sdfg, plan.to);
  if (from == to || !is_host_memory(sdfg.find_data(from ? plan.to : plan.from))) return {};
  return "one of '" + plan.from + "' and '" + plan.to +
         "' is in GPU memory and the other is not, so no map can touch both";
}

/// Do the wide dimensions form rows of neighbours that are one stride apart, on both sides alike?
/// The last dimension of the rows may be the first of the array.
bool is_one_call(const Sdfg& sdfg, const Plan& plan) {
  const auto strides = [&](const std::string& name, const Subset& subset,
                           const std::vector<std::size_t>& wide) {
    std::vector<Expr> out;
    const Data* data = sdfg.find_data(name);
    if (const Array* array = data ? data->as_array() : nullptr)
      for (std::size_t d : wide) out.push_back(array->strides[d] * subset[d].step);
    return out;
  };
  const auto from = strides(plan.from, plan.sides.src, plan.from_wide);
  const auto to = strides(plan.to, plan.sides.dst, plan.to_wide);
  if (from.size() != to.size() || from.size() != plan.from_wide.size())
    return plan.from_wide.empty();
  if (from.size() < 2) return true;
  if (from.back() == Expr(1) && to.back() == Expr(1)) return true;
  return from.size() == 2 && from.front() == Expr(1) && to.front() == Expr(1);
}

/// The map whose points the copy takes over: one outside of scopes that uses the copy's source and
/// has as many points along each wide dimension.
struct Beside {
  const MapEntry* map;
  std::vector<std::size_t> params;  ///< per wide dimension: which parameter
};

/// A range of negative size has as many points as one of none.
bool same_count(const Expr& a, const Expr& b) {
  return a == b || max(0, a) == b || max(0, b) == a;
}

/// A parameter that the copy names, with another meaning; empty if there is none.
std::string used_parameter(const Sdfg& sdfg, const Plan& plan, const MapEntry& map) {
  SymbolSet used;
  collect_symbols(plan.sides.src, used);
  collect_symbols(plan.sides.dst, used);
  for (const std::string& name : {plan.from, plan.to})
    if (const Data* data = sdfg.find_data(name)) collect_symbols(*data, used);
  const auto found =
      std::ranges::find_if(map.params, [&](const auto& p) { return used.contains(p); });
  return found == map.params.end() ? "" : *found;
}

std::optional<Beside> matching(const Sdfg& sdfg, const MapEntry* map, const Plan& plan) {
  if (!map || plan.reshapes || map->params.size() != plan.from_wide.size()) return std::nullopt;
  Beside out{map, {}};
  for (std::size_t d : plan.from_wide) {
    std::size_t k = 0;
    while (k < map->params.size() &&
           (std::ranges::find(out.params, k) != out.params.end() ||
            map->ranges[k].step != Expr(1) || map->ranges[k].tile != Expr(1) ||
            !same_count(map->ranges[k].size(), plan.sides.src[d].size())))
      ++k;
    if (k == map->params.size()) return std::nullopt;
    out.params.push_back(k);
  }
  return used_parameter(sdfg, plan, *map).empty() ? std::optional(std::move(out)) : std::nullopt;
}

/// `uses`: all access nodes of the copy's source.
std::optional<Beside> beside(const Sdfg& sdfg, const State& state,
                             const std::vector<NodeId>& uses, const Plan& plan) {
  if (plan.from_wide.empty() || plan.reshapes) return std::nullopt;
  for (NodeId use : uses) {
    for (EdgeId e : state.out(use))
      if (!state[e].memlet.empty())
        if (auto found = matching(sdfg, state[state.target(e)].as<MapEntry>(), plan)) return found;
    for (EdgeId e : state.in(use))
      if (const auto* exit = state[state.source(e)].as<MapExit>())
        if (auto found = matching(sdfg, state[exit->entry].as<MapEntry>(), plan)) return found;
  }
  return std::nullopt;
}

/// The indices of the element that is read for the one at `at`: the last dimensions are those of
/// the other side as long as sizes agree, and the others count in row-major order.
std::vector<Expr> reshaped(const Plan& plan, const std::vector<Expr>& at) {
  const auto src_size = [&](std::size_t k) { return plan.sides.src[plan.from_wide[k]].size(); };
  const auto dst_size = [&](std::size_t k) { return plan.sides.dst[plan.to_wide[k]].size(); };
  std::size_t from = plan.from_wide.size(), to = at.size();
  std::vector<Expr> out(from);
  for (; from > 0 && to > 0 && src_size(from - 1) == dst_size(to - 1); --from, --to)
    out[from - 1] = at[to - 1];
  Expr number = 0;
  for (std::size_t k = 0; k < to; ++k) number = number * dst_size(k) + at[k];
  for (; from > 0; --from) {
    out[from - 1] = from == 1 ? number : mod(number, src_size(from - 1));
    number = floor_div(number, src_size(from - 1));
  }
  return out;
}

NodeId apply(const Sdfg& sdfg, State& state, EdgeId edge, const Plan& plan, Schedule schedule,
           const std::optional<Beside>& points, std::optional<ScopeNames>& names) {
  MapEntry map;
  std::string label = "copy_" + plan.from + "_" + plan.to;
  std::ranges::replace(label, '.', '_');  // of members of structures
  map.label = label;
  map.schedule = schedule;
  std::vector<Expr> at;
  if (points) {
    const MapEntry& other = *points->map;
    map.label = other.label;
    map.params = other.params;
    map.ranges = other.ranges;
    for (std::size_t k : points->params)
      at.push_back(Expr::symbol(map.params[k]) - map.ranges[k].begin);
  }
  for (std::size_t k = 0; !points && k < plan.to_wide.size(); ++k) {
    map.params.push_back(names->fresh("__i", std::to_string(k), 0));
    const Range& range = plan.reshapes ? plan.sides.dst[plan.to_wide[k]]
                                       : plan.sides.src[plan.from_wide[k]];
    map.ranges.push_back({0, range.size() - 1});
    at.push_back(Expr::symbol(map.params.back()));
  }
  const std::vector<Expr> read = plan.reshapes ? reshaped(plan, at) : at;
  if (map.params.empty()) {
    map.params.push_back(names->fresh("__i", "0", 0));
    map.ranges.push_back(Range::index(0));
  }
  // Connectors must not have the name of a container or symbol.
  const std::string value = sdfg.fresh_name("value"), out = sdfg.fresh_name("out");
  Node tasklet{Tasklet{.label = label, .code = Code(out + " = " + value)}};
  tasklet.in_connectors[value] = {};
  tasklet.out_connectors[out] = {};
  Node entry_node{std::move(map)};
  entry_node.in_connectors["IN_value"] = {};
  entry_node.out_connectors["OUT_value"] = {};
  const NodeId entry = state.add(std::move(entry_node));
  const NodeId code = state.add(std::move(tasklet));
  Node exit_node{MapExit{entry}};
  exit_node.in_connectors["IN_out"] = {};
  exit_node.out_connectors["OUT_out"] = {};
  const NodeId exit = state.add(std::move(exit_node));

  const auto write = [&](Subset subset) {
    Memlet memlet = Memlet::write(plan.to, std::move(subset));
    memlet.wcr = state[edge].memlet.wcr;
    memlet.wcr_nonatomic = state[edge].memlet.wcr_nonatomic;
    return memlet;
  };
  const Subset &src = plan.sides.src, &dst = plan.sides.dst;
  state.connect(state.source(edge), entry, Edge{"", "IN_value", Memlet::read(plan.from, src)});
  state.connect(
      entry, code,
      Edge{"OUT_value", value, Memlet::read(plan.from, at_point(src, plan.from_wide, read))});
  state.connect(code, exit, Edge{out, "IN_out", write(at_point(dst, plan.to_wide, at))});
  // A copy comes after all that its target waits for.
  std::vector<NodeId> before;
  for (EdgeId e : state.in(state.target(edge)))
    if (!carries_data(state[e]) && state.source(e) != state.source(edge))
      before.push_back(state.source(e));
  for (NodeId n : before) state.connect(n, entry, Edge{});
  state.connect(exit, state.target(edge), Edge{"OUT_out", "", write(dst)});
  state.erase(edge);
  return entry;
}

}  // namespace

Refusal check_copy_to_map(const Sdfg& sdfg, const State& state, EdgeId edge,
                          const GpuMemory& gpu, const MapEntry* like, bool reshapes) {
  Plan plan;
  if (Refusal why = check(sdfg, state, edge, reshapes, {}, plan)) return why;
  if (Refusal why = check_memory(sdfg, plan, gpu)) return why;
  if (!like || matching(sdfg, like, plan)) return {};
  const std::string param = used_parameter(sdfg, plan, *like);
  if (!param.empty()) return "the copy uses '" + param + "', which is another in the map";
  return "the copy has other points than the map";
}

NodeId copy_to_map(const Sdfg& sdfg, State& state, EdgeId edge,
                   const std::vector<const MapEntry*>& like, AssignedNames& assigned) {
  Plan plan;
  SDFG_ASSERT(!check(sdfg, state, edge, true, {}, plan));
  std::optional<Beside> points;
  for (const MapEntry* map : like)
    if (!points) points = matching(sdfg, map, plan);
  std::optional<ScopeNames> names;
  if (!points) names.emplace(sdfg, state, assigned);
  return apply(sdfg, state, edge, plan, Schedule::Default, points, names);
}

Result<Changed> CopyToMap::run(Sdfg& root, const Options& options, PassContext& context) {
  Changed changed = Changed::No;
  AssignedNames assigned;
  const GpuMemory gpu(root);
  LazyAliases aliases(root);
  walk_states(root, Trail{}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
    std::optional<ScopeNames> names;
    std::optional<Aliases> same;
    std::optional<ScopeTree> scopes;
    ByName<std::vector<NodeId>> uses;  // outside of scopes
    if (options.only_beside_maps) {
      scopes = scope_tree_of(state);
      for (NodeId n : state.nodes())
        if (const auto* access = state[n].as<AccessNode>(); access && !scopes->parent_of(n))
          uses[access->data].push_back(n);
    }
    const auto is_meant = [&](NodeId node) {
      const std::string& data = state.get<AccessNode>(node).data;
      return std::ranges::find(options.arrays, data) != options.arrays.end();
    };
    for (EdgeId edge : state.edges()) {
      const NodeId from = state.source(edge), to = state.target(edge);
      const bool is_copy = state[from].is<AccessNode>() && state[to].is<AccessNode>() &&
                           !state[edge].memlet.empty() && state[edge].src_connector.empty() &&
                           state[edge].dst_connector.empty();
      if (!is_copy || (!options.arrays.empty() && !is_meant(from) && !is_meant(to))) continue;
      const Trail here = trail.in(state, from);
      Plan plan;
      if (!same) same = aliases.of(sdfg);
      Refusal why = check(sdfg, state, edge, options.reshapes, *same, plan);
      if (!why) why = check_memory(sdfg, plan, gpu);
      if (why) {
        context.refused(here, why);
        continue;
      }
      if (options.only_strided && is_one_call(sdfg, plan)) continue;
      std::optional<Beside> points;
      if (options.only_beside_maps) {
        if (!scopes->parent_of(from)) points = beside(sdfg, state, uses[plan.from], plan);
        if (!points) continue;
      }
      if (!context.may_apply()) return;
      context.applied(here, "copied " + plan.from + "[" + to_text(plan.sides.src) + "] to " +
                                plan.to + "[" + to_text(plan.sides.dst) + "] by a map");
      if (!names) names.emplace(sdfg, state, assigned);
      apply(sdfg, state, edge, plan, options.schedule, points, names);
      changed = Changed::Yes;
    }
  });
  return changed;
}

}  // namespace sdfg
