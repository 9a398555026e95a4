#include "passes/inside_maps/loop_blocking.h"

#include <algorithm>
#include <memory>

#include "ir/analysis/scope_tree.h"
#include "passes/common/lazy_assumptions.h"
#include "passes/common/point_order.h"
#include "passes/inside_maps/blocked_scope.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// One SDFG whose states are not inside of maps.
class Blocker {
 public:
  Blocker(Sdfg& sdfg, const LoopBlocking::Options& options, SideEffects& effects,
          LazyAssumptions known, PassContext& context)
      : sdfg_(sdfg), accesses_(sdfg), options_(options), effects_(effects),
        known_(std::move(known)), context_(context) {}

  Changed on_region(Region& region, const Trail& trail) {
    for (BlockId b : region.nodes()) on_block(region[b], trail);
    return changed_;
  }

 private:
  void on_block(Block& block, const Trail& outer) {
    const Trail trail = outer.in(block);
    if (Region* region = block.region()) on_region(*region, trail);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches) on_block(branch.block, trail);
    if (auto* state = block.as<State>()) on_state(*state, trail);
  }

  void on_state(State& state, const Trail& trail) {
    const auto [order, tree] = dataflow_of(state);
    std::unordered_map<std::uint32_t, std::vector<NodeId>> elements;  // of maps to be blocked
    std::vector<std::pair<NodeId, std::string>> maps;
    for (NodeId n : order) {
      if (auto* nested = state[n].as<NestedSdfg>(); nested && nested->sdfg)
        if (tree.parent_of(n) == NodeId{})
          changed_ |= Blocker(**nested->sdfg, options_, effects_, known_.inside(sdfg_, *nested),
                              context_)
                          .on_region(**nested->sdfg, trail.in(state, n));
      const auto found = elements.find(tree.parent_of(n).value);
      if (found != elements.end() && !state[n].is_exit()) found->second.push_back(n);
      const auto* map = state[n].as<MapEntry>();
      if (!map || tree.parent_of(n) != NodeId{}) continue;
      const std::string parameter = parameter_of(*map);
      if (parameter.empty()) continue;
      maps.emplace_back(n, parameter);
      elements[n.value];
    }
    for (const auto& [entry, parameter] : maps) {
      BlockedScope scope(sdfg_, state, tree, accesses_, effects_, entry, parameter,
                         elements[entry.value]);
      on_map(state, entry, parameter, scope, trail.in(state, entry));
    }
  }

  std::string parameter_of(const MapEntry& map) const {
    for (const std::string& wanted : options_.blocking_parameters)
      for (const std::string& p : map.params)
        if (p == wanted || p.starts_with("i_" + wanted + "_gtx_")) return p;
    return {};
  }

  Refusal check(const State& state, NodeId entry, const std::string& parameter) const {
    const auto& map = state.get<MapEntry>(entry);
    if (map.params.size() > 1)
      if (Refusal why = check_reordering(sdfg_, state, entry)) return why;
    const std::size_t d =
        std::size_t(std::ranges::find(map.params, parameter) - map.params.begin());
    const Range& range = map.ranges[d];
    if (range.step != Expr(1) || range.tile != Expr(1))
      return quoted(parameter) + " does not go in steps of 1";
    if (certain(less_equal(range.size(), options_.blocking_size, known_.get())))
      return quoted(parameter) + " has no more than " + std::to_string(options_.blocking_size) +
             " values";
    for (std::size_t other = 0; other < map.ranges.size(); ++other) {
      SymbolSet used;
      collect_symbols(Subset{{map.ranges[other]}}, used);
      if (used.contains(parameter))
        return "the range of " + quoted(map.params[other]) + " depends on " + quoted(parameter);
    }
    SymbolSet own;  // goes inward, where all parameters are known
    collect_symbols(Subset{{range}}, own);
    for (std::size_t behind = d + 1; behind < map.params.size(); ++behind)
      if (own.contains(map.params[behind]))
        return "the range of " + quoted(parameter) + " uses " + quoted(map.params[behind]) +
               ", which is another in the map";
    return {};
  }

  void on_map(State& state, NodeId entry, const std::string& parameter, BlockedScope& scope,
              const Trail& here) {
    if (const Refusal why = check(state, entry, parameter))
      return context_.refused(here, why);
    std::vector<EdgeId> reads;
    if (options_.promote_independent_memlets) reads = scope.promotable();
    const auto gain = std::int64_t(scope.independent_count() + reads.size()) -
                      std::int64_t(scope.constant_count());
    if (options_.require_independent_nodes && gain <= options_.independent_node_threshold)
      return context_.refused(here, std::to_string(std::max<std::int64_t>(gain, 0)) +
                                        " nodes and reads do not depend on " + quoted(parameter));
    if (!context_.may_apply()) return;
    context_.applied(here, quoted(parameter) + " runs in blocks of " +
                               std::to_string(options_.blocking_size) + "; " +
                               std::to_string(scope.independent_count()) + " nodes and " +
                               std::to_string(reads.size()) + " reads once per block");
    scope.promote(reads);
    scope.block(options_.blocking_size);
    changed_ = Changed::Yes;
  }

  Sdfg& sdfg_;
  Accesses accesses_;
  const LoopBlocking::Options& options_;
  SideEffects& effects_;
  LazyAssumptions known_;
  PassContext& context_;
  Changed changed_ = Changed::No;
};

}  // namespace

Result<Changed> LoopBlocking::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  if (options.blocking_parameters.empty())
    return Diagnostic{{}, "loop-blocking does not know what to block",
                      "give the option blocking_parameters"};
  if (options.blocking_size < 1)
    return Diagnostic{{}, "blocking_size is " + std::to_string(options.blocking_size),
                      "give a size of at least 1"};
  SideEffects effects;
  return Blocker(sdfg, options, effects, LazyAssumptions(context), context).on_region(sdfg, {});
}

}  // namespace sdfg
