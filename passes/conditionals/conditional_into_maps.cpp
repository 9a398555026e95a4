#include "passes/conditionals/conditional_into_maps.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "ir/analysis/used_names.h"
#include "ir/graph_algorithms.h"
#include "ir/walk.h"
#include "passes/common/blocks.h"
#include "passes/common/scope.h"
#include "passes/common/side_effects.h"
#include "passes/conditionals/branch_side.h"
#include "passes/conditionals/near_maps.h"
#include "passes/conditionals/plain_data.h"
#include "passes/map_fusion/iteration_match.h"
#include "passes/maps/copy_to_map.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Substitutions that make the second map's parameters the first one's, if both run over the same
/// range and the same iterations touch these elements.
std::optional<Substitution> same_range(const MapEntry& first, const MapEntry& second,
                                       const Subset& written, const Subset& other,
                                       const Assumptions& assumptions, MatchOptions options = {}) {
  std::vector<ParameterPair> wanted;
  collect_pairs(written, first.params, other, second.params, wanted);
  IterationMatch match;
  if (match_iterations(first, second, wanted, options, assumptions, match)) return std::nullopt;
  if (!(substitute(other, match.second) == written)) return std::nullopt;
  return std::move(match.second);
}

/// Does each range of the map with fewer dimensions go with one of the other map?
template <class Alike>
bool ranges_agree(const MapEntry& a, const MapEntry& b, const Alike& alike) {
  const auto& few = a.ranges.size() < b.ranges.size() ? a.ranges : b.ranges;
  const auto& many = a.ranges.size() < b.ranges.size() ? b.ranges : a.ranges;
  return std::ranges::all_of(few, [&](const Range& r) {
    return std::ranges::any_of(many, [&](const Range& other) { return alike(r, other); });
  });
}

/// One conditional: what its branches hold, and what becomes of it.
class Converter {
 public:
  Converter(Sdfg& sdfg, Region& region, const BlockPlace& place, Accesses& accesses,
            ReadableNames& readable, SideEffects& effects, const GpuMemory& gpu,
            const Assumptions& assumptions, AssignedNames& assigned, bool leave_copies)
      : sdfg_(sdfg),
        region_(region),
        place_(place),
        block_(place.block),
        accesses_(accesses),
        readable_(readable),
        effects_(effects),
        reader_(sdfg, accesses, readable, effects, gpu),
        assumptions_(assumptions),
        assigned_(assigned),
        leave_copies_(leave_copies),
        branches_(region[place.block].as<ConditionalBlock>()->branches) {}

  Refusal check() {
    for (const Branch& branch : branches_)
      if (branch.condition)
        if (Refusal why = check_condition(*branch.condition)) return why;
    for (std::size_t b = 0; b < branches_.size(); ++b)
      if (Refusal why = read_branch(b)) return why;
    for (const BranchSide& side : sides_)
      if (leave_copies_ && !side.copies.empty())
        return "branch " + quoted(branches_[side.branch].block.label) + " copies";
    on_flags_ = asks_flags_only();
    before_ = maps_near(place_, true);
    behind_ = maps_near(place_, false);
    return check_gain();
  }

  std::string what() const { return what_; }

