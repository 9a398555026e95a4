#include "passes/common/empty_parts.h"

#include <algorithm>
#include <set>

#include "ir/analysis/scope_tree.h"
#include "passes/common/order_edge.h"
#include "passes/common/scope.h"
#include "passes/common/state_trails.h"
#include "passes/common/zeroed_lifetimes.h"

namespace sdfg {
namespace {

class Remover {
 public:
  Remover(const Sdfg& sdfg, State& state, const Assumptions& assumptions, NameSet& zeroed)
      : sdfg_(sdfg), state_(state), assumptions_(assumptions), zeroed_(zeroed) {}

  void run() {
    std::vector<NodeId> maps;
    std::vector<EdgeId> copies;
    for (NodeId n : state_.nodes_of<MapEntry>())
      if (certainly_empty(state_.get<MapEntry>(n).ranges, assumptions_)) maps.push_back(n);
    for (EdgeId e : state_.edges()) {
      const Memlet& memlet = state_[e].memlet;
      const bool copy = state_[state_.source(e)].is<AccessNode>() &&
                        state_[state_.target(e)].is<AccessNode>() && !memlet.empty();
      if (copy && (is_empty(memlet.src_subset) || is_empty(memlet.dst_subset)))
        copies.push_back(e);
    }
    if (maps.empty() && copies.empty()) return;
    const ScopeTree tree = scope_tree_of(state_);
    std::erase_if(maps, [&](NodeId n) { return bool(tree.parent_of(n)); });
    std::erase_if(copies, [&](EdgeId e) { return is_inside(tree, e) || is_viewing(e); });
    for (EdgeId e : copies) remove_copy(e);
    for (NodeId n : maps) remove_map(n);
    for (NodeId n : neighbours_)
      if (state_.contains(n)) remove_unused(n);
  }

 private:
  bool is_empty(const std::optional<Subset>& subset) const {
    return subset && certainly_empty(subset->ranges, assumptions_);
  }
  bool is_inside(const ScopeTree& tree, EdgeId e) const {
    return tree.parent_of(state_.source(e)) || tree.parent_of(state_.target(e));
  }
  bool is_viewing(EdgeId e) const {
    const auto views = [&](NodeId n) {
      const Data* data = sdfg_.find_data(state_.get<AccessNode>(n).data);
      return !data || data->role() != Role::Plain;
    };
    return views(state_.source(e)) || views(state_.target(e));
  }

  void remove_copy(EdgeId e) {
    const NodeId from = state_.source(e), to = state_.target(e);
    state_.erase(e);
    neighbours_.insert(from), neighbours_.insert(to);
    wait({from}, {to});
  }

  void remove_map(NodeId entry) {
    const auto scope = find_scope(state_, entry);
    if (!scope) return;
    std::set<NodeId> before, after;
    for (EdgeId e : state_.in(scope->entry)) before.insert(state_.source(e));
    for (EdgeId e : state_.out(scope->exit)) after.insert(state_.target(e));
    for (NodeId n : scope->nodes) state_.erase(n);
    state_.erase(scope->entry), state_.erase(scope->exit);
    neighbours_.insert(before.begin(), before.end());
    neighbours_.insert(after.begin(), after.end());
    wait(before, after);
  }

  /// An access node that is left without data.
  void remove_unused(NodeId n) {
    if (!state_[n].is<AccessNode>()) return;
    std::set<NodeId> before, after;
    for (EdgeId e : state_.in(n))
      if (state_[e].memlet.empty()) before.insert(state_.source(e));
      else return;
    for (EdgeId e : state_.out(n))
      if (state_[e].memlet.empty()) after.insert(state_.target(e));
      else return;
    const auto& access = state_.get<AccessNode>(n);
    if (access.setzero) zeroed_.insert(access.data);
    state_.erase(n);
    wait(before, after);
  }

  /// Nodes that nothing else is at are about to go, and order nothing.
  void wait(const std::set<NodeId>& before, const std::set<NodeId>& after) {
    for (NodeId a : before)
      for (NodeId b : after)
        if (!state_.in(a).empty() && !state_.out(b).empty()) order(sdfg_, state_, a, b);
  }

  const Sdfg& sdfg_;
  State& state_;
  const Assumptions& assumptions_;
  NameSet& zeroed_;  ///< containers that lost an access node which sets them to zero
  std::set<NodeId> neighbours_;
};

}  // namespace

bool certainly_empty(const Range& range, const Assumptions& assumptions) {
  if (certain(less(0, range.step))) return certain(less(range.end, range.begin, assumptions));
  return certain(less(range.step, 0)) && certain(less(range.begin, range.end, assumptions));
}
bool certainly_empty(const std::vector<Range>& ranges, const Assumptions& assumptions) {
  return std::ranges::any_of(ranges,
                             [&](const Range& r) { return certainly_empty(r, assumptions); });
}

void remove_empty_parts(Sdfg& sdfg, const Assumptions& assumptions) {
  on_each_sdfg(sdfg, {}, LazyAssumptions(assumptions),
               [](Sdfg& inner, const Trail& trail, const LazyAssumptions& known) {
                 const StateTrails states(inner, trail);
                 NameSet zeroed;
                 for (const auto& at : states.states())
                   Remover(inner, *at.state, known.get(), zeroed).run();
                 set_to_zero(inner, zeroed);
                 return Changed::Yes;
               });
}

}  // namespace sdfg
