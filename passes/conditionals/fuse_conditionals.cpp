#include "passes/conditionals/fuse_conditionals.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "ir/graph_algorithms.h"
#include "ir/replace.h"
#include "passes/common/tidy.h"
#include "passes/common/walk_states.h"
#include "passes/conditionals/if_bodies.h"
#include "passes/conditionals/if_shape.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Takes others into one if.
class Absorber {
 public:
  Absorber(State& state, NodeId keeper, const IfShape& shape)
      : state_(state), keeper_(keeper), shape_(shape),
        connectors_(shape.connectors.begin(), shape.connectors.end()) {
    for (EdgeId e : state_.in(keeper_)) remember_input(e);
  }

  /// Names that would clash and cannot be changed.
  Refusal check(const NestedSdfg& other, const IfShape& shape) {
    for (const std::string& connector : shape.connectors)
      if (inner().arrays.contains(connector))
        return "code in one uses a connector " + quoted(connector) +
               ", which is a container in the other";
    for (const auto& [name, constant] : (*other.sdfg)->constants) {
      const Constant* mine = inner().constants.get(name);
      if (mine ? !(*mine == constant) : inner().arrays.contains(name) || inner().symbols.contains(name))
        return "the constant " + quoted(name) + " means something else in the other";
    }
    return {};
  }

  void absorb(NodeId node, const IfShape& shape) {
    NestedSdfg other = std::move(state_.get<NestedSdfg>(node));
    connectors_.insert(shape.connectors.begin(), shape.connectors.end());
    join_symbols(other);
    const Renaming names = join_containers(node, other);
    join_code(**other.sdfg);
    move_edges(node, names);
    for (std::size_t i = 0; i < shape.branches.size(); ++i)
      if (shape.branches[i]) join_branch(i, shape.conditional->branches[*shape.branches[i]], names);
    state_.erase(node);
  }

 private:
  NestedSdfg& nested() { return state_.get<NestedSdfg>(keeper_); }
  Sdfg& inner() { return **nested().sdfg; }

  static std::string key(const State& state, EdgeId e) {
    const Memlet& memlet = state[e].memlet;
    if (memlet.empty() || !memlet.subset()) return {};
    const NodeId from = state.source(e);
    return (state[from].is_entry() ? "" : std::to_string(from.value)) + " " + memlet.data + "[" +
           to_text(*memlet.subset()) + "]";
  }
  void remember_input(EdgeId e) {
    const std::string& connector = state_[e].dst_connector;
    if (state_[keeper_].out_connectors.contains(connector)) return;
    if (std::string k = key(state_, e); !k.empty()) inputs_.emplace(std::move(k), connector);
  }

  std::string fresh(const std::string& base, const Sdfg& other) {
    const auto is_free = [&](const std::string& name) {
      return !inner().arrays.contains(name) && !inner().symbols.contains(name) &&
             !inner().constants.contains(name) && !nested().symbol_mapping.contains(name) &&
             !connectors_.contains(name) && !other.symbols.contains(name);
    };
    if (is_free(base)) return base;
    std::size_t& next = next_[base];
    for (;; ++next)
      if (std::string name = base + "_" + std::to_string(next); is_free(name)) return ++next, name;
  }

  /// A symbol with another value here gets another name.
  void join_symbols(NestedSdfg& other) {
    Sdfg& from = **other.sdfg;
    const auto mapping = other.symbol_mapping;
    for (const auto& [name, value] : mapping) {
      const auto mine = nested().symbol_mapping.find(name);
      std::string here = name;
      if (mine != nested().symbol_mapping.end() && mine->second == value) continue;
      if (mine != nested().symbol_mapping.end() || inner().arrays.contains(name) ||
          inner().constants.contains(name) || connectors_.contains(name)) {
        here = name;
        do here += "_";
        while (from.symbols.contains(here) || from.arrays.contains(here) ||
               inner().symbols.contains(here) || inner().arrays.contains(here) ||
               mapping.contains(here) || connectors_.contains(here));
        rename_symbol(from, name, here);
      }
      nested().symbol_mapping.emplace(here, value);
      if (const auto type = from.symbols.find(here); type != from.symbols.end())
        inner().symbols.emplace(here, type->second);
    }
  }

