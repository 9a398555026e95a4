#include "passes/conditionals/fuse_conditionals.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "ir/analysis/scope_tree.h"
#include "passes/common/tidy.h"
#include "passes/common/walk_states.h"
#include "passes/conditionals/if_absorber.h"
#include "passes/conditionals/if_bodies.h"
#include "passes/conditionals/if_shape.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

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
  /// else goes first; when nothing else is left, all ready ifs of one decision, best one of which
  /// no more are to come. What runs together in an order can be joined without closing a cycle.
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
    IfAbsorber absorber(state_, keeper, ifs_.at(group.front()));
    Changed changed = Changed::No;
    for (std::size_t i : std::span(group).subspan(1)) {
      const NodeId node = elements_[i];
      const IfShape& shape = ifs_.at(i);
      if (const Refusal why = absorber.check(state_.get<NestedSdfg>(node), shape)) {
        context_.refused(trail_.in(state_, node), why);
        continue;
      }
      if (!context_.may_apply()) break;
      context_.applied(trail_.in(state_, node), "joined with " + quoted(state_[keeper].label()));
      absorber.absorb(node, shape);
      changed = Changed::Yes;
    }
    if (changed == Changed::Yes) absorber.finish();
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
    for (NodeId n : state.nodes_of<NestedSdfg>())
      if (IfBodies::chooses(state.get<NestedSdfg>(n))) ifs.push_back(n);
    if (ifs.size() < 2) return;
    const auto [order, tree] = dataflow_of(state);
    std::map<NodeId, std::size_t> count;
    for (NodeId n : ifs)
      if (++count[tree.parent_of(n)] == 2) scopes[tree.parent_of(n)];
    for (NodeId n : order)
      if (const auto found = scopes.find(tree.parent_of(n));
          found != scopes.end() && !state[n].is_exit())
        found->second.push_back(n);
    auto& accesses = accesses_[&sdfg];
    if (!accesses) accesses = std::make_unique<Accesses>(sdfg);
    for (auto& [scope, elements] : scopes) {
      ValueNames values(sdfg, state, tree, scope, *accesses, effects_);
      changed_ |= ScopeFuser(state, tree, scope, std::move(elements), trail, context_).run(values);
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
