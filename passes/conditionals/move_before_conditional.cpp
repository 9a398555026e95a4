#include "passes/conditionals/move_before_conditional.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/free_symbols.h"
#include "ir/analysis/order.h"
#include "ir/analysis/used_names.h"
#include "ir/graph_algorithms.h"
#include "passes/common/aliases.h"
#include "passes/common/blocks.h"
#include "passes/common/side_effects.h"
#include "passes/common/split_state.h"
#include "passes/common/walk_regions.h"
#include "passes/conditionals/plain_data.h"

namespace sdfg {
namespace {

/// A budget: of larger conditionals nobody asks what they touch, so that nests cost no more than
/// chains.
constexpr std::size_t most_states = 64;

/// What a conditional does with containers and symbols, at any depth.
struct Touched {
  SymbolSet reads, writes, names, assigned;
  std::size_t states = 0;
  Refusal why;
};

class Collector {
 public:
  Collector(const Sdfg& sdfg, const SymbolSet& containers, SideEffects& effects)
      : sdfg_(sdfg), containers_(containers), effects_(effects) {}

  Touched of(const Block& conditional, const Aliases& aliases) {
    out_.assigned = assigned_symbols(conditional);
    at_block(conditional);
    add_aliases(aliases, out_.reads);
    add_aliases(aliases, out_.writes);
    add_aliases(aliases, out_.names);
    return std::move(out_);
  }

 private:
  void at_block(const Block& block) {
    if (out_.why) return;
    collect_used_names(block, containers_, out_.names);
    if (const Region* inner = block.region()) at_region(*inner);
    if (const auto* conditional = block.as<ConditionalBlock>())
      for (const Branch& branch : conditional->branches) {
        if (branch.condition) collect_words(branch.condition->text(), containers_, out_.names);
        at_region(branch.region());
      }
    if (const auto* state = block.as<State>()) at_state(*state);
    if (is_jump(block))
      out_.why = "block '" + block.label + "' of the conditional may lead elsewhere";
  }
  void at_region(const Region& region) {
    for (BlockId b : region.nodes()) at_block(region[b]);
    for (InterstateEdgeId e : region.edges()) out_.names.merge(free_symbols(region[e]));
  }
  void at_state(const State& state) {
    if (++out_.states > most_states) {
      out_.why = "the conditional has more than " + std::to_string(most_states) + " states";
      return;
    }
    for (NodeId n : state.nodes()) {
      if (effects_.of(sdfg_, state[n]))
        out_.why = "'" + std::string(state[n].label()) + "' in a branch has side effects";
      collect_used_names(state[n], containers_, out_.names);
      const auto* access = state[n].as<AccessNode>();
      if (!access) continue;
      if (!is_plain(sdfg_.find_data(access->data)))
        out_.why =
            "'" + access->data + "' in a branch is a view, a reference, a stream or a structure";
      if (!state.out(n).empty()) out_.reads.insert(access->data);
      if (!state.in(n).empty() || access->setzero) out_.writes.insert(access->data);
    }
    for (EdgeId e : state.edges()) collect_used_names(state[e], containers_, out_.names);
  }

  const Sdfg& sdfg_;
  const SymbolSet& containers_;
  SideEffects& effects_;
  Touched out_;
};

/// What of a state can run before a conditional, and whether it should.
class Mover {
 public:
  Mover(const Sdfg& sdfg, const State& state, const Touched& touched, const SymbolSet& containers,
        const SymbolSet& before, SideEffects& effects)
      : sdfg_(sdfg), state_(state), touched_(touched), containers_(containers), before_(before),
        effects_(effects), order_(state) {}

  Refusal check() {
    if (touched_.why) return touched_.why;
    const std::vector<NodeId> sorted = *topological_order(state_);
    for (NodeId n : sorted) members_[top(n)].push_back(n);
    for (NodeId n : sorted)
      if (!order_.scope_of(n) && may_move(n)) moving_.insert(n);
    keep_what_is_read_here(sorted);
    const bool work = std::ranges::any_of(
        moving_, [&](NodeId n) { return !state_[n].is<AccessNode>() && !state_[n].is<Tasklet>(); });
    if (!work) return "all that could run before the conditional depends on it, or is needed here";
    for (const std::string& name : arrays_of(true)) {
      shared_before_ += before_.contains(name);
      shared_here_ += arrays_of(false).contains(name);
    }
    if (shared_before_ <= shared_here_)
      return "what could move has " + std::to_string(shared_before_) +
             " arrays in common with states " + "before the conditional, and " +
             std::to_string(shared_here_) + " with what stays";
    return {};
  }

