#include "passes/loops/nest_scope.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/used_names.h"
#include "ir/hiding_names.h"
#include "ir/walk.h"
#include "passes/common/pass_inside.h"
#include "passes/loops/nest_region.h"

namespace sdfg {
ScopeNester::ScopeNester(const Sdfg& sdfg) : sdfg_(sdfg), types_(symbol_types(sdfg)) {
  for (const auto& [name, data] : sdfg.arrays) containers_.insert(name);
  for_each_node(sdfg, [&](const Node& node) {
    if (const auto* access = node.as<AccessNode>()) ++access_nodes_[access->data];
  });
}

/// Has the symbol a value around a map?
bool ScopeNester::is_known(std::string_view symbol, const State& state,
                           const std::vector<NodeId>& around) const {
  if (types_.contains(symbol) || sdfg_.symbols.contains(symbol) || sdfg_.constants.contains(symbol))
    return true;
  return std::ranges::any_of(around, [&](NodeId scope) {
    const auto* map = state[scope].as<MapEntry>();
    return (map && std::ranges::find(map->params, symbol) != map->params.end()) ||
           state[scope].in_connectors.contains(symbol);
  });
}

/// Does a part hold all that is touched behind the edge that names it? Memlets at the borders of
/// scopes are summaries, and may say less than those inside.
static bool says_all(const State& state, EdgeId edge, bool in, const Subset& part,
                     const Assumptions& assumptions) {
  return std::ranges::all_of(path_leaves(state, edge), [&](EdgeId leaf) {
    const auto& innermost = in ? state[leaf].memlet.src_subset : state[leaf].memlet.dst_subset;
    if (!innermost || innermost->rank() != part.rank()) return false;
    std::vector<NodeId> entries;  // of the scopes between, from the outermost in
    for (EdgeId e : memlet_path(state, leaf)) {
      const Node& node = state[in ? state.source(e) : state.target(e)];
      if (const auto* exit = node.as<MapExit>())
        entries.insert(entries.begin(), exit->entry);
      else if (node.is<MapEntry>() && in)
        entries.push_back(state.source(e));
      else if (node.is<ConsumeEntry>() || node.is<ConsumeExit>())
        return false;
    }
    // Those around the edge itself stay symbols of the part.
    const NodeId outermost = in ? state.target(edge) : state.get<MapExit>(state.source(edge)).entry;
    entries.erase(entries.begin(), std::ranges::find(entries, outermost));
    Subset touched = *innermost;
    while (!entries.empty()) {
      const auto& map = state.get<MapEntry>(entries.back());
      entries.pop_back();
      const auto ranges = image(touched, map.params, map.ranges, assumptions);
      for (std::size_t d = 0; d < ranges.size(); ++d) {
        if (!ranges[d]) return false;
        touched[d] = *ranges[d];
      }
    }
    return certain(covers(part, touched, assumptions));
  });
}

Refusal ScopeNester::add_to_border(const State& state, EdgeId edge, bool in,
                                   const std::vector<NodeId>& around, Border& border,
                                   const Assumptions& assumptions) const {
  const Memlet& memlet = state[edge].memlet;
  if (memlet.empty()) return {};
  const NodeId end = in ? path_source(state, edge) : path_target(state, edge);
  const auto* access = state[end].as<AccessNode>();
  if (!access) return "a path over the map's border ends at no container";
  const Data* data = sdfg_.arrays.get(access->data);
  if (!data || data->is_stream() || data->is_structure() || data->role() != Role::Plain)
    return "'" + access->data + "' is a " +
           (data ? data->json_type() : std::string("member of a structure"));
  if (memlet.wcr) return "the map resolves conflicts on '" + access->data + "'";
  if (const Array* array = data->as_array())
    for (const Expr& e : array->offset)
      if (!(e == Expr(0)) || !(array->start_offset == Expr(0)))
        return "'" + access->data + "' has an offset";
  const auto& subset = in ? memlet.src_subset : memlet.dst_subset;
  const Subset part = subset && says_all(state, edge, in, *subset, assumptions)
                          ? *subset
                          : Subset::whole(data->shape);
  SymbolSet names;
  collect_symbols(part, names);
  for (const std::string& name : names)
    if (!is_known(name, state, around))
      return "the memlet of '" + access->data + "' mentions '" + name +
             "', which is not defined here";
  const auto [at, is_new] = border.try_emplace(access->data);
  BorderContainer& container = at->second;
  container.window = is_new ? part : bounding_box(container.window, part, assumptions);
  for (std::size_t d = 0; d < container.window.rank(); ++d) {
    Range& r = container.window[d];
    r.step = 1, r.tile = 1;
    if (has_negative_size(r)) r = Range::half_open(0, data->shape[d]);
  }
  auto& mine = in ? container.in : container.out;
  const auto same_place = [&](EdgeId other) {
    return in ? state.source(other) == state.source(edge) &&
                    state[other].src_connector == state[edge].src_connector
              : state.target(other) == state.target(edge) &&
                    state[other].dst_connector == state[edge].dst_connector;
  };
  if (mine && !same_place(*mine))
    return "'" + access->data + "' " + (in ? "comes from" : "goes to") + " several nodes";
  if (!mine) mine = edge;
  return {};
}

Refusal check_connectors(const State& state, const std::vector<NodeId>& nodes,
                         const std::vector<NodeId>& around) {
  SymbolSet params;
  for (NodeId entry : around)
    if (const auto* map = state[entry].as<MapEntry>())
      params.insert(map->params.begin(), map->params.end());
  if (params.empty()) return {};
  for (NodeId n : nodes)
    for (const auto* connectors : {&state[n].in_connectors, &state[n].out_connectors})
      for (const auto& [name, type] : *connectors)
        if (params.contains(name))
          return "connector '" + name + "' of '" + std::string(state[n].label()) +
                 "' has the name of a parameter";
  return {};
}

Refusal check_gpu_memory(const GpuMemory& gpu, const Sdfg& sdfg, const Node& entry,
                         const Border& border) {
  if (may_be_kernel(entry)) return {};
  for (const auto& [name, container] : border)
    if (gpu.is_out_of_reach(sdfg, name))
      return "'" + name + "' is in GPU memory, and the map runs on the host: it holds kernels";
  return {};
}

Refusal ScopeNester::find_border(const State& state, const Scope& scope,
                                 const std::vector<NodeId>& around, Border& border,
                                 const Assumptions& assumptions) const {
  for (const auto& [name, type] : state[scope.entry].in_connectors)
    if (!name.starts_with("IN_")) return "the range comes in through connector '" + name + "'";
  if (Refusal why = check_connectors(state, scope.nodes, around)) return why;
  for (EdgeId e : state.in(scope.entry))
    if (Refusal why = add_to_border(state, e, true, around, border, assumptions)) return why;
  for (EdgeId e : state.out(scope.exit))
    if (Refusal why = add_to_border(state, e, false, around, border, assumptions)) return why;
  SymbolSet used;
  ByName<std::size_t> inside;
  for (NodeId n : scope.nodes) {
    const Node& node = state[n];
    collect_used_names(node, containers_, used);
    if (node.is<ConsumeEntry>())
      return "'" + std::string(node.label()) + "' is a " + std::string(node.kind_name());
    for (EdgeId e : state.in(n)) collect_used_names(state[e], containers_, used);
    for (EdgeId e : state.out(n)) collect_used_names(state[e], containers_, used);
    const auto* access = node.as<AccessNode>();
    if (!access) continue;
    const Data* data = sdfg_.arrays.get(access->data);
    if (!data || data->role() != Role::Plain || data->is_stream() || data->is_structure())
      return "'" + access->data + "' inside is no plain container";
    if (border.contains(access->data) || !data->transient)
      return "'" + access->data + "' is accessed inside without passing the border";
    ++inside[access->data];
  }
  for (const auto& [name, count] : inside)
    if (count != access_nodes_.at(name))
      return "'" + name + "', which the map uses inside, is used elsewhere, too";
  for (const std::string& name : used)
    if (containers_.contains(name)) return "'" + name + "' is read by name inside";
  return {};
}

State ScopeNester::inside(const State& state, const Scope& scope, const Border& border,
                          Sdfg& inner) const {
  for (const auto& [name, container] : border)
    inner.arrays.insert(name, windowed(sdfg_.arrays.at(name), container.window));
  State body;
  std::map<NodeId, NodeId> moved;
  std::map<std::string, NodeId> read, written;
  const auto local = [&](const std::string& name) {
    if (const Data* data = sdfg_.arrays.get(name)) inner.arrays.insert(name, *data);
    if (const Constant* value = sdfg_.constants.get(name)) inner.constants.insert(name, *value);
  };
  for (NodeId n : scope.nodes) {
    moved[n] = body.add(state[n]);
    if (const auto* access = state[n].as<AccessNode>()) local(access->data);
  }
  for (const auto& [from, to] : moved) {
    if (auto* exit = body[to].as<MapExit>()) exit->entry = moved[exit->entry];
  }
  const auto end_of = [&](EdgeId e, bool in) -> const std::string& {
    return state.get<AccessNode>(in ? path_source(state, e) : path_target(state, e)).data;
  };
  const auto border_node = [&](std::map<std::string, NodeId>& nodes, EdgeId e, bool in) {
    const std::string& name = end_of(e, in);
    const auto [at, is_new] = nodes.try_emplace(name);
    if (is_new) at->second = body.add(Node{AccessNode{name}});
    return at->second;
  };
  const auto copy = [&](EdgeId e) {
    const NodeId from = state.source(e), to = state.target(e);
    Edge edge = state[e];
    NodeId new_from, new_to;
    if (to != scope.exit && !moved.contains(to)) return;
    if (from == scope.entry) {
      if (edge.memlet.empty()) return;
      new_from = border_node(read, e, true);
      edge.src_connector.clear();
    } else {
      new_from = moved.at(from);
    }
    if (to == scope.exit) {
      const auto end = edge.memlet.empty() ? border.end() : border.find(end_of(e, false));
      if (end == border.end() || !end->second.out) return;
      new_to = border_node(written, e, false);
      edge.dst_connector.clear();
    } else {
      new_to = moved.at(to);
      if (state[from].is<Tasklet>() && state[to].is<Tasklet>() && !edge.memlet.empty())
        local(edge.memlet.data);
    }
    body.connect(new_from, new_to, std::move(edge));
  };
  for (EdgeId e : state.out(scope.entry)) copy(e);
  for (NodeId n : scope.nodes)
    for (EdgeId e : state.out(n)) copy(e);
  for (const auto& [name, container] : border) shift_subsets(body, name, container.window, true);
  refit_scopes(inner, body);
  rename_hiding_names(body);
  return body;
}

NestedSdfg ScopeNester::finish(Sdfg inner, std::string label) const {
  inner.name = label;
  inner.using_explicit_control_flow = true;
  NestedSdfg node;
  node.label = std::move(label);
  pass_free_names(sdfg_, types_, node, inner);
  node.sdfg.emplace(std::move(inner));
  return node;
}

NestedSdfg ScopeNester::nest(const State& state, const Scope& scope, const Border& border,
                             std::string label,
                             const std::function<Block(Block state)>& enclose) const {
  Sdfg inner;
  inner.start_block = inner.add(enclose(Block{"body", inside(state, scope, border, inner)}));
  return finish(std::move(inner), std::move(label));
}

NestedSdfg ScopeNester::nest(const std::vector<ScopeInside>& scopes, std::string label) const {
  Sdfg inner;
  std::optional<BlockId> before;
  for (const auto& [state, scope, border, block_label] : scopes) {
    const BlockId added = inner.add(Block{block_label, inside(state, scope, border, inner)});
    if (before)
      inner.connect(*before, added, InterstateEdge{});
    else
      inner.start_block = added;
    before = added;
  }
  return finish(std::move(inner), std::move(label));
}

}  // namespace sdfg
