#include "passes/map_fusion/fusion_walk.h"

#include <algorithm>
#include <ranges>

#include "ir/analysis/propagate.h"
#include "passes/common/assume.h"
#include "passes/common/lazy_assumptions.h"
#include "passes/map_fusion/fusion_conflicts.h"

namespace sdfg {

FusionMap& FusionMaps::at(NodeId entry) {
  const auto found = maps_.find(entry);
  if (found != maps_.end()) return found->second;
  return maps_
      .emplace(entry, fusion_map(site_.sdfg, site_.state, site_.order, site_.effects, entry))
      .first->second;
}

NodeId FusionMaps::current(NodeId entry) const {
  for (auto into = joined_into_.find(entry); into != joined_into_.end();
       into = joined_into_.find(entry))
    entry = into->second;
  return entry;
}

void FusionMaps::enter(NodeId scope) {
  if (scope == scope_) return;
  if (!outside_) outside_ = site_.assumptions;
  site_.assumptions = *outside_;
  scope_ = scope;
  std::vector<NodeId> around;
  for (NodeId s = scope; s; s = site_.order.scope_of(s)) around.push_back(s);
  for (auto s = around.rbegin(); s != around.rend(); ++s)
    if (const auto* map = site_.state[*s].as<MapEntry>()) assume_scope(*map, site_.assumptions);
}

std::optional<NodeId> FusionMaps::fuse(NodeId first, NodeId second, const FusionRules& rules,
                                       const Filter& filter) {
  FusionMap &a = at(first), &b = at(second);
  FusionPlan plan;
  Refusal why = plan_fusion(site_, a, b, rules, plan);
  if (!why && filter) why = filter(a, plan);
  std::string what = "fused";
  if (plan.match.promotes) what += ", the first map is repeated for that";
  if (plan.match.shrinks) what += ", the first map computes less now";
  for (const Intermediate& i : plan.intermediates)
    if (i.fate == Intermediate::Fate::Gone)
      what += ", '" + i.container + "' is gone";
    else if (i.fate == Intermediate::Fate::Unread)
      what += ", nobody else reads what it wrote of '" + i.container + "'";
  if (!announce(first, second, why, what)) return std::nullopt;
  const NodeId into = join_maps(site_, a, b, plan, join_, unused) ? first : second;
  forget(into == first ? second : first, into);
  if (plan.match.promotes || plan.match.shrinks) mark_stale(into);
  return into;
}

bool FusionMaps::announce(NodeId first, NodeId second, const Refusal& why,
                          const std::string& what) {
  const Trail here = trail_.in(site_.state, second);
  const auto text = [&](const std::string& message) {
    return "with map '" + site_.state.get<MapEntry>(first).label + "' (node " +
           std::to_string(first.value) + "): " + message;
  };
  if (why) {
    context_.refused(here, context_.collect_remarks ? Refusal(text(why.reason())) : why);
    return false;
  }
  if (!context_.may_apply()) return false;
  context_.applied(here, context_.collect_remarks ? text(what) : std::string());
  changed = Changed::Yes;
  return true;
}

void FusionMaps::forget(NodeId gone, NodeId into) {
  maps_.erase(gone);
  joined_into_[gone] = into;
  changed = Changed::Yes;
}

void FusionMaps::propagate() {
  std::set<NodeId> entries;
  for (NodeId entry : stale_) entries.insert(current(entry));
  propagate_memlets(site_.sdfg, site_.state, std::vector<NodeId>(entries.begin(), entries.end()),
                    site_.assumptions);
  stale_.clear();
}

namespace {

class Walk {
 public:
  Walk(const FusionScopeOptions& options, const JoinOptions& join, PassContext& context,
       const VisitScope& visit)
      : options_(options), join_(join), context_(context), visit_(visit) {}

  Changed on_sdfg(Sdfg& sdfg, const Trail& trail, const LazyAssumptions& known,
                  const Aliases& aliases) {
    Changed changed = on_nested(sdfg, trail, known, aliases);
    std::optional<Facts> facts;
    SymbolSet unused;
    changed |= on_region(sdfg, trail, known, aliases, facts, unused);
    if (!unused.empty())
      sdfg.arrays.erase_if([&](const auto& entry) { return unused.contains(entry.first); });
    return changed;
  }

 private:
  /// What is known about one SDFG, found out when it is first needed.
  struct Facts {
    explicit Facts(Sdfg& sdfg)
        : accesses(sdfg),
          scratch(sdfg.fresh_name("__fusion_scratch")),
          references(std::ranges::any_of(
              sdfg.arrays, [](const auto& entry) { return entry.second.is_reference(); })) {}
    Accesses accesses;
    SideEffects effects;
    std::string scratch;
    bool references;
  };

  Changed on_nested(Sdfg& sdfg, const Trail& trail, const LazyAssumptions& known,
                    const Aliases& aliases) {
    Changed changed = Changed::No;
    each_block(sdfg, trail, [&](Block& block, const Trail& here) {
      auto* state = block.as<State>();
      if (!state) return;
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
          changed |=
              on_sdfg(**nested->sdfg, here.in(*state, n), known.inside(sdfg, *nested),
                      aliases_inside(sdfg, *state, n, aliases));
    });
    return changed;
  }

