#include "passes/loops/nest_region.h"

#include <algorithm>
#include <set>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/propagate.h"
#include "ir/hiding_names.h"
#include "ir/replace.h"
#include "ir/walk.h"
#include "passes/common/pass_inside.h"
#include "passes/common/same_layout.h"

namespace sdfg {
namespace {

/// All edges of the trees of paths that begin (or end) with the edge.
void collect_tree(const State& state, EdgeId edge, bool forward, std::set<EdgeId>& out) {
  std::vector<EdgeId> open{edge};
  while (!open.empty()) {
    const EdgeId e = open.back();
    open.pop_back();
    if (!out.insert(e).second) continue;
    const NodeId next = forward ? state.target(e) : state.source(e);
    const bool passes = forward ? state[next].is_entry() : state[next].is_exit();
    if (!passes) continue;
    const std::string on =
        matching_connector(forward ? state[e].dst_connector : state[e].src_connector);
    if (on.empty()) continue;
    for (EdgeId n : forward ? state.out(next) : state.in(next))
      if ((forward ? state[n].src_connector : state[n].dst_connector) == on) open.push_back(n);
  }
}

/// Maps with a memlet that may leave its container.
std::vector<NodeId> unfitting_scopes(const State& state, const Sdfg& sdfg) {
  std::vector<NodeId> out;
  const auto fits = [&](const Memlet& memlet) {
    const Data* data = memlet.empty() ? nullptr : sdfg.arrays.get(memlet.data);
    return !data || !memlet.subset() ||
           certain(covers(Subset::whole(data->shape), *memlet.subset()));
  };
  for (NodeId n : state.nodes()) {
    const auto* exit = state[n].as<MapExit>();
    if (!state[n].is<MapEntry>() && !exit) continue;
    const auto edges = exit ? state.out(n) : state.in(n);
    if (!std::ranges::all_of(edges, [&](EdgeId e) { return fits(state[e].memlet); }))
      out.push_back(exit ? exit->entry : n);
  }
  return out;
}

}  // namespace

void refit_scopes(const Sdfg& sdfg, State& state) {
  propagate_memlets(sdfg, state, unfitting_scopes(state, sdfg));
}

void shift_subsets(State& state, std::string_view container, const Subset& origin, bool subtract) {
  std::set<EdgeId> reads, writes;
  SymbolSet moved;  // into scopes, where they must mean the same
  for (const Range& r : origin.ranges) collect_symbols(r.begin, moved);
  if (!moved.empty()) rename_bound_names(state, moved);
  for (NodeId n : state.nodes_of<AccessNode>()) {
    const auto* access = state[n].as<AccessNode>();
    if (access->data != container) continue;
    for (EdgeId e : state.out(n)) collect_tree(state, e, true, reads);
    for (EdgeId e : state.in(n)) collect_tree(state, e, false, writes);
  }
  for (EdgeId e : reads)
    if (auto& subset = state[e].memlet.src_subset) subset = offset_by(*subset, origin, subtract);
  for (EdgeId e : writes)
    if (auto& subset = state[e].memlet.dst_subset) subset = offset_by(*subset, origin, subtract);
}

Data windowed(const Data& data, const Subset& window) {
  Data out = data;
  out.transient = false;
  out.lifetime = Lifetime::Scope;
  Array* array = out.as_array();
  if (!array) return out;
  out.shape = sizes(window);
  // The window's first element is element 0 inside.
  array->offset.assign(out.shape.size(), Expr(0));
  array->start_offset = 0;
  if (!is_origin(window) || !(window == Subset::whole(data.shape)))
    array->total_size = elements_spanned(out.shape, array->strides);
  raise_negative_sizes(out);
  return out;
}

NestedSdfg nest_region(Sdfg& parent, Region&& region, std::string label,
                       const NestedContainers& containers, const TypeTable& types) {
  NestedSdfg node;
  node.label = label;
  Sdfg inner;
  inner.name = std::move(label);
  static_cast<Region&>(inner) = std::move(region);
  inner.using_explicit_control_flow = true;
  bool is_cut = false;
  for (const auto& [name, how] : containers) {
    if (how.is_private) {
      inner.arrays.insert(name, parent.arrays.at(name));
      continue;
    }
    const Data& outside = parent.arrays.at(name);
    is_cut |= !(how.window == Subset::whole(outside.shape));
    inner.arrays.insert(name, windowed(outside, how.window));
    if (outside.as_array() && !is_origin(how.window))
      for_each_state(inner, [&](State& s) { shift_subsets(s, name, how.window, true); });
  }
  if (is_cut) for_each_state(inner, [&](State& s) { refit_scopes(inner, s); });
  for (const auto& [name, how] : containers)
    if (how.is_private) parent.arrays.erase(name);
  // What is assigned inside keeps its declared type.
  const SymbolSet assigned = assigned_symbols(inner);
  for (const std::string& name : assigned)
    if (parent.symbols.contains(name)) inner.symbols[name] = parent.symbols.find(name)->second;
  // DaCe counts what one map of a state binds as bound in all of the state (free_symbols).
  for_each_state(inner, [](State& s) { rename_hiding_names(s); });
  pass_free_names(parent, types, node, inner);
  // It has no value before. DaCe's code lacks what is passed and does not count as free.
  for (auto& [name, value] : node.symbol_mapping)
    if (assigned.contains(name)) value = Expr(0);
  node.sdfg.emplace(std::move(inner));
  return node;
}

}  // namespace sdfg
