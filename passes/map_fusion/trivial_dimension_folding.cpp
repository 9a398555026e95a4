#include "passes/map_fusion/trivial_dimension_folding.h"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/expr_quotient.h"
#include "passes/common/scope.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

Substitution only_values(const MapEntry& map) {
  Substitution values;
  for (std::size_t d = 0; d < map.params.size(); ++d) {
    const Expr& value = map.ranges[d].begin;
    // What a range calls like a parameter that comes later is something else outside.
    const bool hidden = std::any_of(map.params.begin() + std::ptrdiff_t(d), map.params.end(),
                                    [&](const auto& later) { return uses_symbol(value, later); });
    if (value == map.ranges[d].end && map.ranges[d].tile == Expr(1) && !hidden)
      values.emplace(map.params[d], rounded_down(value));
  }
  return values;
}

/// Keeps the values whose parameters are read inside.
void keep_used(const State& state, const Scope& scope, Substitution& values) {
  SymbolSet known, used;
  for (const auto& [name, value] : values) known.insert(name);
  for (EdgeId e : state.out(scope.entry)) collect_used_names(state[e], known, used);
  for (NodeId n : scope.nodes) {
    collect_used_names(state[n], known, used);
    for (EdgeId e : state.out(n)) collect_used_names(state[e], known, used);
  }
  std::erase_if(values, [&](const auto& entry) { return !used.contains(entry.first); });
}

class Folding {
 public:
  Folding(Sdfg& sdfg, State& state, const Trail& trail, PassContext& context)
      : sdfg_(sdfg), state_(state), trail_(trail), context_(context) {}

  Changed run(bool only_toplevel_maps) {
    std::optional<ScopeTree> tree;
    if (only_toplevel_maps) tree = scope_tree_of(state_);
    for (NodeId n : state_.nodes())
      if (state_[n].is<MapEntry>() && !(tree && tree->parent_of(n))) pending_.insert(n);
    Changed changed = Changed::No;
    while (!pending_.empty() && context_.may_apply()) {
      const NodeId entry = *pending_.begin();
      pending_.erase(pending_.begin());
      if (const Refusal why = fold(entry, only_toplevel_maps))
        context_.refused(trail_.in(state_, entry), why);
      else
        changed = Changed::Yes;
    }
    return changed;
  }

 private:
  Refusal fold(NodeId entry, bool only_toplevel_maps) {
    const MapEntry& map = state_.get<MapEntry>(entry);
    Substitution values = only_values(map);
    if (values.empty()) return "no dimension certainly has a single point";
    const auto scope = find_scope(state_, entry);
    keep_used(state_, *scope, values);
    if (values.empty()) return "nothing inside reads a parameter that has one value";
    if (Refusal why = check_substitution(sdfg_, state_, *scope, values)) return why;
    std::string what;
    for (const auto& [name, value] : values)
      what += (what.empty() ? "'" : ", '") + name + "' is " + to_text(value);
    context_.applied(trail_.in(state_, entry), what);
    substitute_in_scope(state_, *scope, values, sdfg_.symbols);
    // The value may give inner maps a dimension with one point.
    for (NodeId node : scope->nodes)
      if (state_[node].is<MapEntry>() && !only_toplevel_maps) pending_.insert(node);
    return {};
  }

  Sdfg& sdfg_;
  State& state_;
  const Trail& trail_;
  PassContext& context_;
  std::set<NodeId> pending_;
};

}  // namespace

Result<Changed> TrivialDimensionFolding::run(Sdfg& sdfg, const Options& options,
                                             PassContext& context) {
  Changed changed = Changed::No;
  walk_states(sdfg, Trail(), [&](Sdfg& inner, State& state, const Trail& trail) {
    changed |= Folding(inner, state, trail, context).run(options.only_toplevel_maps);
  });
  return changed;
}

}  // namespace sdfg
