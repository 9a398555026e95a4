#include "passes/maps/local_storage.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "ir/replace.h"
#include "passes/common/assume.h"
#include "passes/common/certain_writes.h"
#include "passes/common/empty_parts.h"
#include "passes/common/scope.h"

namespace sdfg {
namespace {

bool mentions(const Expr& value, const SymbolSet& names) {
  const SymbolSet used = free_symbols(value);
  return std::ranges::any_of(used, [&](const std::string& name) { return names.contains(name); });
}

/// An upper bound without the names: each minimum may be replaced by any of its arguments as long
/// as it is added. Tried from the first argument on; nothing when every choice still mentions a
/// name.
std::optional<Expr> upper_bound_without(const Expr& value, const SymbolSet& names) {
  if (!mentions(value, names)) return value;
  const std::vector<Expr> terms = value.is(Op::Add)
                                      ? std::vector<Expr>(value.args().begin(), value.args().end())
                                      : std::vector<Expr>{value};
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (!terms[t].is(Op::Min)) continue;
    Expr rest = 0;
    for (std::size_t other = 0; other < terms.size(); ++other)
      if (other != t) rest = rest + terms[other];
    for (const Expr& choice : terms[t].args())
      if (auto bound = upper_bound_without(choice + rest, names)) return bound;
  }
  return std::nullopt;
}

/// Which side of a memlet the container is at.
std::optional<Subset>& side(Memlet& memlet, bool reads) {
  return reads ? memlet.src_subset : memlet.dst_subset;
}
const std::optional<Subset>& side(const Memlet& memlet, bool reads) {
  return reads ? memlet.src_subset : memlet.dst_subset;
}

/// The inner end of an edge.
NodeId end_of(const State& state, const StoragePlace& place, EdgeId edge) {
  return place.reads ? state.target(edge) : state.source(edge);
}

/// Entries around a node, the innermost first, up to the inner map of the place.
std::vector<NodeId> scopes_around(const ScopeTree& tree, const StoragePlace& place, NodeId node) {
  std::vector<NodeId> entries;
  for (const NodeId entry : tree.enclosing(node)) {
    entries.push_back(entry);
    if (entry == place.inner.entry) break;
  }
  return entries;
}

/// What a leaf's memlet touches over all points of the inner map. A dimension that cannot be told
/// is the container's whole extent.
Subset seen_from_outside(const State& state, const ScopeTree& tree, const StoragePlace& place,
                         EdgeId leaf, const Subset& whole) {
  Subset subset = *side(state[leaf].memlet, place.reads);
  for (const NodeId entry : scopes_around(tree, place, end_of(state, place, leaf))) {
    const std::vector<std::string> defined = names_of_scope(state[entry]);
    const SymbolSet names(defined.begin(), defined.end());
    std::vector<std::optional<Range>> ranges(subset.ranges.begin(), subset.ranges.end());
    if (const auto* map = state[entry].as<MapEntry>())
      ranges = image(subset, map->params, map->ranges);
    for (std::size_t d = 0; d < subset.rank(); ++d) {
      const bool known = ranges[d] && !mentions(ranges[d]->begin, names) &&
                         !mentions(ranges[d]->end, names) && !mentions(ranges[d]->step, names);
      subset[d] = known ? *ranges[d] : whole[d];
    }
  }
  return subset;
}

/// Is there an access by the leaf wherever the box has elements?
bool fills(const State& state, const ScopeTree& tree, const StoragePlace& place, EdgeId leaf,
           const Subset& box, const Assumptions& known) {
  const auto is_as_long = [&](const Range& range) {
    return std::ranges::any_of(box.ranges,
                               [&](const Range& r) { return r.size() == range.size(); });
  };
  const auto has_points = [&](const Range& range) {
    return is_as_long(range) || certain(less_equal(range.begin, range.end, known));
  };
  return std::ranges::all_of(
      scopes_around(tree, place, end_of(state, place, leaf)), [&](NodeId entry) {
        const auto* map = state[entry].as<MapEntry>();
        return map && std::ranges::all_of(map->ranges, has_points);
      });
}

/// Sizes of the box, bounded without the parameters of the scopes around; there is memory for it
/// where these run nothing, too.
Result<LocalBox> bounded(const State& state, const ScopeTree& tree, NodeId inner, Subset box,
                         const Assumptions& outside) {
  SymbolSet params;
  for (const NodeId entry : tree.enclosing(inner))
    for (std::string& name : names_of_scope(state[entry])) params.insert(std::move(name));
  LocalBox local{std::move(box), {}};
  for (const Range& range : local.box.ranges) {
    if (range.step != Expr(1) || range.tile != Expr(1))
      return Diagnostic{{}, "the subset " + to_text(local.box) + " has steps"};
    const Expr size = range.size();
    const std::optional<Expr> bound = upper_bound_without(size, params);
    if (!bound)
      return Diagnostic{{},
                        "the number of elements " + to_text(size) + " of " + to_text(range) +
                            " has no bound without map parameters"};
    local.shape.push_back(certain(less_equal(0, *bound, outside)) ? *bound : max(0, *bound));
  }
  return local;
}

/// Has a map on the way, or around, certainly no points? Any box holds what is touched then.
bool is_never_touched(const State& state, const ScopeTree& tree, const InnerEdges& inner,
                      const Assumptions& known) {
  const auto has_no_points = [&](NodeId entry) {
    const auto* map = state[entry].as<MapEntry>();
    return map && certainly_empty(map->ranges, known);
  };
  return std::ranges::any_of(inner.entries, has_no_points) ||
         std::ranges::any_of(tree.enclosing(inner.entries.front()), has_no_points);
}

}  // namespace

