#include "passes/loops/move_states_into_map.h"

#include <algorithm>
#include <utility>

#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/assume.h"
#include "passes/common/blocks.h"
#include "passes/common/certain_writes.h"
#include "passes/common/side_effects.h"
#include "passes/common/state_counts.h"
#include "passes/loops/nest_scope.h"
#include "passes/loops/region_accesses.h"
#include "passes/map_fusion/iteration_match.h"
#include "passes/maps/copy_to_map.h"

namespace sdfg {
namespace {

using AccessLists = ByName<std::vector<RegionAccess>>;

/// A state that is one map, as it would be beside those before it.
struct Part {
  BlockId block;
  Region region;  ///< holds a copy of the state
  Scope scope;
  Border border;
  AccessLists accesses;  ///< each once

  State& state() { return *region[*region.start_block].as<State>(); }
  const State& state() const { return const_cast<Part*>(this)->state(); }
  const MapEntry& map() const { return state().get<MapEntry>(scope.entry); }
};

/// What several maps do with a container.
struct Touched {
  std::vector<RegionAccess> accesses;  ///< each once
  std::size_t states = 0;
  bool first_reads = false;  ///< the first of them
  std::vector<Subset> certain;  ///< written whenever they run
};

/// Maps of states one after the other that can be one, so far.
struct Group {
  std::vector<Part> parts;
  ByName<Touched> containers;

  void add(const Sdfg& sdfg, Part part) {
    for (const auto& [name, border] : part.border) {
      Touched& touched = containers[name];
      if (touched.states++ == 0) touched.first_reads = border.in.has_value();
      add_distinct(part.accesses[name], touched.accesses);
      if (!border.out) continue;
      const State& state = part.state();
      const auto& written = state[*border.out].memlet.dst_subset;
      if (written && writes_all(sdfg, state, *border.out, *written))
        touched.certain.push_back(*written);
    }
    parts.push_back(std::move(part));
  }
};

/// The state's only edge, if all it does is to copy.
std::optional<EdgeId> only_copy(const State& state) {
  if (state.node_count() != 2 || state.edge_count() != 1) return {};
  for (NodeId n : state.nodes())
    if (!state[n].is<AccessNode>()) return {};
  const EdgeId edge = *state.edges().begin();
  return state[edge].memlet.empty() ? std::nullopt : std::optional(edge);
}

/// The maps' settings, without what names them and their points.
MapEntry settings(MapEntry map) {
  map.label.clear(), map.params.clear(), map.ranges.clear();
  map.is_collapsed = false;
  return map;
}

class Joiner {
 public:
  Joiner(Sdfg& sdfg, LazyAliases& aliases, const GpuMemory& gpu, const Assumptions& assumptions,
         PassContext& context)
      : sdfg_(sdfg),
        aliases_(aliases),
        gpu_(gpu),
        assumptions_(assumptions),
        context_(context) {}

  Changed on_region(Region& region, const Trail& trail) {
    Changed changed = Changed::No;
    for (const std::vector<BlockId>& chain : state_chains(region))
      if (chain.size() > 1) changed |= on_chain(region, chain, trail);
    for (BlockId id : region.nodes()) {
      Block& block = region[id];
      const Trail here = trail.in(block);
      if (Region* inner = block.region()) changed |= on_region(*inner, here);
      if (auto* conditional = block.as<ConditionalBlock>())
        for (Branch& branch : conditional->branches)
          changed |= on_region(branch.region(), here.in(branch.block));
      if (auto* state = block.as<State>()) changed |= on_nested(*state, here);
    }
    return changed;
  }

 private:
  /// SDFGs outside of maps: those inside start nothing.
  Changed on_nested(State& state, const Trail& trail) {
    Changed changed = Changed::No;
    std::optional<ScopeTree> tree;
    for (NodeId n : state.nodes_of<NestedSdfg>()) {
      auto& nested = state.get<NestedSdfg>(n);
      if (!tree) tree = scope_tree_of(state);
      if (!nested.sdfg || tree->parent_of(n)) continue;
      const Assumptions inside = assumptions_inside(sdfg_, nested, assumptions_);
      Sdfg& inner = **nested.sdfg;
      changed |= Joiner(inner, aliases_, gpu_, inside, context_)
                     .on_region(inner, trail.in(state, n));
    }
    return changed;
  }

  Changed on_chain(Region& region, const std::vector<BlockId>& chain, const Trail& trail) {
    Changed changed = Changed::No;
    Group group;
    for (BlockId id : chain) {
      const MapEntry* first = group.parts.empty() ? nullptr : &group.parts.front().map();
      Part part;
      Refusal why = read(region, id, first, part);
      if (!why && first) why = check_join(region, group, part);
      if (why) {
        context_.refused(trail.in(region[id]), why);
        changed |= finish(region, group, trail);
        group = Group{};
        part = Part{};
        if (!first || read(region, id, nullptr, part)) continue;
      }
      group.add(sdfg_, std::move(part));
    }
    return changed | finish(region, group, trail);
  }