  void apply(Labels& labels) {
    std::vector<const State*> old;
    SymbolSet containers;
    for (const BranchSide& side : sides_) {
      old.push_back(side.state);
      for (NodeId n : side.state->nodes())
        if (const auto* access = (*side.state)[n].as<AccessNode>()) containers.insert(access->data);
    }
    std::vector<Branch> branches = std::move(region_[block_].as<ConditionalBlock>()->branches);
    std::vector<Branch> rest;
    for (const Branch& branch : branches) {
      rest.push_back({branch.condition, Block{branch.block.label, ControlFlowRegion{}}});
      Region& region = rest.back().region();
      region.start_block = region.add(Block{branch.block.label + "_state", State{}});
    }
    bool keeps_rest = false;
    for (BranchSide& side : sides_) {
      Region& region = rest[side.branch].region();
      State& state = *region[*region.start_block].as<State>();
      keeps_rest = reader_.keep_rest(side, parts_[side.branch], state) || keeps_rest;
    }
    for (BranchSide& side : sides_)
      for (EdgeId copy : side.copies) add_map_of(copy, side);
    for (std::size_t b = 1; b < sides_.size(); ++b)
      reader_.hoist_code(*sides_[b].state, *sides_[0].state);
    for (std::size_t a = 0; a < sides_.size(); ++a)
      for (std::size_t b = a + 1; b < sides_.size(); ++b) join(sides_[a], sides_[b]);
    std::vector<Block> blocks;
    for (BranchSide& side : sides_) {
      for (GuardedMap& map : side.maps) {
        for (GuardedWrite& write : map.writes) write.otherwise = otherwise(side, map, write);
        guard(sdfg_, *side.state, map, branches, readable_);
      }
      if (side.state->node_count() == 0) continue;
      blocks.push_back(Block{labels.take(side.label), std::move(*side.state)});
    }
    if (keeps_rest) {
      Block& old = region_[block_];
      blocks.insert(gains_before_ ? blocks.end() : blocks.begin(),
                    Block{old.label, ConditionalBlock{std::move(rest)}});
    } else {
      labels.release(region_[block_].label);
    }
    accesses_.forget(old, containers);
    effects_.keep_only(sdfg_);
    for (BlockId b : replace(std::move(blocks)))
      for_each_block_in(region_[b], [&](Block& block) {
        if (auto* state = block.as<State>())
          for (NodeId n : state->nodes()) accesses_.add(*state, n);
      });
  }

 private:
  Refusal check_condition(const Code& condition) const {
    SymbolSet used;
    collect_symbols(*condition.expr(), used);
    for (const std::string& name : used)
      if (sdfg_.arrays.contains(name)) return "a condition reads container " + quoted(name);
    return {};
  }

  Refusal read_branch(std::size_t b) {
    Region& region = branches_[b].region();
    if (region.node_count() == 0) return {};
    const std::string who = "branch " + quoted(branches_[b].block.label);
    const BlockId first = *region.nodes().begin();
    if (region.node_count() > 1 || !region[first].is<State>())
      return who + " is not a single state";
    State& state = *region[first].as<State>();
    if (state.instrument != Instrumentation::None || !state.location->empty())
      return who + " is instrumented or has a location";
    sides_.push_back({b, region[first].label, &state});
    return reader_.read(sides_.back());
  }

  Refusal check_gain() {
    bool any = false;
    for (BranchSide& side : sides_)
      for (const GuardedMap& map : side.maps) {
        any = true;
        for (const auto* near : {&before_, &behind_})
          for (const NearMap& other : *near)
            if (const auto shared = gain(side, map, other)) {
              parts_[side.branch].insert(side.part_of.at(map.entry));
              gains_before_ = gains_before_ || near == &before_;
              if (!what_.empty()) continue;
              what_ = "map " + quoted((*side.state)[map.entry].label()) + " shares " +
                      quoted(*shared) + " with map " + quoted((*other.state)[other.entry].label()) +
                      (near == &before_ ? " before" : " behind") + " the conditional";
            }
      }
    if (!any) return "no branch holds a map";
    if (what_.empty())
      return "no map before or behind it runs over the range of a map in a branch, or a part of "
             "it, "
             "and shares arrays with it";
    add_counterparts();
    return {};
  }

