#include "passes/simplify/reference_to_view.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/accesses.h"
#include "passes/common/state_trails.h"
#include "support/assert.h"

namespace sdfg {
namespace {

/// An access node of a reference, and the edge that sets the reference there, if one does.
struct Use {
  State* state;
  NodeId node;
  const Trail* trail;
  bool in_scope;
  std::optional<EdgeId> setting;
};
using Uses = ByName<std::vector<Use>>;

Uses uses_of_references(const Sdfg& sdfg, const StateTrails& states) {
  Uses uses;
  for (const auto& [state, trail] : states.states()) {
    std::optional<ScopeTree> scopes;
    for (NodeId n : state->nodes()) {
      const auto* access = (*state)[n].as<AccessNode>();
      const Data* data = access ? sdfg.arrays.get(access->data) : nullptr;
      if (!data || !data->is_reference()) continue;
      if (!scopes) scopes = scope_tree_of(*state);
      Use use{state, n, trail, bool(scopes->parent_of(n)), {}};
      for (EdgeId e : state->in(n))
        if ((*state)[e].dst_connector == "set") use.setting = e;
      uses[access->data].push_back(use);
    }
  }
  return uses;
}

/// What the reference is set to; nothing that changes while the program runs.
struct Source {
  std::string container;
  Subset subset;
};

Refusal find_source(const Sdfg& sdfg, const std::string& name, const Use& use,
                    std::optional<Source>& source) {
  const Memlet& memlet = (*use.state)[*use.setting].memlet;
  const auto* from = (*use.state)[use.state->source(*use.setting)].as<AccessNode>();
  if (!from) return "code sets '" + name + "'";
  const Data& data = *sdfg.find_data(from->data);
  if (data.role() != Role::Plain || data.is_stream() || memlet.data != from->data)
    return "'" + name + "' is set to something else than elements of a container";
  if (!source) source = Source{from->data, *memlet.subset()};
  if (source->container != from->data || !(source->subset == *memlet.subset()))
    return "'" + name + "' is set to several things";
  return {};
}

Refusal check(const Sdfg& sdfg, const std::string& name, const std::vector<Use>& uses,
              const SymbolSet& assigned, std::optional<Source>& source) {
  const Data& reference = sdfg.arrays.at(name);
  if (!reference.as_array()) return "'" + name + "' is a reference to a structure";
  if (!reference.transient) return "'" + name + "' is an argument: the caller sets it";
  for (const Use& use : uses) {
    if (use.in_scope) return "'" + name + "' is used inside a scope";
    if (use.state->get<AccessNode>(use.node).setzero) return "'" + name + "' is set to zero";
    if (!use.setting) continue;
    if (Refusal why = find_source(sdfg, name, use, source)) return why;
  }
  SDFG_ASSERT(source) << "nothing sets '" << name << "', which the verifier refuses";
  SymbolSet symbols;
  collect_symbols(source->subset, symbols);
  for (const std::string& symbol : symbols)
    if (assigned.contains(symbol))
      return "where '" + name + "' points depends on '" + symbol + "', which the program assigns";
  return {};
}

/// Puts an access node of the view between the container's node and those that read or write it.
void insert_view(State& state, NodeId node, const std::string& view, const Source& source,
                 bool reads) {
  std::vector<EdgeId> edges;
  for (EdgeId e : reads ? state.out(node) : state.in(node))
    if (!state[e].memlet.empty()) edges.push_back(e);
  if (edges.empty()) return;
  Node looking{AccessNode{view}};
  (reads ? looking.in_connectors : looking.out_connectors).emplace("views", Type());
  const NodeId added = state.add(std::move(looking));
  for (EdgeId e : edges) reads ? state.set_source(e, added) : state.set_target(e, added);
  if (reads)
    state.connect(node, added, {"", "views", Memlet::read(source.container, source.subset)});
  else
    state.connect(added, node, {"views", "", Memlet::write(source.container, source.subset)});
}

void convert(const std::string& name, const Use& use, const Source& source) {
  State& state = *use.state;
  if (use.setting) {
    const NodeId from = state.source(*use.setting);
    if (state.in(use.node).size() + state.out(use.node).size() == 1) {
      state.erase(use.node);
      if (state.in(from).empty() && state.out(from).empty()) state.erase(from);
      return;
    }
    state[use.node].in_connectors.erase("set");
    state[*use.setting] = {};  // an order
  }
  state.get<AccessNode>(use.node).data = source.container;
  insert_view(state, use.node, name, source, false);
  insert_view(state, use.node, name, source, true);
}

Changed run_on(Sdfg& sdfg, const Trail& outer, PassContext& context) {
  const StateTrails states(sdfg, outer);
  const Uses all = uses_of_references(sdfg, states);
  if (all.empty()) return Changed::No;
  const Accesses accesses(sdfg);
  const SymbolSet assigned = assigned_symbols(sdfg);
  Changed changed = Changed::No;
  for (const auto& [name, uses] : all) {
    const auto first = std::ranges::find_if(uses, [](const Use& u) { return bool(u.setting); });
    const Use& place = first == uses.end() ? uses.front() : *first;
    const Trail trail = place.trail->in(*place.state, place.node);
    std::optional<Source> source;
    Refusal why = accesses.is_named(name) ? Refusal("'" + name + "' is read by name")
                                          : check(sdfg, name, uses, assigned, source);
    if (why) {
      context.refused(trail, why);
      continue;
    }
    if (!context.may_apply()) return changed;
    context.applied(trail, "'" + name + "' looks at '" + source->container + "'");
    for (const Use& use : uses) convert(name, use, *source);
    sdfg.arrays.at(name).as_array()->role = Role::View;
    changed = Changed::Yes;
  }
  return changed;
}

}  // namespace

Result<Changed> ReferenceToView::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return on_each_sdfg(sdfg, {}, LazyAssumptions(context),
                      [&](Sdfg& each, const Trail& trail, const LazyAssumptions&) {
                        return run_on(each, trail, context);
                      });
}

}  // namespace sdfg
