#include "passes/maps/nest.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/free_symbols.h"
#include "ir/analysis/propagate.h"
#include "ir/replace.h"

namespace sdfg {
namespace {

std::vector<EdgeId> copy(std::span<const EdgeId> edges) { return {edges.begin(), edges.end()}; }

/// The same data once more, on an edge that was not in the file.
Memlet again(const Memlet& memlet) {
  Memlet copy = memlet;
  copy.guid.clear();
  copy.origin = {};
  return copy;
}

std::size_t depth_of(const ScopeTree& tree, NodeId node, std::vector<std::size_t>& known) {
  std::vector<NodeId> chain;
  NodeId at = node;
  for (; at && known[at.value] == ~std::size_t(0); at = tree.parent_of(at)) chain.push_back(at);
  std::size_t depth = at ? known[at.value] + 1 : 0;
  for (std::size_t i = chain.size(); i-- > 0;) known[chain[i].value] = depth++;
  return known[node.value];
}

/// Words of code, and names of connectors, which hide symbols of the same name.
void collect_names_in(const Node& node, SymbolSet& out) {
  if (!node.is_code()) return;
  for (const auto* connectors : {&node.in_connectors, &node.out_connectors})
    for (const auto& [name, type] : *connectors) out.insert(name);
  if (const auto* tasklet = node.as<Tasklet>())
    for_each_word(tasklet->code.text(), [&](std::string_view word) { out.emplace(word); });
}

/// A name among `names` that the expression reads; null when there is none.
template <class Symbols>
const std::string* used_by(const Symbols& symbols, const std::vector<std::string>& names) {
  for (const std::string& symbol : symbols)
    if (const auto at = std::ranges::find(names, symbol); at != names.end()) return &*at;
  return nullptr;
}

std::string range_uses(const MapEntry& map, std::size_t d, const std::string& name) {
  return "the range " + to_text(map.ranges[d]) + " of '" + map.params[d] + "' uses '" + name + "'";
}

Refusal check_ranges(const MapEntry& map, const std::vector<std::string>& names) {
  for (std::size_t d = 0; d < map.ranges.size(); ++d) {
    SymbolSet used;
    collect_symbols(Subset{{map.ranges[d]}}, used);
    if (const std::string* name = used_by(used, names)) return range_uses(map, d, *name);
  }
  return {};
}

bool writes(const State& state, NodeId exit, const std::string& data) {
  return std::ranges::any_of(state.out(exit),
                             [&](EdgeId e) { return state[e].memlet.data == data; });
}

Refusal check_between(const State& state, MapEnds outer, MapEnds inner) {
  const auto between = [&](NodeId node) -> Refusal {
    const std::string name(state[node].label());
    return std::string(state[node].kind_name()) + (name.empty() ? "" : " '" + name + "'") +
           " stands between the two maps";
  };
  for (EdgeId e : state.out(outer.entry))
    if (state.target(e) != inner.entry) return between(state.target(e));
  for (EdgeId e : state.in(outer.exit))
    if (state.source(e) != inner.exit) return between(state.source(e));
  for (EdgeId e : state.in(inner.entry))
    if (state.source(e) != outer.entry) return between(state.source(e));
  for (EdgeId e : state.out(inner.exit))
    if (state.target(e) != outer.exit) return between(state.target(e));
  return {};
}

}  // namespace

bool is_dynamic_input(const std::string& connector) {
  return !connector.empty() && !connector.starts_with("IN_");
}

std::vector<MapEnds> maps_of(const State& state, const ScopeTree& tree,
                             const std::vector<std::string>& labels) {
  std::vector<MapEnds> found;
  std::vector<std::size_t> depth(state.id_bound(), ~std::size_t(0));
  for (NodeId id : state.nodes()) {
    const auto* map = state[id].as<MapEntry>();
    if (!map || !tree.exit_of(id) || map->params.size() != map->ranges.size()) continue;
    if (!labels.empty() && std::ranges::find(labels, map->label) == labels.end()) continue;
    const std::size_t around = depth_of(tree, id, depth);
    found.push_back({id, tree.exit_of(id), around});
  }
  std::ranges::stable_sort(found, {}, &MapEnds::depth);
  return found;
}

const SymbolSet& AssignedNames::operator()(const Sdfg& sdfg) {
  const auto [at, is_new] = names_.try_emplace(&sdfg);
  if (is_new) at->second = assigned_symbols(sdfg);
  return at->second;
}

ScopeNames::ScopeNames(const Sdfg& sdfg, const State& state, AssignedNames& assigned)
    : sdfg_(sdfg), assigned_(assigned(sdfg)) {
  for (NodeId id : state.nodes())
    for (std::string& name : names_of_scope(state[id])) taken_.insert(std::move(name));
  for (NodeId id : state.nodes()) collect_names_in(state[id], taken_);
}

std::string ScopeNames::fresh(std::string_view prefix, std::string_view rest, std::size_t level) {
  FreeNames& names = free_[{std::string(prefix), std::string(rest)}];
  for (; names.found.size() <= level; ++names.tried) {
    const std::string number = names.tried == 0 ? "" : std::to_string(names.tried);
    std::string name = std::string(prefix) + number + std::string(rest);
    if (!taken_.contains(name) && !assigned_.contains(name) && sdfg_.fresh_name(name) == name)
      names.found.push_back(std::move(name));
  }
  return names.found[level];
}

MapEnds wrap_map(State& state, MapEnds inner, Node outer) {
  const MapEnds ends{state.add(std::move(outer)), {}};
  const NodeId exit = state.add(Node{MapExit{ends.entry}});
  const auto move_connector = [](Connectors& from, Connectors& to, const std::string& name) {
    if (const auto at = from.find(name); at != from.end()) to.insert(from.extract(at));
  };
  for (EdgeId e : copy(state.in(inner.entry))) {
    const std::string connector = state[e].dst_connector;
    state.set_target(e, ends.entry);
    if (is_dynamic_input(connector)) {
      move_connector(state[inner.entry].in_connectors, state[ends.entry].in_connectors, connector);
    } else if (!connector.empty()) {
      const std::string onward = matching_connector(connector);
      state[ends.entry].in_connectors[connector] = state[inner.entry].in_connectors[connector];
      state[ends.entry].out_connectors[onward] = {};
      state.connect(ends.entry, inner.entry, Edge{onward, connector, again(state[e].memlet)});
    }
  }
  if (state.in(inner.entry).empty()) state.connect(ends.entry, inner.entry, Edge{});
  for (EdgeId e : copy(state.out(inner.exit))) {
    const std::string connector = state[e].src_connector;
    state.set_source(e, exit);
    if (connector.empty()) continue;
    const std::string inward = matching_connector(connector);
    state[exit].out_connectors[connector] = state[inner.exit].out_connectors[connector];
    state[exit].in_connectors[inward] = {};
    state.connect(inner.exit, exit, Edge{connector, inward, again(state[e].memlet)});
  }
  if (state.out(inner.exit).empty()) state.connect(inner.exit, exit, Edge{});
  return {ends.entry, exit};
}

NodeId inner_entry(const State& state, NodeId outer) {
  for (EdgeId e : state.out(outer))
    if (state[state.target(e)].is<MapEntry>()) return state.target(e);
  return {};
}

Refusal check_dimension_order(const MapEntry& map, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> place(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) place[order[at]] = at;
  for (std::size_t d = 0; d < place.size(); ++d) {
    SymbolSet used;
    collect_symbols(Subset{{map.ranges[d]}}, used);
    for (std::size_t other = 0; other < place.size(); ++other)
      if ((other < d) != (place[other] < place[d]) && used.contains(map.params[other]))
        return range_uses(map, d, map.params[other]);
  }
  return {};
}

Refusal check_perfect_nest(const Sdfg& sdfg, const State& state, MapEnds outer, MapEnds inner,
                           const GpuMemory& gpu) {
  if (const Refusal why = check_between(state, outer, inner)) return why;
  const auto& map = state.get<MapEntry>(outer.entry);
  const auto& inside = state.get<MapEntry>(inner.entry);
  const std::vector<std::string> names = names_of_scope(state[outer.entry]);
  const std::vector<std::string> inner_names = names_of_scope(state[inner.entry]);
  for (const std::string& name : inner_names)
    if (std::ranges::find(names, name) != names.end()) return "both maps define '" + name + "'";
  if (Refusal why = check_ranges(inside, map.params)) return why;
  // An outer range would come under what the inner map defines.
  if (Refusal why = check_ranges(map, inner_names)) return why;
  for (EdgeId e : state.in(inner.entry)) {
    if (!is_dynamic_input(state[e].dst_connector)) continue;
    const Memlet& memlet = state[e].memlet;
    const std::string input = "the dynamic range input '" + state[e].dst_connector + "'";
    SymbolSet used;
    if (memlet.subset()) collect_symbols(*memlet.subset(), used);
    if (const std::string* name = used_by(used, names))
      return input + " is read at " + to_text(*memlet.subset()) + ", which uses '" + *name + "'";
    if (writes(state, outer.exit, memlet.data))
      return input + " reads '" + memlet.data + "', which the maps write";
    const Data* data = sdfg.find_data(memlet.data);
    if (outer.depth == 0 && gpu.is_out_of_reach(sdfg, memlet.data))
      return input + " reads '" + memlet.data + "', which is in GPU memory, and the range of the " +
             "outer map is found on the host";
    if (!data || !memlet.subset() || !certain(covers(all_elements(*data), *memlet.subset())))
      return input + " reads an element of '" + memlet.data +
             "' that may not exist where the outer map has no points";
  }
  return {};
}

void move_dynamic_inputs_outward(State& state, MapEnds outer, MapEnds inner) {
  for (EdgeId e : copy(state.in(inner.entry))) {
    const std::string connector = state[e].dst_connector;
    if (!is_dynamic_input(connector)) continue;
    const std::string through = state[e].src_connector;
    const std::string arrives = matching_connector(through);
    const auto incoming = std::ranges::find_if(
        state.in(outer.entry), [&](EdgeId in) { return state[in].dst_connector == arrives; });
    SDFG_ASSERT(incoming != state.in(outer.entry).end()) << "no edge into " << arrives;
    const EdgeId from = *incoming;
    Edge moved{state[from].src_connector, connector, std::move(state[e].memlet)};
    state.connect(state.source(from), outer.entry, std::move(moved));
    auto& inner_in = state[inner.entry].in_connectors;
    state[outer.entry].in_connectors.insert(inner_in.extract(connector));
    state.erase(e);
    const bool used = std::ranges::any_of(
        state.out(outer.entry), [&](EdgeId out) { return state[out].src_connector == through; });
    if (used) continue;
    state.erase(from);
    state[outer.entry].in_connectors.erase(arrives);
    state[outer.entry].out_connectors.erase(through);
  }
  if (state.in(inner.entry).empty()) state.connect(outer.entry, inner.entry, Edge{});
}

void dissolve_inner_map(State& state, MapEnds outer, MapEnds inner) {
  move_dynamic_inputs_outward(state, outer, inner);
  std::map<std::string, std::string> before, after;  // inner connector: the outer one it continues
  for (EdgeId e : state.in(inner.entry))
    if (!state[e].dst_connector.empty())
      before[matching_connector(state[e].dst_connector)] = state[e].src_connector;
  for (EdgeId e : state.out(inner.exit))
    if (!state[e].src_connector.empty())
      after[matching_connector(state[e].src_connector)] = state[e].dst_connector;
  for (EdgeId e : copy(state.out(inner.entry))) {
    state.set_source(e, outer.entry);
    if (auto& connector = state[e].src_connector; !connector.empty())
      connector = before.at(connector);
  }
  for (EdgeId e : copy(state.in(inner.exit))) {
    state.set_target(e, outer.exit);
    if (auto& connector = state[e].dst_connector; !connector.empty())
      connector = after.at(connector);
  }
  state.erase(inner.entry);
  state.erase(inner.exit);
}

MapEnds clone_map(State& state, MapEnds ends, const std::vector<NodeId>& nodes,
                  std::vector<NodeId>& copies) {
  std::map<NodeId, NodeId> copy_of;
  const auto clone = [&](NodeId id) {
    Node node = state[id];
    node.guid.clear();
    if (auto* exit = node.as<MapExit>()) exit->entry = copy_of.at(exit->entry);
    if (auto* exit = node.as<ConsumeExit>()) exit->entry = copy_of.at(exit->entry);
    if (auto* other = node.as<OtherNode>(); other && other->entry)
      other->entry = copy_of.at(*other->entry);
    return copy_of[id] = state.add(std::move(node));
  };
  const auto clone_edge = [&](EdgeId e) {
    const auto end = [&](NodeId id) {
      const auto at = copy_of.find(id);
      return at == copy_of.end() ? id : at->second;
    };
    Edge edge = state[e];
    edge.memlet = again(edge.memlet);
    state.connect(end(state.source(e)), end(state.target(e)), std::move(edge));
  };
  clone(ends.entry);
  for (const bool exits : {false, true})  // an exit names its entry
    for (NodeId id : nodes)
      if (state[id].is_exit() == exits) copies.push_back(clone(id));
  clone(ends.exit);
  for (EdgeId e : copy(state.in(ends.entry))) clone_edge(e);
  for (EdgeId e : copy(state.out(ends.entry))) clone_edge(e);
  for (NodeId id : nodes)
    for (EdgeId e : copy(state.out(id))) clone_edge(e);
  for (EdgeId e : copy(state.out(ends.exit))) clone_edge(e);
  return {copy_of.at(ends.entry), copy_of.at(ends.exit)};
}

Subset at_point(Subset subset, const std::vector<std::size_t>& dimensions,
                const std::vector<Expr>& indices) {
  for (std::size_t k = 0; k < dimensions.size() && k < indices.size(); ++k) {
    Range& range = subset[dimensions[k]];
    range = Range::index(range.begin + indices[k] * range.step);
  }
  return subset;
}

std::string describe(const MapEntry& map) {
  std::string text = "'" + map.label + "' over ";
  for (std::size_t d = 0; d < map.params.size(); ++d)
    text += (d ? ", " : "") + map.params[d] + " in " + to_text(map.ranges[d]);
  return text;
}

}  // namespace sdfg