  /// What writes the same containers in another branch moves, too.
  void add_counterparts() {
    for (bool more = true; more;) {
      more = false;
      for (BranchSide& side : sides_)
        for (const auto& [part, writes] : side.writes)
          if (!parts_[side.branch].contains(part) &&
              std::ranges::any_of(sides_, [&](const BranchSide& other) {
                return &other != &side && writes_same(other, writes);
              }))
            more = parts_[side.branch].insert(part).second;
    }
  }
  bool writes_same(const BranchSide& other, const std::vector<BranchSide::Write>& writes) const {
    const auto parts = parts_.find(other.branch);
    if (parts == parts_.end()) return false;
    for (NodeId part : parts->second)
      if (const auto at = other.writes.find(part); at != other.writes.end())
        for (const BranchSide::Write& a : at->second)
          for (const BranchSide::Write& b : writes)
            if (a.container == b.container && may_meet(a.subset, b.subset)) return true;
    return false;
  }
  /// What a map of a branch has in common with one around, if the two could become one.
  std::optional<std::string> gain(const BranchSide& side, const GuardedMap& map,
                                  const NearMap& other) const {
    const SymbolSet containers = containers_of(*side.state, map.entry, map.exit);
    const auto &mine = side.state->get<MapEntry>(map.entry),
               &its = other.state->get<MapEntry>(other.entry);
    if (!may_join(mine, its)) return std::nullopt;
    const bool gathers = std::ranges::any_of(containers, [&](const std::string& name) {
      return sdfg_.find_data(name)->dtype.is_integer();
    });
    const bool alike = ranges_agree(mine, its, std::equal_to<>());
    for (const std::string& name : containers)
      if (other.containers.contains(name) && moves_bytes(sdfg_.find_data(name)) &&
          (alike || !gathers || (on_flags_ && updates(*side.state, map, name))))
        return name;
    return std::nullopt;
  }
  /// Could one map become part of the other: after promotion, or when the larger one has been cut?
  /// Not a gather in the latter case: where its branch is not taken, the larger map would need its
  /// registers for nothing; but kernels are compiled for each value of a flag (KernelText::flags),
  /// so that then a gather may update what the other map has made.
  bool may_join(const MapEntry& map, const MapEntry& other) const {
    const auto within = [&](const Range& part, const Range& whole) {
      return part.step == whole.step &&
             certain(less_equal(whole.begin, part.begin, assumptions_)) &&
             certain(less_equal(part.end, whole.end, assumptions_));
    };
    return ranges_agree(map, other, [&](const Range& a, const Range& b) {
      return a == b || within(a, b) || within(b, a);
    });
  }
  static bool updates(const State& state, const GuardedMap& map, const std::string& container) {
    const auto is_container = [&](NodeId node) {
      const auto* access = state[node].as<AccessNode>();
      return access && access->data == container;
    };
    return std::ranges::any_of(state.in(map.entry),
                               [&](EdgeId e) { return is_container(state.source(e)); }) &&
           std::ranges::any_of(state.out(map.exit),
                               [&](EdgeId e) { return is_container(state.target(e)); });
  }
  /// Are booleans all that the conditions ask for?
  bool asks_flags_only() const {
    return std::ranges::all_of(branches_, [&](const Branch& branch) {
      return !branch.condition ||
             std::ranges::all_of(free_symbols(*branch.condition->expr()), [&](const auto& name) {
               const auto type = sdfg_.symbols.find(name);
               return type != sdfg_.symbols.end() && type->second.is_bool();
             });
    });
  }