  Renaming join_containers(NodeId node, NestedSdfg& other) {
    Renaming names;
    shared_.clear();
    for (EdgeId e : state_.in(node)) {
      const std::string& connector = state_[e].dst_connector;
      const auto mine = inputs_.find(key(state_, e));
      if (mine == inputs_.end() || state_[node].out_connectors.contains(connector)) continue;
      const Data& theirs = (*other.sdfg)->arrays.at(connector);
      const Data& ours = inner().arrays.at(mine->second);
      if (theirs.json_type() != ours.json_type() || theirs.shape != ours.shape) continue;
      if (theirs.as_array() && theirs.as_array()->strides != ours.as_array()->strides) continue;
      names[connector] = mine->second;
      shared_.insert(mine->second);
    }
    for (auto& [name, data] : (*other.sdfg)->arrays) {
      if (names.contains(name)) continue;
      const std::string here = fresh(name, **other.sdfg);
      names[name] = here;
      inner().arrays.insert(here, std::move(data));
    }
    return names;
  }

  void join_code(Sdfg& other) {
    for (auto& [name, constant] : other.constants) inner().constants.insert(name, std::move(constant));
    const auto join = [](std::map<std::string, Code>& into, const std::map<std::string, Code>& from) {
      for (const auto& [where, code] : from) {
        Code& all = into[where];
        if (all.empty())
          all = code;
        else if (all.text().find(code.text()) == std::string::npos)
          all = Code(all.text() + "\n" + code.text(), all.language());
      }
    };
    join(inner().global_code, other.global_code);
    join(inner().init_code, other.init_code);
    join(inner().exit_code, other.exit_code);
    inner().callback_mapping.merge(other.callback_mapping);
  }

  void move_edges(NodeId node, const Renaming& names) {
    const std::vector<EdgeId> in(state_.in(node).begin(), state_.in(node).end());
    std::set<NodeId> before;
    for (EdgeId e : state_.in(keeper_)) before.insert(state_.source(e));
    for (EdgeId e : in) {
      if (state_[e].memlet.empty()) {
        if (before.insert(state_.source(e)).second) state_.set_target(e, keeper_);
        continue;
      }
      const std::string here = names.at(state_[e].dst_connector);
      if (shared_.contains(here)) continue;
      state_[keeper_].in_connectors.emplace(here, state_[node].in_connectors[state_[e].dst_connector]);
      state_[e].dst_connector = here;
      state_.set_target(e, keeper_);
    }
    const std::vector<EdgeId> out(state_.out(node).begin(), state_.out(node).end());
    for (EdgeId e : out) {
      if (!state_[e].memlet.empty()) {
        const std::string here = names.at(state_[e].src_connector);
        state_[keeper_].out_connectors.emplace(here,
                                               state_[node].out_connectors[state_[e].src_connector]);
        state_[e].src_connector = here;
      }
      state_.set_source(e, keeper_);
    }
    for (EdgeId e : state_.in(keeper_)) remember_input(e);
  }

  void join_branch(std::size_t role, Branch& theirs, const Renaming& names) {
    rename_data(theirs.block, names);
    auto& mine = shape_.branches[role];
    if (mine) {
      Region& region = shape_.conditional->branches[*mine].region();
      Region& other = theirs.region();
      join_states(*region[*region.nodes().begin()].as<State>(),
                  *other[*other.nodes().begin()].as<State>());
      return;
    }
    // A two-way if that lacked this branch: it runs when the other does not.
    mine = shape_.conditional->branches.size();
    theirs.condition.reset();
    for (const Branch& branch : shape_.conditional->branches)
      if (branch.block.label == theirs.block.label) theirs.block.label += "_else";
    shape_.conditional->branches.push_back(std::move(theirs));
  }

  /// Inputs that both read get one access node.
  void join_states(State& into, State& from) {
    std::map<std::string, NodeId> sources;
    for (NodeId n : into.nodes())
      if (const auto* access = into[n].as<AccessNode>(); access && into.in(n).empty())
        if (shared_.contains(access->data)) sources.emplace(access->data, n);
    std::vector<NodeId> moved(from.id_bound());
    for (NodeId n : from.nodes()) {
      const auto* access = from[n].as<AccessNode>();
      const auto same = access ? sources.find(access->data) : sources.end();
      if (same != sources.end() && from.in(n).empty()) {
        moved[n.value] = same->second;
        continue;
      }
      Node node = std::move(from[n]);
      if (auto* exit = node.as<MapExit>()) exit->entry = moved[exit->entry.value];
      if (auto* exit = node.as<ConsumeExit>()) exit->entry = moved[exit->entry.value];
      moved[n.value] = into.add(std::move(node));
    }
    for (EdgeId e : from.edges())
      into.connect(moved[from.source(e).value], moved[from.target(e).value], std::move(from[e]));
  }

