#include "passes/buffers/slice_view_elimination.h"

#include <algorithm>
#include <unordered_map>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/window.h"
#include "passes/common/reroute.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

/// One access node of a view, and the edge that says what it looks at.
class Slice {
 public:
  Slice(Sdfg& sdfg, State& state, const Accesses& accesses, NodeId node,
        const Assumptions& assumptions)
      : sdfg_(sdfg), state_(state), accesses_(accesses), node_(node), assumptions_(assumptions) {}

  Refusal check() {
    const std::string& name = state_.get<AccessNode>(node_).data;
    viewing_ = viewed_edge(sdfg_, state_, node_).value();
    reads_ = state_.target(viewing_) == node_;
    const NodeId other = reads_ ? path_source(state_, viewing_) : path_target(state_, viewing_);
    const std::string& viewed = state_.get<AccessNode>(other).data;
    const Memlet& memlet = state_[viewing_].memlet;
    const auto& subset = memlet.data == viewed ? memlet.subset() : memlet.other_subset();
    if (!subset) return "the memlet of view '" + name + "' has no subset";
    if (Refusal why = Reroute::check_containers(sdfg_, name, viewed)) return why;
    Data inside = *sdfg_.find_data(name);
    const Data& outside = *sdfg_.find_data(viewed);
    if (inside.as_array()) inside.as_array()->role = Role::Plain;
    const auto found = window(inside, outside, *subset);
    if (!found) return "view '" + name + "': " + found.error().message;
    relocation_ = {name, viewed, {}};
    for (std::size_t d = 0; d < found->subset.rank(); ++d) {
      const Range& w = found->subset[d];
      const auto& inner = found->inner[d];
      // Strides alone do not tell: a flat view of several rows goes beyond the end of the first.
      if (inner && !certain(less_equal(inside.shape[*inner], w.size(), assumptions_)))
        return "view '" + name + "' may be longer than what it looks at in dimension " +
               std::to_string(d);
      relocation_.placement.from.push_back(inner);
      relocation_.placement.at.ranges.push_back(
          inner ? counted_from(-found->offset[*inner], w) : Range::index(w.begin));
    }
    return check_edges(name);
  }

  /// Says which node the view looked at.
  NodeId apply() {
    Reroute reroute(sdfg_, state_, accesses_, relocation_);
    for (EdgeId e : edges()) reroute.rename(e, node_);
    const NodeId other = reads_ ? state_.source(viewing_) : state_.target(viewing_);
    const Edge viewing = state_[viewing_];
    for (EdgeId e : edges()) {
      if (reads_) {
        state_.set_source(e, other);
        state_[e].src_connector = viewing.src_connector;
      } else {
        state_.set_target(e, other);
        state_[e].dst_connector = viewing.dst_connector;
      }
    }
    state_.erase(node_);
    return other;
  }

 private:
  std::vector<EdgeId> edges() const {
    const auto all = reads_ ? state_.out(node_) : state_.in(node_);
    return {all.begin(), all.end()};
  }

  Refusal check_edges(const std::string& name) const {
    if (state_.get<AccessNode>(node_).setzero) return "view '" + name + "' is set to zero";
    if ((reads_ ? state_.in(node_) : state_.out(node_)).size() != 1)
      return "view '" + name + "' is read and written at one access node";
    Reroute reroute(sdfg_, state_, accesses_, relocation_);
    if (edges().empty() &&
        !state_[reads_ ? state_.source(viewing_) : state_.target(viewing_)].is<AccessNode>())
      return "nobody uses view '" + name + "'";
    for (EdgeId e : edges()) {
      if (state_[e].memlet.empty()) return "an empty memlet keeps an order at view '" + name + "'";
      // The value of a copy between two scopes' ends would have no node to come from.
      const NodeId far = reads_ ? state_.target(e) : state_.source(e);
      const NodeId near = reads_ ? state_.source(viewing_) : state_.target(viewing_);
      if (reads_ ? state_[near].is_entry() && state_[far].is_exit()
                 : state_[near].is_exit() && state_[far].is_entry())
        return "view '" + name + "' passes elements through a scope";
      if (Refusal why = reroute.check(e, node_, false)) return why;
    }
    return {};
  }

  Sdfg& sdfg_;
  State& state_;
  const Accesses& accesses_;
  NodeId node_;
  const Assumptions& assumptions_;
  EdgeId viewing_;
  bool reads_ = true;
  Relocation relocation_;
};

Changed run_on(Sdfg& sdfg, State& state, Accesses& accesses, const Assumptions& assumptions,
               const Trail& trail, PassContext& context, NameSet& touched) {
  Changed changed = Changed::No;
  for (NodeId n : state.nodes()) {
    const auto* access = state[n].as<AccessNode>();
    const Data* data = access ? sdfg.arrays.get(access->data) : nullptr;
    if (!data || !data->is_view()) continue;
    if (accesses.is_named(access->data)) {
      context.refused(trail.in(state, n), "control flow reads view '" + access->data + "' by name");
      continue;
    }
    Slice slice(sdfg, state, accesses, n, assumptions);
    if (const Refusal why = slice.check()) {
      context.refused(trail.in(state, n), why);
      continue;
    }
    if (!context.may_apply()) return changed;
    context.applied(trail.in(state, n), "'" + access->data + "' goes");
    touched.insert(access->data);
    accesses.remove(state, n);
    const NodeId viewed = slice.apply();
    if (state.in(viewed).empty() && state.out(viewed).empty()) {  // nobody used the view
      accesses.remove(state, viewed);
      state.erase(viewed);
    }
    changed = Changed::Yes;
  }
  return changed;
}

}  // namespace

Result<Changed> SliceViewElimination::run(Sdfg& root, const Options&, PassContext& context) {
  Changed changed = Changed::No;
  struct Known {
    explicit Known(Sdfg& sdfg) : accesses(sdfg) {}
    Accesses accesses;
    NameSet touched;  // views that lost nodes
  };
  // Nested SDFGs come between the states of one SDFG.
  std::unordered_map<Sdfg*, Known> known;
  walk_states(root, Trail(), [&](Sdfg& sdfg, State& state, const Trail& trail) {
    Known& here = known.try_emplace(&sdfg, sdfg).first->second;
    // Symbols of nested SDFGs are others.
    changed |= run_on(sdfg, state, here.accesses,
                      &sdfg == &root ? context.assumptions() : Assumptions{}, trail, context,
                      here.touched);
  });
  // In any order: each is on its own.
  for (auto& [sdfg, here] : known)
    if (!here.touched.empty())
      sdfg->arrays.erase_if([&](const auto& entry) {
        return here.touched.contains(entry.first) && here.accesses.sites(entry.first).empty() &&
               !here.accesses.is_named(entry.first);
      });
  return changed;
}

}  // namespace sdfg