  /// All nodes that stay.
  std::set<NodeId> rest() const {
    std::set<NodeId> out;
    for (const auto& [element, nodes] : members_)
      if (!moving_.contains(element)) out.insert(nodes.begin(), nodes.end());
    return out;
  }
  std::string what() const {
    std::size_t maps = 0;
    for (NodeId n : moving_) maps += state_[n].is<MapEntry>();
    return std::to_string(maps) +
           " maps run before the conditional: " + std::to_string(shared_before_) +
           " arrays in common with states there, " + std::to_string(shared_here_) +
           " with what stays";
  }

 private:
  /// The element of the top level that the node belongs to.
  NodeId top(NodeId n) const {
    for (n = order_.element(n); order_.scope_of(n);) n = order_.element(order_.scope_of(n));
    return n;
  }
  NodeId last(NodeId element) const {
    return state_[element].is_entry() ? order_.exit_of(element) : element;
  }

  bool clash(const std::string& name, bool write) const {
    if (touched_.writes.contains(name)) return true;
    return write && (touched_.reads.contains(name) || touched_.names.contains(name));
  }

  /// Does what the conditional assigns or writes tell what an element does: its code, its range,
  /// the places that it reads and writes, the shapes of its containers?
  bool is_told_inside(NodeId element) const {
    SymbolSet names;
    for (NodeId n : members_.at(element)) {
      collect_used_names(state_[n], containers_, names);
      if (const auto* access = state_[n].as<AccessNode>())
        if (const Data* data = sdfg_.find_data(access->data))
          collect_used_names(*data, containers_, names);
      for (EdgeId e : state_.in(n)) collect_used_names(state_[e], containers_, names);
    }
    // What an access node hands on is a matter of those who read it there.
    if (!state_[element].is<AccessNode>())
      for (EdgeId e : state_.out(last(element))) collect_used_names(state_[e], containers_, names);
    return std::ranges::any_of(names, [&](const std::string& name) {
      return touched_.assigned.contains(name) || touched_.writes.contains(name);
    });
  }

  bool may_move(NodeId n) {
    for (EdgeId e : state_.in(n))
      if (!moving_.contains(top(state_.source(e)))) return false;
    if (is_told_inside(n)) return false;
    if (const auto* access = state_[n].as<AccessNode>())
      return is_plain(sdfg_.find_data(access->data)) && !access->setzero &&
             !clash(access->data, !state_.in(n).empty());
    for (NodeId inner : members_.at(n)) {
      const auto* access = state_[inner].as<AccessNode>();
      if (effects_.of(sdfg_, state_[inner]) || (access && clash(access->data, true))) return false;
    }
    return std::ranges::all_of(state_.out(last(n)), [&](EdgeId e) {
      const auto* access = state_[state_.target(e)].as<AccessNode>();
      return access && is_plain(sdfg_.find_data(access->data)) && !access->setzero &&
             !clash(access->data, true);
    });
  }

  /// What writes an array for a reader that stays, stays: the two may become one. A source stays if
  /// nothing that moves reads it.
  void keep_what_is_read_here(const std::vector<NodeId>& sorted) {
    for (auto n = sorted.rbegin(); n != sorted.rend(); ++n) {
      if (!moving_.contains(*n)) continue;
      bool stays = false, moves = false;
      for (EdgeId e : state_.out(last(*n)))
        (moving_.contains(top(state_.target(e))) ? moves : stays) = true;
      const bool access = state_[*n].is<AccessNode>();
      const bool source = state_.in(*n).empty();
      if (access ? (source ? !moves : stays) : stays) moving_.erase(*n);
    }
    // A node that had to stay keeps what waits for it.
    for (NodeId n : sorted)
      if (moving_.contains(n) && std::ranges::any_of(state_.in(n), [&](EdgeId e) {
            return !moving_.contains(top(state_.source(e)));
          }))
        moving_.erase(n);
  }

  SymbolSet arrays_of(bool moving) const {
    SymbolSet out;
    for (const auto& [element, nodes] : members_) {
      const auto* access = state_[element].as<AccessNode>();
      if (!access || !moves_bytes(sdfg_.find_data(access->data))) continue;
      const auto meets = [&](NodeId other) { return moving_.contains(top(other)) == moving; };
      const bool used = std::ranges::any_of(state_.out(element),
                                            [&](EdgeId e) { return meets(state_.target(e)); }) ||
                        std::ranges::any_of(state_.in(element),
                                            [&](EdgeId e) { return meets(state_.source(e)); });
      if (used) out.insert(access->data);
    }
    return out;
  }

