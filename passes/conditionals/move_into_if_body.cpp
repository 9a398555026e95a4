#include "passes/conditionals/move_into_if_body.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <ranges>

#include "ir/analysis/connector_types.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/accesses.h"
#include "passes/common/aliases.h"
#include "passes/common/order_edge.h"
#include "passes/common/scope.h"
#include "passes/common/side_effects.h"
#include "passes/common/tidy.h"
#include "passes/common/walk_states.h"
#include "passes/conditionals/if_bodies.h"
#include "passes/conditionals/if_body_filler.h"
#include "passes/conditionals/movable_nodes.h"
#include "passes/conditionals/readable_names.h"

namespace sdfg {
namespace {

/// What a pass knows about one SDFG, found out when it is first needed.
struct SdfgFacts {
  SdfgFacts(Sdfg& sdfg, Aliases same)
      : accesses(sdfg), readable(readable_names(sdfg)), aliases(std::move(same)) {}
  Accesses accesses;
  ReadableNames readable;  ///< those of the scopes around the place that is looked at, too
  Aliases aliases;
  SymbolSet moved;    ///< transients that are gone; their descriptors go at the end
};

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// One scope of a state (or its top level) that holds ifs. Every node directly in it is an element,
/// an inner scope counting as one, at its entry. Elements that cannot part (a computation and the
/// transients that it writes) form a unit; units get a home each, uses before definitions.
class ScopeMover {
 public:
  using Index = PlaceTree::Index;

  ScopeMover(Sdfg& sdfg, SdfgFacts& facts, State& state, const ScopeTree& tree, NodeId scope,
             std::vector<NodeId> elements, SideEffects& effects, const Trail& trail,
             PassContext& context)
      : sdfg_(sdfg), facts_(facts), state_(state), tree_(tree), scope_(scope),
        elements_(std::move(elements)), trail_(trail), context_(context),
        names_(facts.readable, sdfg, state, tree, scope),
        movable_(sdfg, state, tree, scope, facts.accesses, facts.readable.names, effects) {
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      element_of_.emplace(elements_[i].value, i);
      if (state_[elements_[i]].is_entry())
        element_of_.emplace(tree_.exit_of(elements_[i]).value, i);
    }
  }

  Changed run() {
    join();
    sweep();
    say_what_stays();
    return apply();
  }

 private:
  static constexpr std::size_t none = ~std::size_t(0);
  struct Unit {
    std::vector<std::size_t> elements;
    Index home = PlaceTree::root;
    std::size_t waiting = 0;  ///< edges to units whose home is not known yet
    bool done = false;
    std::string why = "it is part of a cycle of computations that cannot part";
  };

  // ---- Elements and units.

  std::size_t element(NodeId node) const {
    const auto found = element_of_.find(node.value);
    return found == element_of_.end() ? none : found->second;
  }
  std::span<const EdgeId> out(std::size_t element) const {
    const NodeId node = elements_[element];
    return state_.out(state_[node].is_entry() ? tree_.exit_of(node) : node);
  }
  std::span<const EdgeId> in(std::size_t element) const { return state_.in(elements_[element]); }
  Unit& unit(std::size_t element) { return units_[unit_of_[element]]; }

  std::size_t root(std::size_t element) {
    while (unit_of_[element] != element)
      element = unit_of_[element] = unit_of_[unit_of_[element]];
    return element;
  }
  void unite(std::size_t a, std::size_t b) {
    a = root(a), b = root(b);
    unit_of_[std::max(a, b)] = std::min(a, b);
  }

