#include <set>

#include "passes/transformation.h"

namespace sdfg::detail {
namespace {

/// An upper bound on applications in one state, far above what a rewrite that gets simpler with
/// each step can need.
std::size_t budget(const State& state) { return 64 + 16 * state.node_count(); }

void add_neighbours(const State& state, NodeId node, std::vector<NodeId>& out) {
  for (EdgeId e : state.in(node)) out.push_back(state.source(e));
  for (EdgeId e : state.out(node)) out.push_back(state.target(e));
}

class Driver {
 public:
  Driver(std::size_t pattern_length, const TryAt& try_at, PassContext& context)
      : pattern_length_(pattern_length), try_at_(try_at), context_(context) {}

  Changed on_sdfg(Sdfg& sdfg, const Trail& trail) { return on_region(sdfg, sdfg, trail); }

 private:
  Changed on_region(Sdfg& sdfg, Region& region, const Trail& trail) {
    Changed changed = Changed::No;
    for (BlockId id : region.nodes()) changed |= on_block(sdfg, region[id], trail);
    return changed;
  }

  Changed on_block(Sdfg& sdfg, Block& block, const Trail& outer) {
    const Trail trail = outer.in(block);
    Changed changed = Changed::No;
    if (Region* inner = block.region()) return on_region(sdfg, *inner, trail);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches) changed |= on_block(sdfg, branch.block, trail);
    if (auto* state = block.as<State>()) {
      changed |= on_state(sdfg, *state, trail);
      for (NodeId id : state->nodes())
        if (auto* nested = (*state)[id].as<NestedSdfg>(); nested && nested->sdfg)
          changed |= on_sdfg(**nested->sdfg, trail.in(*state, id));
    }
    return changed;
  }

  Changed on_state(Sdfg& sdfg, State& state, const Trail& trail) {
    Changed changed = Changed::No;
    std::size_t left = budget(state);
    std::set<NodeId> pending;
    for (NodeId id : state.nodes()) pending.insert(pending.end(), id);
    while (!pending.empty() && context_.may_apply()) {
      const NodeId at = *pending.begin();
      pending.erase(pending.begin());
      if (!state.contains(at)) continue;
      if (left == 0) {
        context_.warn(trail, "the pass stopped here after " +
                                 std::to_string(context_.applied_count()) + " applications");
        break;
      }
      // Noted before the graph changes, because erased nodes have no neighbours any more.
      std::vector<NodeId> touched;
      const auto first_new = NodeId{std::uint32_t(state.id_bound())};
      const auto before_apply = [&](std::span<const NodeId> match) {
        for (NodeId node : match) touched.push_back(node), add_neighbours(state, node, touched);
      };
      const auto applied = try_at_(sdfg, state, at, trail, context_, before_apply);
      if (!applied) continue;
      --left;
      changed = Changed::Yes;
      touched.insert(touched.end(), applied->touched.begin(), applied->touched.end());
      for (NodeId id = first_new; id.value < state.id_bound(); ++id.value)
        if (state.contains(id)) touched.push_back(id), add_neighbours(state, id, touched);
      add_pending(state, std::move(touched), pending);
    }
    return changed;
  }

  /// A match starts up to pattern_length - 1 edges before the node that changed.
  void add_pending(const State& state, std::vector<NodeId> touched, std::set<NodeId>& pending) {
    for (std::size_t distance = 0; distance < pattern_length_; ++distance) {
      std::vector<NodeId> before;
      for (NodeId node : touched) {
        if (!state.contains(node)) continue;
        pending.insert(node);
        if (distance + 1 < pattern_length_)
          for (EdgeId e : state.in(node)) before.push_back(state.source(e));
      }
      touched = std::move(before);
    }
  }

  std::size_t pattern_length_;
  const TryAt& try_at_;
  PassContext& context_;
};

}  // namespace

Changed drive(Sdfg& root, std::size_t pattern_length, const TryAt& try_at, PassContext& context) {
  return Driver(pattern_length, try_at, context).on_sdfg(root, {});
}

}  // namespace sdfg::detail