  const Sdfg& sdfg_;
  const State& state_;
  const Touched& touched_;
  const SymbolSet &containers_, &before_;
  SideEffects& effects_;
  Order order_;
  std::map<NodeId, std::vector<NodeId>> members_;  ///< by element of the top level
  std::set<NodeId> moving_;                        ///< elements
  std::size_t shared_before_ = 0, shared_here_ = 0;
};

/// A conditional between two states that always run before and after it.
struct Place {
  BlockId before, conditional, after;
  InterstateEdgeId enter;
};

std::optional<Place> find_place(const Region& region, BlockId conditional) {
  if (!region[conditional].is<ConditionalBlock>()) return std::nullopt;
  const auto only = [](auto edges) { return edges.size() == 1; };
  if (!only(region.in(conditional)) || !only(region.out(conditional))) return std::nullopt;
  const InterstateEdgeId enter = region.in(conditional)[0], leave = region.out(conditional)[0];
  const Place place{region.source(enter), conditional, region.target(leave), enter};
  for (BlockId b : {place.before, place.after}) {
    const auto* state = region[b].as<State>();
    if (!state || state->instrument != Instrumentation::None || !state->location->empty())
      return std::nullopt;
  }
  if (!only(region.out(place.before)) || !only(region.in(place.after))) return std::nullopt;
  if (region.start_block == place.after || place.before == place.after) return std::nullopt;
  for (InterstateEdgeId e : {enter, leave})
    if (!region[e].condition.always_true() || !region[e].assignments.empty()) return std::nullopt;
  return place;
}

/// Containers of the states that certainly run before the conditional, the nearest of them: what
/// moves may come to them step by step.
SymbolSet containers_before(const Region& region, const Place& place) {
  constexpr int most_blocks = 16;
  SymbolSet out;
  BlockId at = place.before;
  for (int i = 0; i < most_blocks; ++i) {
    if (const auto* state = region[at].as<State>())
      for (NodeId n : state->nodes_of<AccessNode>()) out.insert(state->get<AccessNode>(n).data);
    if (region.in(at).size() != 1) break;
    at = region.source(region.in(at)[0]);
  }
  return out;
}

Changed on_region(Sdfg& sdfg, Region& region, const Trail& trail, const SymbolSet& containers,
                  LazyAliases& aliases, SideEffects& effects, PassContext& context) {
  Changed changed = Changed::No;
  Labels labels(region);
  const std::vector<BlockId> blocks(region.nodes().begin(), region.nodes().end());
  for (BlockId b : blocks) {
    const auto place = find_place(region, b);
    if (!place || region[place->after].as<State>()->node_count() == 0) continue;
    const Trail here = trail.in(region[place->after]);
    effects.keep_only(sdfg);
    const Touched touched = Collector(sdfg, containers, effects).of(region[b], aliases.of(sdfg));
    State& state = *region[place->after].as<State>();
    const SymbolSet before = containers_before(region, *place);
    Mover mover(sdfg, state, touched, containers, before, effects);
    Refusal why = mover.check();
    const StateCut cut(sdfg, state, why ? std::set<NodeId>() : mover.rest());
    if (!why) why = cut.check();
    if (why) {
      context.refused(here, why);
      continue;
    }
    if (!context.may_apply()) break;
    context.applied(here, mover.what());
    State rest;
    rest.nosync = state.nosync;
    cut.apply(state, rest);
    const BlockId moved =
        region.add(Block{labels.take(region[place->after].label + "_before"), std::move(state)});
    *region[place->after].as<State>() = std::move(rest);
    region.set_target(place->enter, moved);
    region.connect(moved, b, InterstateEdge{});
    changed = Changed::Yes;
  }
  return changed;
}

}  // namespace

Result<Changed> MoveBeforeConditional::run(Sdfg& sdfg, const Options&, PassContext& context) {
  LazyAliases aliases(sdfg);
  SideEffects effects;
  return walk_regions(sdfg, Trail(), [&](Sdfg& in, Region& region, const Trail& trail,
                                         const SymbolSet& containers) {
    return on_region(in, region, trail, containers, aliases, effects, context);
  });
}

}  // namespace sdfg