std::vector<StoragePlace> storage_places(const State& state, bool reads, const std::string& array,
                                         const std::vector<std::string>& maps) {
  std::vector<StoragePlace> places;
  const auto tree = scope_tree(state);
  if (!tree) return places;
  for (const MapEnds outer : maps_of(state, *tree, maps))
    for (EdgeId e : reads ? state.out(outer.entry) : state.in(outer.exit)) {
      const NodeId end = reads ? state.target(e) : state.source(e);
      const Edge& edge = state[e];
      if (edge.memlet.empty() || (!array.empty() && edge.memlet.data != array)) continue;
      if (reads && state[end].is<MapEntry>() && edge.dst_connector.starts_with("IN_") &&
          tree->exit_of(end))
        places.push_back({outer, {end, tree->exit_of(end)}, e, true});
      if (const auto* exit = state[end].as<MapExit>(); !reads && exit)
        places.push_back({outer, {exit->entry, end}, e, false});
    }
  return places;
}

InnerEdges inner_edges(const State& state, const StoragePlace& place) {
  InnerEdges found;
  std::vector<EdgeId> todo{place.edge};
  while (!todo.empty()) {
    const EdgeId e = todo.back();
    todo.pop_back();
    const NodeId end = place.reads ? state.target(e) : state.source(e);
    const Node& node = state[end];
    const std::string& connector = place.reads ? state[e].dst_connector : state[e].src_connector;
    const bool passes =
        place.reads ? node.is_entry() && connector.starts_with("IN_") : node.is_exit();
    if (e != place.edge) found.all.push_back(e);
    if (!passes) {
      found.leaves.push_back(e);
      continue;
    }
    const auto* exit = node.as<MapExit>();
    found.entries.push_back(exit ? exit->entry : end);
    const std::string onward = matching_connector(connector);
    for (EdgeId next : place.reads ? state.out(end) : state.in(end))
      if ((place.reads ? state[next].src_connector : state[next].dst_connector) == onward)
        todo.push_back(next);
  }
  std::ranges::sort(found.all);
  std::ranges::sort(found.leaves);
  return found;
}