  /// A computation and what it writes belong together; so do all accesses to one container. A copy
  /// belongs to its target.
  void join() {
    unit_of_.resize(elements_.size());
    std::iota(unit_of_.begin(), unit_of_.end(), std::size_t(0));
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      if (const auto* access = state_[elements_[i]].as<AccessNode>()) {
        const Data* data = sdfg_.arrays.get(access->data);
        if (!data || !data->transient) continue;
        for (const AccessSite& site : facts_.accesses.sites(access->data))
          if (site.state == &state_)
            if (const std::size_t other = element(site.node); other != none && other < i)
              unite(i, other);
        continue;
      }
      for (EdgeId e : out(i))
        if (const std::size_t to = element(state_.target(e)); to != none)
          if (carries_data(state_[e])) unite(i, to);
    }
    units_.resize(elements_.size());
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      unit_of_[i] = root(i);
      unit(i).elements.push_back(i);
    }
    for (std::size_t i = 0; i < elements_.size(); ++i)
      for (EdgeId e : out(i))
        if (const std::size_t to = element(state_.target(e)); to != none)
          if (unit_of_[to] != unit_of_[i]) ++unit(i).waiting;
  }

  // ---- Homes.

  /// Uses first; a unit on a cycle stays where it is.
  void sweep() {
    std::deque<std::size_t> ready;
    const auto settle = [&](Unit& u) {
      u.done = true;
      for (std::size_t i : u.elements) {
        if (const auto* nested = state_[elements_[i]].as<NestedSdfg>();
            nested && IfBodies::chooses(*nested))
          add_if(i, u.home);
        for (EdgeId e : in(i)) {
          const std::size_t from = element(state_.source(e));
          if (from == none || &unit(from) == &u) continue;
          if (--unit(from).waiting == 0 && !unit(from).done) ready.push_back(unit_of_[from]);
        }
      }
    };
    for (std::size_t u = units_.size(); u-- > 0;)
      if (!units_[u].elements.empty() && units_[u].waiting == 0) ready.push_back(u);
    for (std::size_t u = units_.size(); u-- > 0;) {
      for (; !ready.empty(); ready.pop_front()) {
        decide(units_[ready.front()]);
        settle(units_[ready.front()]);
      }
      if (!units_[u].elements.empty() && !units_[u].done) settle(units_[u]);
    }
  }

  void add_if(std::size_t i, Index home) {
    SymbolSet written;
    for (EdgeId e : out(i)) {
      if (state_[e].memlet.empty()) continue;
      const auto* access = state_[path_target(state_, e)].as<AccessNode>();
      const Data* data = access ? sdfg_.find_data(access->data) : nullptr;
      // Writes through a view would have to be followed.
      if (!data || data->is_view() || data->is_reference()) return;
      written.insert(access->data);
    }
    add_aliases(facts_.aliases, written);
    const IfBody& body = bodies_.add(sdfg_, state_, elements_[i], home);
    for (const std::string& container : written) bodies_.add_write(container, body);
  }

  /// Where the far end of an edge needs what comes along it.
  Index place_of_use(EdgeId e, std::size_t to) {
    const Edge& edge = state_[e];
    if (!edge.memlet.empty() && state_[state_.source(e)].is<AccessNode>())
      if (const IfBody* body = bodies_.find(state_.target(e)))
        if (const auto at = body->inputs.find(edge.dst_connector); at != body->inputs.end())
          return at->second;
    return unit(to).home;
  }
  /// The innermost branch around a place: an if as a whole is no better than the place it stands
  /// at.
  Index branch_around(Index place) const {
    while (place != PlaceTree::root && !bodies_.is_branch(place))
      place = bodies_.tree().parent(place);
    return place;
  }

  void decide(Unit& u) {
    std::optional<Index> home;
    std::vector<std::size_t> later;  // what only waits for it
    u.why = "nothing in the scope uses it";
    for (std::size_t i : u.elements)
      for (EdgeId e : out(i)) {
        const std::size_t to = element(state_.target(e));
        if (to != none && &unit(to) == &u) continue;
        if (!carries_data(state_[e])) {
          if (to != none) later.push_back(to);
          continue;
        }
        const Index place = to == none ? PlaceTree::root : place_of_use(e, to);
        const Index both = branch_around(home ? bodies_.tree().common(*home, place) : place);
        if (!home || both != *home)
          u.why = to == none ? "the scope hands it on"
                             : quoted(state_[state_.target(e)].label()) + " needs it, too";
        home = both;
      }
    u.home = home.value_or(PlaceTree::root);
    if (u.home == PlaceTree::root) return;
    std::string why = why_it_stays(u);
    if (!why.empty()) {
      u.home = PlaceTree::root;
      u.why = std::move(why);
      return;
    }
    keep_meaning(u);
    keep_order(u, later);
  }

  /// Moves the home outward to where what waits for the unit still does: behind the if itself, or
  /// in the same branch.
  void keep_order(Unit& u, const std::vector<std::size_t>& later) {
    if (later.empty() || u.home == PlaceTree::root) return;
    const NodeId around = bodies_.bodies()[bodies_.branch(u.home).body].node;
    const auto is_behind = [&](std::size_t to) {
      return std::ranges::any_of(state_.out(around),
                                 [&](EdgeId e) { return state_.target(e) == elements_[to]; });
    };
    if (std::ranges::all_of(later, is_behind)) return;
    for (const std::size_t to : later) {
      const Index both = branch_around(bodies_.tree().common(u.home, unit(to).home));
      if (both != u.home) u.why = quoted(state_[elements_[to]].label()) + " has to wait for it";
      u.home = both;
    }
  }

  std::string why_it_stays(const Unit& u) const {
    for (std::size_t i : u.elements)
      if (std::string why = movable_.why_it_stays(elements_[i]); !why.empty()) return why;
    return {};
  }

  /// Moves the home outward until every name means there what it means here.
  void keep_meaning(Unit& u) {
    SymbolSet names, read;
    for (std::size_t i : u.elements) movable_.collect_names(elements_[i], names, read);
    for (const std::string& name : names) {
      if (sdfg_.arrays.contains(name)) {
        u.home = PlaceTree::root;
        u.why = "it reads " + quoted(name) + " by name";
        return;
      }
      const Index place = branch_around(bodies_.where_visible(name, u.home));
      if (place != u.home) u.why = quoted(name) + " means something else inside";
      u.home = place;
    }
    for (const std::string& name : read) {
      const Index place = branch_around(bodies_.where_unwritten(name, u.home));
      if (place != u.home) u.why = "the if writes " + quoted(name) + ", which it reads";
      u.home = place;
    }
  }

  // ---- Doing it.

  /// A result that only one branch reads and that is computed outside of the if all the same.
  void say_what_stays() {
    for (const IfBody& body : bodies_.bodies())
      for (EdgeId e : state_.in(body.node)) {
        const auto* access = state_[state_.source(e)].as<AccessNode>();
        const auto use = body.inputs.find(state_[e].dst_connector);
        const std::size_t from = element(state_.source(e));
        if (!access || use == body.inputs.end() || from == none) continue;
        if (!bodies_.is_branch(use->second) || state_.in(state_.source(e)).empty()) continue;
        if (bodies_.tree().contains(body.inside, unit(from).home)) continue;
        context_.refused(trail_.in(state_, body.node),
                         quoted(access->data) + ", which only branch '" +
                             std::string(bodies_.branch(use->second).label) +
                             "' reads, stays outside: " + unit(from).why);
      }
  }

  Changed apply() {
    // By if, then by branch; ifs in topological order, so that one is full before it moves itself.
    std::map<std::size_t, std::map<Index, std::vector<NodeId>>> moves;
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      const Index home = unit(i).home;
      if (home == PlaceTree::root) continue;
      const NodeId node = bodies_.bodies()[bodies_.branch(home).body].node;
      std::vector<NodeId>& nodes = moves[element(node)][home];
      nodes.push_back(elements_[i]);
      if (!state_[elements_[i]].is_entry()) continue;
      const Scope inner = *find_scope(state_, elements_[i]);
      const std::vector<NodeId> ordered = in_order(inner);
      nodes.insert(nodes.end(), ordered.begin(), ordered.end());
    }
    Changed changed = Changed::No;
    for (const auto& [at, branches] : moves) {
      if (!context_.may_apply()) break;
      fill(elements_[at], branches);
      changed = Changed::Yes;
    }
    if (changed == Changed::Yes && scope_ != NodeId{}) drop_unused_inputs(state_, scope_);
    return changed;
  }

  void fill(NodeId node, const std::map<Index, std::vector<NodeId>>& branches) {
    std::string what;
    for (const auto& [place, nodes] : branches) {
      if (!context_.collect_remarks) break;
      what += (what.empty() ? "moved " : "; ") + names(nodes) + " into branch '" +
              std::string(bodies_.branch(place).label) + "'";
    }
    context_.applied(trail_.in(state_, node), what);
    IfBodyFiller filler(sdfg_, state_, scope_, node, facts_.readable, bodies_.find(node)->taken);
    // From the inside: what a branch inside reads of one around it arrives there as an input, too.
    for (const auto& [place, nodes] : branches | std::views::reverse)
      filler.fill({bodies_.branch(place).region, nodes});
    filler.finish();
    facts_.moved.insert(filler.moved_data().begin(), filler.moved_data().end());
  }

  /// The computations among the nodes, for remarks.
  std::string names(const std::vector<NodeId>& nodes) const {
    std::string out;
    std::size_t count = 0;
    for (NodeId n : nodes) {
      const Node& node = state_[n];
      if (!node.is_code() && !node.is_entry()) continue;
      if (++count <= 4) out += (count > 1 ? ", " : "") + quoted(node.label());
    }
    if (count > 4) out += " and " + std::to_string(count - 4) + " more";
    return count ? out : "copies";
  }

  /// The nodes of a scope behind its entry, each after its predecessors.
  std::vector<NodeId> in_order(const Scope& scope) const {
    std::unordered_map<std::uint32_t, std::size_t> waiting;
    for (NodeId n : scope.nodes) waiting[n.value] = state_.in(n).size();
    std::vector<NodeId> order{scope.entry};
    for (std::size_t at = 0; at < order.size(); ++at)
      for (EdgeId e : state_.out(order[at]))
        if (const NodeId to = state_.target(e); to != scope.exit && --waiting[to.value] == 0)
          order.push_back(to);
    order.erase(order.begin());
    order.push_back(scope.exit);
    return order;
  }

  Sdfg& sdfg_;
  SdfgFacts& facts_;
  State& state_;
  const ScopeTree& tree_;
  NodeId scope_;
  std::vector<NodeId> elements_;  ///< in topological order
  const Trail& trail_;
  PassContext& context_;
  NamesInScope names_;
  MovableNodes movable_;
  std::unordered_map<std::uint32_t, std::size_t> element_of_;
  std::vector<std::size_t> unit_of_;
  std::vector<Unit> units_;  ///< by their first element
  IfBodies bodies_;
};