  State& state_;
  NodeId keeper_;
  IfShape shape_;
  SymbolSet connectors_;                        ///< of tasklets inside: no names for containers
  std::map<std::string, std::string> inputs_;   ///< what comes in: its connector
  std::map<std::string, std::size_t> next_;     ///< by base name: where to look for a free one
  std::set<std::string> shared_;                ///< connectors that the one being absorbed uses, too
};

/// The ifs of one scope.
class ScopeFuser {
 public:
  ScopeFuser(State& state, const ScopeTree& tree, NodeId scope, std::vector<NodeId> elements,
             const Trail& trail, PassContext& context)
      : state_(state), tree_(tree), scope_(scope), elements_(std::move(elements)), trail_(trail),
        context_(context) {
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      element_of_.emplace(elements_[i].value, i);
      if (state_[elements_[i]].is_entry())
        element_of_.emplace(tree_.exit_of(elements_[i]).value, i);
    }
  }

  Changed run(ValueNames& values) {
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      auto* nested = state_[elements_[i]].as<NestedSdfg>();
      if (!nested || !IfBodies::chooses(*nested)) continue;
      IfShape shape;
      Refusal why = read_shape(*nested, shape);
      if (!why) why = values.decide(elements_[i], shape);
      if (why) {
        context_.refused(trail_.in(state_, elements_[i]), why);
        continue;
      }
      decisions_[shape.decision].remaining++;
      ifs_.emplace(i, std::move(shape));
    }
    Changed changed = Changed::No;
    for (const std::vector<std::size_t>& group : schedule()) changed |= fuse(group);
    if (changed == Changed::Yes && scope_ != NodeId{}) drop_unused_inputs(state_, scope_);
    return changed;
  }

 private:
  /// Ifs that decide alike: how many are still to come, and those that could run now.
  struct Decision {
    std::size_t remaining = 0;
    std::vector<std::size_t> ready;
    std::vector<std::size_t> earlier;  ///< the group before
  };

  /// Orders the scope so that ifs with the same decision come together where they can: everything
  /// else goes first; when nothing else is left, all ready ifs of one decision, best one of which no
  /// more are to come. What runs together in an order can be joined without closing a cycle.
  std::vector<std::vector<std::size_t>> schedule() {
    std::vector<std::vector<std::size_t>> groups;
    std::vector<std::size_t> waiting(elements_.size());
    for (std::size_t i = 0; i < elements_.size(); ++i)
      for (std::size_t to : successors(i)) ++waiting[to];
    std::deque<std::size_t> ready;
    std::set<std::tuple<bool, std::size_t, std::string>> choices;
    const auto choice = [&](const std::string& name, const Decision& d) {
      return std::tuple(d.ready.size() < d.remaining, d.ready.front(), name);
    };
    const auto arrive = [&](std::size_t i) {
      const auto found = ifs_.find(i);
      if (found == ifs_.end() || decisions_[found->second.decision].remaining == 1) {
        if (found != ifs_.end()) ready_alone(found->second.decision, i);
        return ready.push_back(i);
      }
      Decision& d = decisions_[found->second.decision];
      if (!d.ready.empty()) choices.erase(choice(found->second.decision, d));
      d.ready.push_back(i);
      choices.insert(choice(found->second.decision, d));
    };
    const auto leave = [&](std::size_t i) {
      for (std::size_t to : successors(i))
        if (--waiting[to] == 0) arrive(to);
    };
    for (std::size_t i = 0; i < elements_.size(); ++i)
      if (waiting[i] == 0) arrive(i);
    for (;;) {
      for (; !ready.empty(); ready.pop_front()) leave(ready.front());
      if (choices.empty()) return groups;
      const std::string name = std::get<2>(*choices.begin());
      choices.erase(choices.begin());
      Decision& d = decisions_[name];
      std::vector<std::size_t> group = std::move(d.ready);
      d.ready.clear();
      d.remaining -= group.size();
      std::ranges::sort(group);
      if (!d.earlier.empty()) say_apart(d.earlier.front(), group.front());
      d.earlier = group;
      for (std::size_t i : group) leave(i);
      if (group.size() > 1) groups.push_back(std::move(group));
    }
  }
  /// The last one of its kind has nobody to wait for.
  void ready_alone(const std::string& name, std::size_t i) {
    const Decision& d = decisions_[name];
    if (!d.earlier.empty()) say_apart(d.earlier.front(), i);
  }
  void say_apart(std::size_t first, std::size_t second) {
    context_.refused(trail_.in(state_, elements_[second]),
                     "it has the same condition as " + quoted(state_[elements_[first]].label()) +
                         ", but something before it needs that one's results");
  }

  std::vector<std::size_t> successors(std::size_t i) const {
    std::vector<std::size_t> out;
    const NodeId node = elements_[i];
    for (EdgeId e : state_.out(state_[node].is_entry() ? tree_.exit_of(node) : node))
      if (const auto to = element_of_.find(state_.target(e).value); to != element_of_.end())
        out.push_back(to->second);
    return out;
  }

  Changed fuse(const std::vector<std::size_t>& group) {
    const NodeId keeper = elements_[group.front()];
    Absorber absorber(state_, keeper, ifs_.at(group.front()));
    Changed changed = Changed::No;
    for (std::size_t i : std::span(group).subspan(1)) {
      const NodeId node = elements_[i];
      const IfShape& shape = ifs_.at(i);
      if (const Refusal why = absorber.check(state_.get<NestedSdfg>(node), shape)) {
        context_.refused(trail_.in(state_, node), why);
        continue;
      }
      if (!context_.may_apply()) return changed;
      context_.applied(trail_.in(state_, node), "joined with " + quoted(state_[keeper].label()));
      absorber.absorb(node, shape);
      changed = Changed::Yes;
    }
    return changed;
  }

  State& state_;
  const ScopeTree& tree_;
  NodeId scope_;
  std::vector<NodeId> elements_;  ///< in topological order, an inner scope at its entry
  const Trail& trail_;
  PassContext& context_;
  std::unordered_map<std::uint32_t, std::size_t> element_of_;
  std::map<std::size_t, IfShape> ifs_;
  std::map<std::string, Decision> decisions_;
};