ScopeUse::ScopeUse(const Sdfg& sdfg, const State& state, NodeId outer_entry, Aliases aliases)
    : aliases_(std::move(aliases)) {
  const std::optional<Scope> scope = find_scope(state, outer_entry);
  if (!scope) return;
  const auto is_view = [&](const std::string& name) {
    const Data* data = sdfg.find_data(name);
    return data && (data->is_view() || data->is_reference());
  };
  const auto add_read = [&](const std::string& name) {
    reads_.insert(group_of(aliases_, name));
    reads_view_ = reads_view_ || is_view(name);
  };
  const auto add_write = [&](const std::string& name) {
    ++writers_[group_of(aliases_, name)];
    writes_view_ = writes_view_ || is_view(name);
  };
  const auto add_ends = [&](EdgeId e, NodeId end, const auto& add) {
    if (state[e].memlet.empty()) return;
    const std::string& name = state[e].memlet.data;
    add(name);
    if (const auto* access = state[end].as<AccessNode>(); access && access->data != name)
      add(access->data);
  };
  for (EdgeId e : state.in(outer_entry)) add_ends(e, state.source(e), add_read);
  for (EdgeId e : state.in(scope->exit)) add_ends(e, path_target(state, e), add_write);
  for (NodeId id : scope->nodes)
    if (const auto* access = state[id].as<AccessNode>()) {
      if (!state.out(id).empty()) add_read(access->data);
      if (!state.in(id).empty()) add_write(access->data);
    }
}

Result<LocalBox> touched_box(const Sdfg& sdfg, const State& state, const ScopeTree& tree,
                             const StoragePlace& place, const InnerEdges& inner,
                             const Assumptions& outside) {
  const std::string& array = state[place.edge].memlet.data;
  if (is_never_touched(state, tree, inner, outside))
    return Diagnostic{{}, "no iteration touches '" + array + "'"};
  Assumptions known = outside;
  const Subset whole = all_elements(*sdfg.find_data(array));
  assume_scopes(state, tree, place.inner.entry, known);
  std::optional<Subset> box;
  for (const EdgeId leaf : inner.leaves) {
    Subset part = seen_from_outside(state, tree, place, leaf, whole);
    box = box ? bounding_box(*box, part, known) : std::move(part);
  }
  // Where anything runs behind it, a memlet never leaves the container; where the box is as long,
  // it does not either.
  std::optional<Subset> between = side(state[place.edge].memlet, place.reads);
  if (!std::ranges::any_of(inner.leaves, [&](EdgeId leaf) {
        return fills(state, tree, place, leaf, *box, known);
      }))
    between.reset();
  for (std::size_t d = 0; d < box->rank(); ++d)
    if (!(between && (*between)[d] == (*box)[d]) &&
        !certain(covers(Subset{{whole[d]}}, Subset{{(*box)[d]}}, known)))
      return Diagnostic{
          {},
          "the part " + to_text((*box)[d]) + " of " + to_text(*box) + " may leave '" + array + "'"};
  return bounded(state, tree, place.inner.entry, std::move(*box), outside);
}

Refusal check_all_written(const Sdfg& sdfg, const State& state, const ScopeTree& tree,
                          const StoragePlace& place, const InnerEdges& inner, Assumptions known) {
  if (inner.leaves.size() != 1)
    return "more than one write inside goes to '" + state[place.edge].memlet.data + "'";
  const EdgeId leaf = inner.leaves.front();
  const Subset& subset = *side(state[leaf].memlet, false);
  if (const Node& code = state[state.source(leaf)]; code.is_code()) {
    const std::string name = "'" + std::string(code.label()) + "'";
    if (num_elements(subset) != Expr(1))
      return name + " may write a part of " + to_text(subset) + " only";
    if (!writes_all(sdfg, state, leaf, subset))
      return name + " may write nothing";
  }
  NameSet followed;
  assume_scopes(state, tree, place.inner.entry, known);
  std::vector<const MapEntry*> maps;
  SymbolSet names;
  for (const NodeId entry : scopes_around(tree, place, state.source(leaf))) {
    const auto* map = state[entry].as<MapEntry>();
    if (!map) return "it is not certain that all of " + to_text(subset) + " is written";
    maps.push_back(map);
    for (std::string& name : names_of_scope(state[entry])) names.insert(std::move(name));
  }
  const auto is_param = [&](const std::string& name) { return names.contains(name); };
  for (const Range& range : subset.ranges) {
    SymbolSet used;
    collect_symbols(Subset{{range}}, used);
    std::erase_if(used, [&](const std::string& name) { return !is_param(name); });
    if (used.empty()) continue;
    const auto affine = match_affine(range.begin, *used.begin());
    const bool moves_by_one =
        affine && (affine->coefficient == Expr(1) || affine->coefficient == Expr(-1));
    if (used.size() > 1 || !range.is_index() || !moves_by_one ||
        !followed.insert(*used.begin()).second)
      return "it is not certain that all of " + to_text(subset) + " is written";
  }
  for (const MapEntry* map : maps)
    for (std::size_t d = 0; d < map->params.size(); ++d) {
      const Range& range = map->ranges[d];
      SymbolSet used;
      collect_symbols(Subset{{range}}, used);
      const bool follows = followed.erase(map->params[d]) > 0;  // the innermost of that name
      if (std::ranges::any_of(used, is_param) || (follows && range.step != Expr(1)))
        return "the range " + to_text(range) + " of '" + map->params[d] + "' leaves out elements";
      if (!follows && !certain(less_equal(range.begin, range.end, known)))
        return "the range " + to_text(range) + " of '" + map->params[d] + "' may be empty";
    }
  return {};
}