  template <class F>
  static void each_block(Region& region, const Trail& trail, const F& visit) {
    for (BlockId b : region.nodes()) {
      Block& block = region[b];
      const Trail here = trail.in(block);
      visit(block, here);
      if (Region* inner = block.region()) each_block(*inner, here, visit);
      if (auto* conditional = block.as<ConditionalBlock>())
        for (Branch& branch : conditional->branches)
          each_block(branch.region(), here.in(branch.block), visit);
    }
  }

  Changed on_region(Sdfg& sdfg, const Trail& trail, const LazyAssumptions& known,
                    const Aliases& aliases, std::optional<Facts>& facts, SymbolSet& unused) {
    Changed changed = Changed::No;
    each_block(sdfg, trail, [&](Block& block, const Trail& here) {
      auto* state = block.as<State>();
      if (!state || !context_.may_apply() || !has_two_maps(*state)) return;
      changed |= on_state(sdfg, *state, here, known, aliases, facts, unused);
    });
    return changed;
  }

  static bool has_two_maps(const State& state) {
    const auto maps = state.nodes_of<MapEntry>();
    return std::ranges::distance(maps | std::views::take(2)) == 2;
  }

  Changed on_state(Sdfg& sdfg, State& state, const Trail& trail, const LazyAssumptions& known,
                   const Aliases& aliases, std::optional<Facts>& facts, SymbolSet& unused) {
    Order order(state);
    std::map<NodeId, std::vector<NodeId>> by_scope;
    for (NodeId n : state.nodes_of<MapEntry>()) {
      const NodeId scope = order.scope_of(n);
      if (scope ? !options_.only_toplevel_maps : !options_.only_inner_maps)
        by_scope[scope].push_back(n);
    }
    std::erase_if(by_scope, [](const auto& scope) { return scope.second.size() < 2; });
    if (by_scope.empty()) return Changed::No;
    if (!facts) facts.emplace(sdfg);
    Assumptions assumptions = known.get();
    FusionSite site{sdfg,        state,   order,          facts->accesses,
                    assumptions, aliases, facts->effects, facts->scratch, facts->references};
    FusionMaps maps(site, trail, context_, join_);
    // The top level comes last (its key is the largest id): what is inside has its final form then.
    for (auto& [scope, entries] : by_scope) {
      std::ranges::sort(entries, {}, [&](NodeId n) { return order.position(n); });
      maps.enter(scope);
      visit_(maps, entries);
      maps.propagate();
    }
    unused.merge(maps.unused);
    if (sdfg.arrays.contains(site.scratch)) unused.insert(site.scratch);
    return maps.changed;
  }

  const FusionScopeOptions& options_;
  const JoinOptions& join_;
  PassContext& context_;
  const VisitScope& visit_;
};

}  // namespace

Changed walk_scopes(Sdfg& root, const FusionScopeOptions& options, const JoinOptions& join,
                    PassContext& context, const VisitScope& visit) {
  return Walk(options, join, context, visit).on_sdfg(root, Trail(), LazyAssumptions(context), {});
}

namespace {

/// Certainly other elements of one container; asked of every pair of edges at an access node.
bool lie_apart(const Memlet& a, const Memlet& b) {
  return a.data == b.data && a.subset() && b.subset() && lie_apart(*a.subset(), *b.subset());
}

}  // namespace

// Maps come in the order of the dataflow, so a producer has tried all of its own producers before.
// Those of one map wait in a queue, the last in the dataflow first: a producer from which a path
// leads through another one comes after that one, and by then the path may be gone. Each is tried
// once per map that reads it, so the tries grow with the edges between maps.
void for_each_producer(FusionMaps& maps, const std::vector<NodeId>& entries,
                       const VisitPair& visit) {
  FusionSite& site = maps.site();
  using Key = std::pair<std::uint64_t, NodeId>;
  for (const NodeId start : entries) {
    NodeId consumer = maps.current(start);
    if (consumer != start) continue;
    std::set<Key, std::greater<>> producers;
    for (const auto& [name, port] : maps.at(consumer).in) {
      if (!site.state[port.node].is<AccessNode>()) continue;
      const Memlet& read = site.state[port.outer].memlet;
      for (EdgeId e : site.state.in(port.node)) {
        if (lie_apart(site.state[e].memlet, read)) continue;
        const NodeId producer = site.order.element(site.state.source(e));
        if (maps.is_map(producer)) producers.emplace(site.order.position(producer), producer);
      }
    }
    while (!producers.empty()) {
      const NodeId producer = producers.begin()->second;
      producers.erase(producers.begin());
      if (!exchange_data(site.state, maps.at(producer), maps.at(consumer))) continue;
      if (const auto joined = visit(producer, consumer)) consumer = *joined;
    }
  }
}

void fuse_with_producers(FusionMaps& maps, const std::vector<NodeId>& entries,
                         const FusionRules& rules, const FusionMaps::Filter& filter) {
  for_each_producer(maps, entries, [&](NodeId producer, NodeId consumer) {
    return maps.fuse(producer, consumer, rules, filter);
  });
}

}  // namespace sdfg