class Mover {
 public:
  Mover(Sdfg& root, PassContext& context) : root_(root), context_(context), aliases_(root) {}

  Changed run() {
    walk_states(root_, {}, [&](Sdfg& sdfg, State& state, const Trail& trail) {
      on_state(sdfg, state, trail);
    });
    for (auto& [sdfg, facts] : facts_)
      if (!facts->moved.empty())
        facts->sdfg->arrays.erase_if(
            [&](const auto& entry) { return facts->moved.contains(entry.first); });
    return changed_;
  }

 private:
  struct Entry : SdfgFacts {
    Entry(Sdfg& s, Aliases same) : SdfgFacts(s, std::move(same)), sdfg(&s) {}
    Sdfg* sdfg;
  };

  void on_state(Sdfg& sdfg, State& state, const Trail& trail) {
    std::map<NodeId, std::vector<NodeId>> scopes;  // those with ifs: their elements
    const auto is_if = [&](NodeId n) {
      const auto* nested = state[n].as<NestedSdfg>();
      return nested && IfBodies::chooses(*nested);
    };
    std::vector<NodeId> ifs;
    for (NodeId n : state.nodes())
      if (is_if(n)) ifs.push_back(n);
    if (ifs.empty()) return;
    const auto [order, tree] = dataflow_of(state);
    for (NodeId n : ifs) scopes[tree.parent_of(n)];
    std::vector<NodeId> entries;  // the innermost ones last
    if (scopes.contains(NodeId{})) entries.push_back(NodeId{});
    for (NodeId n : order) {
      if (state[n].is_entry() && scopes.contains(n)) entries.push_back(n);
      const auto found = scopes.find(tree.parent_of(n));
      if (found != scopes.end() && !state[n].is_exit()) found->second.push_back(n);
    }
    auto& facts = facts_[&sdfg];
    if (!facts) facts = std::make_unique<Entry>(sdfg, aliases_.of(sdfg));
    while (!entries.empty()) {
      const NodeId scope = entries.back();
      entries.pop_back();
      ScopeMover mover(sdfg, *facts, state, tree, scope, std::move(scopes[scope]), effects_, trail,
                       context_);
      changed_ |= mover.run();
    }
  }

  Sdfg& root_;
  PassContext& context_;
  LazyAliases aliases_;
  SideEffects effects_;
  std::unordered_map<const Sdfg*, std::unique_ptr<Entry>> facts_;
  Changed changed_ = Changed::No;
};

}  // namespace

Result<Changed> MoveIntoIfBody::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return Mover(sdfg, context).run();
}

}  // namespace sdfg
