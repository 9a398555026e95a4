#include "passes/split/map_split_vertical.h"

#include <algorithm>
#include <set>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/assume.h"
#include "passes/common/state_trails.h"
#include "passes/split/conflict_order.h"
#include "passes/split/copy_scope.h"
#include "passes/split/vertical_plan.h"

namespace sdfg {
namespace {

/// One state: every container that goes between maps at its top level, in the order of the
/// dataflow.
class StateSplitter {
 public:
  StateSplitter(Sdfg& sdfg, State& state, Accesses& accesses, const SymbolSet& assigned,
                const Trail& trail, const SplitCosts& costs, const Assumptions& assumptions,
                PassContext& context)
      : sdfg_(sdfg), state_(state), accesses_(accesses), assigned_(assigned), trail_(trail),
        costs_(costs), assumptions_(assumptions), context_(context) {}

  /// Decides everything on the graph as it is; no decision touches a map of another one.
  Changed run() {
    auto flow = dataflow(state_);
    if (!flow) return Changed::No;
    tree_ = std::move(flow->tree);
    std::vector<std::pair<std::string, VerticalPlan>> plans;
    for (NodeId node : flow->order) {
      if (!context_.may_apply()) break;
      if (!is_candidate(node)) continue;
      VerticalPlan plan = decide(node);
      const Trail here = trail_.in(state_, node);
      if (plan.refusal) {
        if (plan.candidate) context_.refused(here, plan.refusal);
        continue;
      }
      context_.applied(here, describe(plan));
      for (const PlannedMap& map : plan.maps) touched_.insert(map.entry);
      plans.emplace_back(state_.get<AccessNode>(node).data, std::move(plan));
    }
    if (plans.empty()) return Changed::No;
    for (const auto& [name, plan] : plans) {
      for (const PlannedMap& map : plan.maps)
        if (!map.pieces.empty()) split(map);
      split_between(name);
    }
    conflicts_->restore(sdfg_, state_, assumptions_);
    for (const std::string& name : done_) sdfg_.arrays.erase(name);
    return Changed::Yes;
  }

 private:
  /// Between maps, and seen whole from this node.
  bool is_candidate(NodeId node) const {
    const auto* access = state_[node].as<AccessNode>();
    if (!access || tree_.parent_of(node) || !accesses_.is_single_use(access->data)) return false;
    const Data* data = sdfg_.find_data(access->data);
    if (!data || !data->transient) return false;
    bool from_map = false, to_map = false;
    for (EdgeId e : state_.in(node))
      if (const auto* exit = state_[state_.source(e)].as<MapExit>()) {
        if (touched_.contains(exit->entry)) return false;
        from_map = true;
      }
    for (EdgeId e : state_.out(node))
      if (state_[state_.target(e)].is<MapEntry>()) {
        if (touched_.contains(state_.target(e))) return false;
        to_map = true;
      }
    return from_map && to_map;
  }

  VerticalPlan decide(NodeId node) {
    const FoundUses found =
        find_uses(sdfg_, accesses_, state_.get<AccessNode>(node).data, assumptions_);
    VerticalPlan plan;
    plan.candidate = true;
    if (found.refusal) return plan.refusal = found.refusal, plan;
    if (!order_) {
      order_.emplace(state_);
      overlaps_.emplace(sdfg_, state_, *order_, assumptions_);
    }
    plan = plan_vertical_split(sdfg_, state_, tree_, accesses_, effects_, *overlaps_, found.value,
                               assigned_, costs_, assumptions_);
    if (plan.refusal) return plan;
    if (!conflicts_) conflicts_.emplace(sdfg_, state_, assumptions_);
    plan.refusal = conflicts_->refusal();
    return plan;
  }

  std::string describe(const VerticalPlan& plan) const {
    std::string out;
    for (const PlannedMap& map : plan.maps) {
      if (map.pieces.empty()) continue;
      const MapEntry& entry = state_.get<MapEntry>(map.entry);
      out += (out.empty() ? "map '" : ", map '") + entry.label + "' into";
      for (std::size_t p = 0; p < map.pieces.size(); ++p)
        out += (p ? ", [" : " [") +
               to_text(Subset{VerticalPlan::ranges(map, map.pieces[p])}) + "]";
    }
    return "cut " + out + ": " + plan.text;
  }

  void split(const PlannedMap& map) {
    std::vector<std::vector<Range>> pieces;
    for (const Subset& piece : map.pieces) pieces.push_back(VerticalPlan::ranges(map, piece));
    cut_map(sdfg_, state_, accesses_, tree_, map.entry, pieces, assumptions_,
            [&](EdgeId edge, EdgeId clone) { conflicts_->cloned(edge, clone); });
  }

  void split_between(const std::string& name) {
    const FoundUses found = find_uses(sdfg_, accesses_, name, assumptions_);
    if (found.refusal) return;
    const FragmentPlan fragments = find_fragments(found.value, assumptions_);
    if (fragments.refusal || check_copies(sdfg_, found.value, fragments, assumptions_)) return;
    split_container(sdfg_, accesses_, found.value, fragments, assumptions_);
    tree_.parent.resize(state_.id_bound());
    tree_.exit.resize(state_.id_bound());
    done_.insert(name);
  }

  Sdfg& sdfg_;
  State& state_;
  Accesses& accesses_;
  const SymbolSet& assigned_;
  const Trail& trail_;
  const SplitCosts& costs_;
  SideEffects effects_;
  const Assumptions& assumptions_;
  PassContext& context_;
  ScopeTree tree_;
  std::optional<Order> order_;
  std::optional<Overlaps> overlaps_;
  std::optional<ConflictOrder> conflicts_;
  std::set<NodeId> touched_;    ///< maps that have been part of a decision
  NameSet done_;  ///< containers that are no longer used
};

Changed run_on(Sdfg& sdfg, const Trail& trail, const SplitCosts& costs,
               const Assumptions& assumptions, PassContext& context) {
  Changed changed = Changed::No;
  const StateTrails states(sdfg, trail);
  Accesses accesses(sdfg);
  const SymbolSet assigned = assigned_symbols(sdfg);
  for (const auto& [state, here] : states.states()) {
    changed |= StateSplitter(sdfg, *state, accesses, assigned, *here, costs, assumptions, context)
                   .run();
    for (NodeId n : state->nodes_of<NestedSdfg>())
      if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
        changed |= run_on(**nested->sdfg, here->in(*state, n), costs,
                          assumptions_inside(sdfg, *nested, assumptions), context);
  }
  return changed;
}

}  // namespace

Result<Changed> MapSplitVertical::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  return run_on(sdfg, {}, {options.launch_bytes, options.assumed_extent}, context.assumptions(),
                context);
}

}  // namespace sdfg