  /// Looks at a state by itself; its map gets the parameters of `like`, if that is given.
  Refusal read(const Region& region, BlockId id, const MapEntry* like, Part& part) {
    const State& state = *region[id].as<State>();
    if (state.instrument != Instrumentation::None ||
        state.symbol_instrument != DataInstrumentation::None)
      return "the state is instrumented";
    if (!state.location->empty()) return "the state has a location";
    const auto copy = like ? only_copy(state) : std::nullopt;
    if (copy) {
      if (Refusal why = check_copy_to_map(sdfg_, state, *copy, gpu_, like)) return why;
    } else if (Refusal why = find_only_map(state, part.scope)) {
      return why;
    }
    part.block = id;
    part.region.start_block = part.region.add(Block{region[id].label, state});
    if (copy) {
      AssignedNames assigned;
      MapEntry& map =
          part.state().get<MapEntry>(copy_to_map(sdfg_, part.state(), *copy, {like}, assigned));
      const MapEntry made = std::exchange(map, *like);
      map.label = made.label, map.params = made.params, map.ranges = made.ranges;
      if (Refusal why = find_only_map(part.state(), part.scope)) return why;
    }
    if (part.map().instrument != Instrumentation::None) return "the map is instrumented";
    if (Refusal why = like ? match(part, *like) : check_points(part.map())) return why;
    if (Refusal why = check_connectors(part.state(), part.scope.nodes, {part.scope.entry}))
      return why;
    if (Refusal why = nester().find_border(part.state(), part.scope, {}, part.border, assumptions_))
      return why;
    const Node& entry = part.state()[part.scope.entry];
    if (Refusal why = check_gpu_memory(gpu_, sdfg_, entry, part.border)) return why;
    const RegionAccesses accesses =
        region_accesses(sdfg_, part.region, assumptions_, effects_, ranges_,
                        MapPoints{part.scope.entry});
    if (accesses.refusal) return accesses.refusal;
    for (const std::string& name : accesses.locals)
      if (counts().of(name) > 0)
        return "'" + name + "', which code hands over inside, is used elsewhere, too";
    for (const auto& [name, list] : accesses.by_container)  // others are each point's own
      if (part.border.contains(name)) add_distinct(list, part.accesses[name]);
    return {};
  }

  static Refusal check_points(const MapEntry& map) {
    SymbolSet names;
    collect_symbols(Subset{map.ranges}, names);
    for (const std::string& param : map.params)
      if (names.contains(param)) return "the map's ranges depend on each other";
    return {};
  }

  /// Gives the part's map the points of another map.
  Refusal match(Part& part, const MapEntry& like) const {
    State& state = part.state();
    MapEntry& map = state.get<MapEntry>(part.scope.entry);
    IterationMatch match;
    if (Refusal why = match_iterations(like, map, {}, {}, assumptions_, match)) return why;
    if (!(settings(map) == settings(like))) return "the maps' schedules or settings differ";
    if (!match.second.empty()) {
      if (Refusal why = check_parameters(sdfg_, state, part.scope, like.params)) return why;
      if (Refusal why = check_substitution(sdfg_, state, part.scope, match.second)) return why;
      substitute_in_scope(state, part.scope, match.second);
    }
    map.params = like.params, map.ranges = like.ranges;
    return {};
  }

  Refusal check_join(const Region& region, const Group& group, const Part& part) {
    if (!region[region.in(part.block)[0]].assignments.empty())
      return "symbols are assigned before the state";
    if (std::ranges::none_of(
            part.border, [&](const auto& entry) { return group.containers.contains(entry.first); }))
      return "the maps have no container in common";
    if (Refusal why = check_aliases(group, part)) return why;
    for (const auto& [name, list] : part.accesses) {
      const auto before = group.containers.find(name);
      if (before == group.containers.end()) continue;
      std::vector<RegionAccess> both = before->second.accesses;
      add_distinct(list, both);
      if (std::ranges::any_of(both, &RegionAccess::write))
        if (Refusal why =
                points_.check(name, both, part.map().params, part.map().ranges, assumptions_))
          return why;
      if (Refusal why = check_kept(name, before->second, part)) return why;
    }
    return {};
  }

  Refusal check_aliases(const Group& group, const Part& part) {
    if (aliases().empty()) return {};
    RegionAccesses all;
    for (const auto& [name, touched] : group.containers)
      all.by_container[name] = touched.accesses;
    for (const auto& [name, list] : part.accesses) add_distinct(list, all.by_container[name]);
    return all.check_aliases(aliases());
  }