  /// The blocks run one after the other in place of the conditional.
  std::vector<BlockId> replace(std::vector<Block> blocks) {
    std::vector<BlockId> ids{block_};
    BlockId last = block_;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i == 0) {
        region_[block_] = std::move(blocks[0]);
        continue;
      }
      ids.push_back(last = put_after(region_, last, std::move(blocks[i])));
    }
    return ids;
  }

  /// Writes a copy as a map; over the points of one that writes the container in another branch, if
  /// there is one.
  void add_map_of(EdgeId copy, BranchSide& side) {
    State& state = *side.state;
    const std::string& container = state.get<AccessNode>(state.target(copy)).data;
    std::vector<const MapEntry*> like;
    for (const BranchSide& other : sides_)
      for (const GuardedMap& map : other.maps)
        if (std::ranges::any_of(map.writes,
                                [&](const auto& w) { return w.container == container; }))
          like.push_back(&other.state->get<MapEntry>(map.entry));
    for (const auto* near : {&before_, &behind_})
      for (const NearMap& other : *near)
        if (other.containers.contains(container))
          like.push_back(&other.state->get<MapEntry>(other.entry));
    const NodeId entry = copy_to_map(sdfg_, state, copy, like, assigned_);
    side.maps.emplace_back();
    const Refusal why =
        read_guarded_map(sdfg_, state, entry, side.branch, accesses_, readable_, effects_,
                         side.maps.back());
    SDFG_ASSERT(!why) << why.reason();
  }

  // ---- Maps of two branches that become one.

  void join(BranchSide& a, BranchSide& b) {
    for (GuardedMap& first : a.maps)
      for (std::size_t i = 0; i < b.maps.size(); ++i)
        if (const auto params = can_join(a, first, b, b.maps[i])) {
          adopt(*a.state, first, *b.state, b.maps[i], *params);
          b.maps.erase(b.maps.begin() + std::ptrdiff_t(i));
          break;
        }
  }

  std::optional<Substitution> can_join(const BranchSide& a, const GuardedMap& first,
                                       const BranchSide& b, const GuardedMap& second) const {
    if (first.bodies.contains(b.branch)) return std::nullopt;
    for (EdgeId e : b.state->in(second.entry))
      if (!b.state->in(b.state->source(e)).empty()) return std::nullopt;
    const auto& one = a.state->get<MapEntry>(first.entry);
    const auto& two = b.state->get<MapEntry>(second.entry);
    if (one.schedule != two.schedule) return std::nullopt;
    std::optional<Substitution> params;
    for (const GuardedWrite& v : first.writes)
      for (const GuardedWrite& w : second.writes)
        if (!params && v.container == w.container)
          params = same_range(one, two, v.element, w.element, assumptions_);
    if (!params || meets_others(a, first, b, second)) return std::nullopt;
    const Scope scope = *find_scope(*b.state, second.entry);
    if (check_parameters(sdfg_, *b.state, scope, one.params) ||
        check_substitution(sdfg_, *b.state, scope, *params))
      return std::nullopt;
    if (reads_beside(*b.state, second.entry, first, *params)) return std::nullopt;
    if (reads_beside(*a.state, first.entry, second, {}, *params)) return std::nullopt;
    return params;
  }

  /// Does a map read other elements of a container than another one writes? Then they are no one
  /// map.
  static bool reads_beside(const State& state, NodeId entry, const GuardedMap& other,
                           const Substitution& here, const Substitution& there = {}) {
    return std::ranges::any_of(state.out(entry), [&](EdgeId e) {
      const Memlet& memlet = state[e].memlet;
      return !memlet.empty() && std::ranges::any_of(other.writes, [&](const GuardedWrite& write) {
        return write.container == memlet.data &&
               !(memlet.src_subset &&
                 substitute(*memlet.src_subset, here) == substitute(write.element, there));
      });
    });
  }

  /// Would what one of the maps writes meet what the other reads or writes at other elements, or
  /// what the rest of the first one's state does?
  bool meets_others(const BranchSide& a, const GuardedMap& first, const BranchSide& b,
                    const GuardedMap& second) const {
    const State& state = *a.state;
    for (NodeId n : state.nodes_of<AccessNode>()) {
      const auto* access = state[n].as<AccessNode>();
      for (EdgeId e : b.state->in(second.entry))
        if (const auto* read = (*b.state)[b.state->source(e)].as<AccessNode>();
            read && read->data == access->data)
          for (EdgeId w : state.in(n))
            if (is_other(state, w, first) &&
                may_meet((*b.state)[e].memlet.src_subset, state[w].memlet.dst_subset))
              return true;
      for (EdgeId e : b.state->out(second.exit)) {
        if ((*b.state)[e].memlet.empty()) continue;
        if (b.state->get<AccessNode>(b.state->target(e)).data != access->data) continue;
        const auto& part = (*b.state)[e].memlet.dst_subset;
        for (EdgeId w : state.in(n))
          if (is_other(state, w, first) && may_meet(part, state[w].memlet.dst_subset)) return true;
        for (EdgeId r : state.out(n))
          if (state.target(r) != first.entry && may_meet(part, state[r].memlet.src_subset))
            return true;
      }
    }
    return false;
  }
  /// Does something else than this map, and than code, write here?
  static bool is_other(const State& state, EdgeId write, const GuardedMap& map) {
    return state.source(write) != map.exit && !state[state.source(write)].is<Tasklet>();
  }
  bool may_meet(const std::optional<Subset>& a, const std::optional<Subset>& b) const {
    return !a || !b || intersects(*a, *b, assumptions_) != Truth::No;
  }

  // ---- What becomes of elements where another branch is taken.

  Otherwise otherwise(const BranchSide& side, const GuardedMap& map,
                      const GuardedWrite& write) const {
    if (!write.dynamic && !branches_complete(write)) {
      if (reader_.is_private(*side.state, write.container)) return Otherwise::Undefined;
      if (is_written_before(side, map, write)) return Otherwise::Kept;
    }
    return Otherwise::Untouched;
  }
  bool branches_complete(const GuardedWrite& write) const {
    return has_else_ && write.values.size() == count_;
  }

  /// Has a map over the same range certainly written the same element before?
  bool is_written_before(const BranchSide& side, const GuardedMap& map,
                         const GuardedWrite& write) const {
    for (const NearMap& other : before_) {
      const State& state = *other.state;
      for (EdgeId e : state.in(other.exit)) {
        const Memlet& memlet = state[e].memlet;
        if (!other.always || memlet.empty() || memlet.dynamic || !memlet.dst_subset) continue;
        const std::string port = "OUT_" + state[e].dst_connector.substr(3);
        for (EdgeId out : state.out(other.exit)) {
          if (state[out].src_connector != port) continue;
          const auto* access = state[state.target(out)].as<AccessNode>();
          if (!access || access->data != write.container) continue;
          if (same_range(state.get<MapEntry>(other.entry), side.state->get<MapEntry>(map.entry),
                         *memlet.dst_subset, write.element, assumptions_, {.shrink = true}))
            return true;
        }
      }
    }
    return false;
  }

  Sdfg& sdfg_;
  Region& region_;
  const BlockPlace& place_;
  BlockId block_;
  Accesses& accesses_;
  ReadableNames& readable_;
  SideEffects& effects_;
  const SideReader reader_;
  const Assumptions& assumptions_;
  AssignedNames& assigned_;
  const bool leave_copies_;
  std::vector<Branch>& branches_;
  const std::size_t count_ = branches_.size();
  const bool has_else_ = !branches_.back().condition;
  bool on_flags_ = false;
  std::vector<BranchSide> sides_;
  std::vector<NearMap> before_, behind_;
  std::string what_;
  std::map<std::size_t, std::set<NodeId>> parts_;  ///< by branch: those that move into maps
  bool gains_before_ = false;
};