Refusal check_written_last(const State& state, const StoragePlace& place, const ScopeUse& use,
                           const std::string& array) {
  if (!use.writes_more_than_once(array)) return {};
  for (EdgeId e : state.out(place.inner.exit)) {
    if (state.target(e) != place.outer.exit)
      return "the outer map writes '" + array + "' once more, and waits for the map inside";
    if (e == place.edge || state[e].memlet.empty()) continue;
    const auto* end = state[path_target(state, e)].as<AccessNode>();
    if (!end || use.may_be_same(end->data, array) ||
        use.may_be_same(state[e].memlet.data, array))
      return "the map inside writes '" + array + "' once more";
  }
  return {};
}

Refusal check_redirect(const Sdfg& sdfg, const State& state, const StoragePlace& place,
                       const InnerEdges& inner, const std::string& array) {
  const Data& data = *sdfg.find_data(array);
  const std::string name = "'" + array + "'";
  if (!(data.as_array() || data.is_scalar()) || data.is_reference())
    return name + " is no array";
  if (state.get<MapEntry>(place.inner.entry).schedule == Schedule::GpuDevice)
    return "the map inside is a kernel, and the transient would lie on the host";
  const NodeId end = place.reads ? path_source(state, place.edge) : path_target(state, place.edge);
  if (const auto* access = state[end].as<AccessNode>(); !access || access->data != array)
    return "the memlet between the maps does not name the container outside";
  for (const EdgeId e : inner.all) {
    const Memlet& memlet = state[e].memlet;
    const auto& subset = side(memlet, place.reads);
    if (memlet.dynamic) return "it is not known how much of " + name + " is touched";
    if (!subset) return "a memlet of " + name + " has no subset";
  }
  for (const EdgeId e : inner.leaves) {
    const Node& node = state[end_of(state, place, e)];
    if (node.is<NestedSdfg>() && !data.is_scalar())
      return "the nested SDFG '" + std::string(node.label()) + "' knows the strides of " + name;
    if (const auto* access = node.as<AccessNode>()) {
      const Data& other = *sdfg.find_data(access->data);
      if (other.is_view() || other.is_reference())
        return "'" + access->data + "' looks at " + name;
    }
  }
  return {};
}

void redirect(State& state, const StoragePlace& place, const InnerEdges& inner,
              const std::string& array, const std::string& transient, const Subset& box) {
  SymbolSet names;
  collect_symbols(box, names);
  for (const NodeId entry : inner.entries) rename_bound_names(state, entry, names);
  for (const EdgeId e : inner.all) {
    Memlet& memlet = state[e].memlet;
    auto& subset = side(memlet, place.reads);
    subset = offset_by(*subset, box, true);
    if (memlet.data == array) memlet.data = transient;  // a copy may name its other end
  }
}

Subset used_part(const Subset& box) {
  Subset part;
  for (const Expr& size : sizes(box)) part.ranges.push_back({0, size - 1});
  return part;
}

std::string add_local(Sdfg& sdfg, FreshNames& names, const std::string& base,
                      const std::string& array, const std::vector<Expr>& shape, Storage storage) {
  const std::string name = names(sdfg, base);
  Data data = Data::array(sdfg.find_data(array)->dtype, shape, true);
  data.storage = storage;
  sdfg.arrays.set(name, std::move(data));
  return name;
}

}  // namespace sdfg