class Fuser {
 public:
  explicit Fuser(PassContext& context) : context_(context) {}

  void on_state(Sdfg& sdfg, State& state, const Trail& trail) {
    std::map<NodeId, std::vector<NodeId>> scopes;  // with at least two ifs: their elements
    std::vector<NodeId> ifs;
    for (NodeId n : state.nodes())
      if (const auto* nested = state[n].as<NestedSdfg>(); nested && IfBodies::chooses(*nested))
        ifs.push_back(n);
    if (ifs.size() < 2) return;
    const auto tree = scope_tree(state);
    const auto order = topological_order(state);
    if (!tree || !order) return context_.refused(trail, "the state is not valid");
    std::map<NodeId, std::size_t> count;
    for (NodeId n : ifs)
      if (++count[tree->parent_of(n)] == 2) scopes[tree->parent_of(n)];
    for (NodeId n : *order)
      if (const auto found = scopes.find(tree->parent_of(n));
          found != scopes.end() && !state[n].is_exit())
        found->second.push_back(n);
    auto& accesses = accesses_[&sdfg];
    if (!accesses) accesses = std::make_unique<Accesses>(sdfg);
    for (auto& [scope, elements] : scopes) {
      ValueNames values(sdfg, state, *tree, scope, *accesses, effects_);
      changed_ |= ScopeFuser(state, *tree, scope, std::move(elements), trail, context_).run(values);
    }
  }
  Changed changed() const { return changed_; }

 private:
  PassContext& context_;
  SideEffects effects_;
  std::unordered_map<const Sdfg*, std::unique_ptr<Accesses>> accesses_;
  Changed changed_ = Changed::No;
};

}  // namespace

Result<Changed> FuseConditionals::run(Sdfg& sdfg, const Options&, PassContext& context) {
  Fuser fuser(context);
  walk_states(sdfg, {}, [&](Sdfg& s, State& state, const Trail& trail) {
    fuser.on_state(s, state, trail);
  });
  return fuser.changed();
}

}  // namespace sdfg