class Walk {
 public:
  Walk(Sdfg& sdfg, const ConditionalIntoMaps::Options& options, PassContext& context)
      : sdfg_(sdfg), options_(options), context_(context) {}

  Changed on_region(Region& region, const Trail& trail, const BlockPlace* around = nullptr) {
    Changed changed = Changed::No;
    std::optional<Labels> labels;
    const std::vector<BlockId> blocks(region.nodes().begin(), region.nodes().end());
    for (BlockId b : blocks) {
      const Trail here = trail.in(region[b]);
      if (Region* inner = region[b].region()) changed |= on_region(*inner, here);
      auto* conditional = region[b].as<ConditionalBlock>();
      if (!conditional) continue;
      const BlockPlace place{region, b, around};
      for (Branch& branch : conditional->branches)
        changed |= on_region(branch.region(), here.in(branch.block), &place);
      if (!accesses_) accesses_.emplace(sdfg_), readable_ = readable_names(sdfg_);
      Converter converter(sdfg_, region, place, *accesses_, readable_, effects_, gpu_,
                          context_.assumptions(), assigned_, options_.leave_copies);
      if (const Refusal why = converter.check()) {
        context_.refused(here, why);
        continue;
      }
      if (!context_.may_apply()) return changed;
      context_.applied(here, converter.what());
      if (!labels) labels.emplace(region);
      converter.apply(*labels);
      changed = Changed::Yes;
    }
    return changed;
  }

 private:
  Sdfg& sdfg_;
  const GpuMemory gpu_{sdfg_};
  const ConditionalIntoMaps::Options& options_;
  PassContext& context_;
  // Kept up to date by the converter; the first conditional makes them.
  SideEffects effects_;
  ReadableNames readable_;
  std::optional<Accesses> accesses_;
  AssignedNames assigned_;
};

}  // namespace

Result<Changed> ConditionalIntoMaps::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  return Walk(sdfg, options, context).on_region(sdfg, Trail());
}

}  // namespace sdfg