  /// Do the group or the part read what they leave in a transient the time before, which would
  /// begin anew in a state of its own?
  Refusal check_kept(const std::string& name, const Touched& before, const Part& part) {
    const Data& data = sdfg_.arrays.at(name);
    if (!may_begin_anew(data) || counts().of(name) > before.states + 1) return {};
    const BorderContainer& border = part.border.at(name);
    if (before.first_reads) {
      if (!border.out) return {};
    } else if (!border.in ||
               is_written(data, part.state()[*border.in].memlet.src_subset, before.certain)) {
      return {};
    }
    return "one run of the states reads what another one has left in '" + name +
           "', and no other state keeps it";
  }

  Changed finish(Region& region, Group& group, const Trail& trail) {
    if (group.parts.size() < 2 || !context_.may_apply()) return Changed::No;
    const std::vector<Part>& parts = group.parts;
    const BlockId head = parts.front().block, last = parts.back().block;
    context_.applied(trail.in(region[head]),
                     parts.size() == 2 ? "its map takes in that of the next state"
                                       : "its map takes in those of the next " +
                                             std::to_string(parts.size() - 1) + " states");
    for (const auto& [name, touched] : group.containers)
      for (std::size_t i = 1; i < touched.states; ++i) counts().joined(name);
    State joined = join(group);
    joined.nosync = std::ranges::all_of(parts, [](const Part& p) { return p.state().nosync; });
    *region[head].as<State>() = std::move(joined);
    move_ways_out(region, last, head);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (region.start_block == parts[i].block) region.start_block = head;
      region.erase(parts[i].block);
    }
    return Changed::Yes;
  }

  /// One map around all of them.
  State join(Group& group) {
    Border border;  // of the new map: which containers, and their windows
    for (const auto& [name, touched] : group.containers)
      border[name].window = box_of(sdfg_.arrays.at(name), touched.accesses, assumptions_);
    for (Part& part : group.parts)
      for (auto& [name, container] : part.border) {
        BorderContainer& whole = border.at(name);
        container.window = whole.window;
        if (container.in) whole.in = container.in;
        if (container.out) whole.out = container.out;
      }
    std::vector<ScopeInside> scopes;
    for (const Part& part : group.parts)
      scopes.push_back({part.state(), part.scope, part.border,
                        part.region[*part.region.start_block].label});
    const MapEntry& map = group.parts.front().map();
    State state;
    const NodeId entry = state.add(Node{map});
    const std::string label = map.label.empty() ? "states" : map.label + "_body";
    const NodeId node = state.add(Node{nester().nest(scopes, label)});
    const NodeId exit = state.add(Node{MapExit{entry}});
    for (const auto& [name, container] : border) {
      if (container.in) {
        const NodeId access = state.add(Node{AccessNode{name}});
        state[entry].in_connectors["IN_" + name];
        state[entry].out_connectors["OUT_" + name];
        state[node].in_connectors[name];
        state.connect(access, entry, {"", "IN_" + name, Memlet::read(name, container.window)});
        state.connect(entry, node, {"OUT_" + name, name, Memlet::read(name, container.window)});
      }
      if (container.out) {
        const NodeId access = state.add(Node{AccessNode{name}});
        state[exit].in_connectors["IN_" + name];
        state[exit].out_connectors["OUT_" + name];
        state[node].out_connectors[name];
        state.connect(node, exit, {name, "IN_" + name, Memlet::write(name, container.window)});
        state.connect(exit, access, {"OUT_" + name, "", Memlet::write(name, container.window)});
      }
    }
    if (state.in(node).empty()) state.connect(entry, node, {});
    if (state.out(node).empty()) state.connect(node, exit, {});
    propagate_memlets(sdfg_, state, entry, assumptions_);
    return state;
  }

  // Found when first asked for: most SDFGs have no chain of maps.
  const ScopeNester& nester() {
    if (!nester_) nester_.emplace(sdfg_);
    return *nester_;
  }
  const Aliases& aliases() { return aliases_.of(sdfg_); }
  StateCounts& counts() {
    if (!counts_) counts_.emplace(sdfg_);
    return *counts_;
  }

  Sdfg& sdfg_;
  LazyAliases& aliases_;
  const GpuMemory& gpu_;
  const Assumptions& assumptions_;
  PassContext& context_;
  SideEffects effects_;
  LoopRanges ranges_{sdfg_};
  ApartPoints points_;
  std::optional<ScopeNester> nester_;
  std::optional<StateCounts> counts_;
};

}  // namespace

Result<Changed> MoveStatesIntoMap::run(Sdfg& root, const Options&, PassContext& context) {
  LazyAliases aliases(root);
  const GpuMemory gpu(root);
  return Joiner(root, aliases, gpu, context.assumptions(), context).on_region(root, Trail{});
}

}  // namespace sdfg
