#include "passes/inside_maps/move_tasklet_into_map.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/replace.h"
#include "passes/common/accesses.h"
#include "passes/common/connector_index.h"
#include "passes/common/side_effects.h"
#include "passes/common/viewed.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

class Mover {
 public:
  Mover(Sdfg& sdfg, SideEffects& effects, PassContext& context)
      : sdfg_(sdfg), effects_(effects), context_(context) {}

  void on_state(State& state, const Trail& trail) {
    std::optional<ScopeTree> tree;
    // Edges get new sources on the way, but no connector is asked for again once its edges have.
    ConnectorIndex index(state);
    for (NodeId n : state.nodes_of<AccessNode>()) {
      if (!is_constant(state, n)) continue;
      if (!tree) {
        auto found = scope_tree(state);
        if (!found) return context_.refused(trail, found.error().message);
        tree = *std::move(found);
      }
      if (n.value < tree->parent.size() && tree->parent_of(n) != NodeId{}) continue;
      move(state, n, index, trail);
    }
  }

  Changed finish() {
    for (const std::string& name : gone_) sdfg_.arrays.erase(name);
    return changed_;
  }

 private:
  /// An access node of a scalar whose only writer is a tasklet without inputs.
  bool is_constant(const State& state, NodeId n) const {
    if (state.in(n).size() != 1) return false;
    const EdgeId e = state.in(n)[0];
    const NodeId from = state.source(e);
    if (!state.in(from).empty() || state.out(from).size() != 1 || !state[from].is<Tasklet>())
      return false;
    const AccessNode& access = state.get<AccessNode>(n);
    const Data* data = sdfg_.arrays.get(access.data);
    if (!data || !data->transient || data->role() != Role::Plain || data->is_stream()) return false;
    const auto is_one = [](const Expr& e) { return e == Expr(1); };
    if (data->is_structure() || !std::ranges::all_of(data->shape, is_one)) return false;
    return !access.setzero && !state[e].memlet.empty() && !state[e].memlet.wcr &&
           !state[e].memlet.dynamic;
  }

  Refusal check(const State& state, NodeId n) {
    const EdgeId e = state.in(n)[0];
    const Node& node = state[state.source(e)];
    const Tasklet& tasklet = *node.as<Tasklet>();
    if (effects_.of(sdfg_, node)) return quoted(tasklet.label) + " has side effects";
    if (tasklet.instrument != Instrumentation::None)
      return quoted(tasklet.label) + " is instrumented";
    if (!tasklet.code_init->empty() || !tasklet.code_exit->empty() || !tasklet.code_global->empty())
      return quoted(tasklet.label) + " has code outside of the program";
    const std::string& name = state.get<AccessNode>(n).data;
    if (!accesses_) accesses_.emplace(sdfg_);
    for (const AccessSite& site : accesses_->sites(name)) {
      if (sets_reference(*site.state, site.node))
        return quoted(name) + " may be written through a reference";
      if (!(site.state == &state && site.node == n) && !site.state->in(site.node).empty())
        return quoted(name) + " is written elsewhere, too";
    }
    return {};
  }

  Refusal check_map(const State& state, NodeId tasklet, NodeId entry) const {
    const std::vector<std::string> names = names_of_scope(state[entry]);
    const SymbolSet defined(names.begin(), names.end());
    SymbolSet used;
    collect_used_names(state[tasklet], defined, used);
    for (const std::string& name : used)
      if (defined.contains(name))
        return "the map " + quoted(state[entry].label()) + " gives " + quoted(name) +
               " another meaning";
    return {};
  }

  void move(State& state, NodeId n, ConnectorIndex& index, const Trail& trail) {
    std::map<NodeId, std::vector<EdgeId>> maps;
    for (EdgeId e : state.out(n))
      if (state[state.target(e)].is<MapEntry>() && state[e].dst_connector.starts_with("IN_"))
        maps[state.target(e)].push_back(e);
    if (maps.empty()) return;
    const Trail here = trail.in(state, n);
    if (const Refusal why = check(state, n)) return context_.refused(here, why);
    const NodeId tasklet = state.source(state.in(n)[0]);
    const bool elsewhere = is_elsewhere(state, n);
    for (const auto& [entry, edges] : maps) {
      if (const Refusal why = check_map(state, tasklet, entry)) {
        context_.refused(here, why);
        continue;
      }
      if (!context_.may_apply()) return;
      context_.applied(here, quoted(state[tasklet].label()) + " is in the map " +
                                 quoted(state[entry].label()) + " now");
      move_into(state, n, entry, edges, index);
      if (elsewhere) state.connect(n, entry, {});
      changed_ = Changed::Yes;
    }
    if (!state.out(n).empty() || !accesses_->is_single_use(state.get<AccessNode>(n).data)) return;
    gone_.insert(state.get<AccessNode>(n).data);
    accesses_->remove(state, n);
    state.erase(n);
    state.erase(tasklet);
  }

  /// Is the scalar read through other nodes of the state? What reads there may come behind the map,
  /// and behind the tasklet only by it.
  bool is_elsewhere(const State& state, NodeId n) const {
    return std::ranges::any_of(accesses_->sites(state.get<AccessNode>(n).data),
                               [&](const AccessSite& site) {
                                 return site.state == &state && site.node != n;
                               });
  }

  void move_into(State& state, NodeId n, NodeId entry, const std::vector<EdgeId>& edges,
                 ConnectorIndex& index) {
    const std::string name = state.get<AccessNode>(n).data;
    const std::string inner_name = sdfg_.fresh_name(name);
    Data data = sdfg_.arrays.at(name);
    data.lifetime = Lifetime::Scope;
    data.storage = Storage::Default;
    sdfg_.arrays.insert(inner_name, std::move(data));
    Node clone = state[state.source(state.in(n)[0])];
    clone.guid.clear();
    Edge write = state[state.in(n)[0]];
    write.memlet.data = inner_name;
    write.memlet.guid.clear();
    const NodeId tasklet = state.add(std::move(clone));
    const NodeId scalar = state.add(Node{AccessNode{inner_name}});
    state.connect(entry, tasklet, {});
    state.connect(tasklet, scalar, std::move(write));
    accesses_->add(state, scalar);
    for (EdgeId e : edges) {
      for (EdgeId inner : index.behind(e)) {
        rename_onward(state, index, inner, name, inner_name);
        state[inner].src_connector.clear();
        state.set_source(inner, scalar);
      }
      const std::string connector = state[e].dst_connector;
      state[entry].in_connectors.erase(connector);
      state[entry].out_connectors.erase(matching_connector(connector));
      state.erase(e);
    }
  }

  Sdfg& sdfg_;
  std::optional<Accesses> accesses_;  ///< found with the first candidate
  SideEffects& effects_;
  PassContext& context_;
  SymbolSet gone_;
  Changed changed_ = Changed::No;
};

}  // namespace

Result<Changed> MoveTaskletIntoMap::run(Sdfg& sdfg, const Options&, PassContext& context) {
  SideEffects effects;
  std::unordered_map<Sdfg*, std::unique_ptr<Mover>> movers;
  walk_states(sdfg, {}, [&](Sdfg& s, State& state, const Trail& trail) {
    auto& mover = movers[&s];
    if (!mover) mover = std::make_unique<Mover>(s, effects, context);
    mover->on_state(state, trail);
  });
  Changed changed = Changed::No;
  for (auto& [s, mover] : movers) changed |= mover->finish();
  return changed;
}

}  // namespace sdfg
