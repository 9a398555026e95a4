#include "passes/transformation.h"
#include "support/assert.h"
#include "support/id_queue.h"

namespace sdfg::detail {
namespace {

/// An upper bound on applications in one state, far above what a rewrite that gets simpler with
/// each step can need.
std::size_t budget(const State& state) { return 64 + 16 * state.node_count(); }

void add_neighbours(const State& state, NodeId node, std::vector<NodeId>& out) {
  for (EdgeId e : state.in(node)) out.push_back(state.source(e));
  for (EdgeId e : state.out(node)) out.push_back(state.target(e));
}

/// Nodes of one state at which a match may start and that are still to be looked at.
class Pending {
 public:
  Pending(const State& state, std::uint8_t kind)
      : state_(state), kind_(kind), room_(state.id_bound()), queue_(room_) {
    for (NodeId id : state.nodes_of_kind(kind)) queue_.push(id.value);
  }

  bool empty() const { return queue_.empty(); }
  NodeId pop() { return {std::uint32_t(queue_.pop())}; }
  void push(NodeId id) {
    if (state_.kind_of(id) != kind_) return;
    if (id.value >= room_) queue_.grow(room_ = 2 * state_.id_bound());
    queue_.push(id.value);
  }

 private:
  const State& state_;
  std::uint8_t kind_;
  std::size_t room_;
  IdQueue queue_;
};

class Driver {
 public:
  Driver(Pattern pattern, const TryAt& try_at, PassContext& context)
      : pattern_(pattern), try_at_(try_at), context_(context) {}

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
      for (NodeId id : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[id].as<NestedSdfg>(); nested->sdfg)
          changed |= on_sdfg(**nested->sdfg, trail.in(*state, id));
    }
    return changed;
  }

  Changed on_state(Sdfg& sdfg, State& state, const Trail& trail) {
    Changed changed = Changed::No;
    std::size_t left = budget(state);
    Pending pending(state, pattern_.first_kind);
    while (!pending.empty() && context_.may_apply()) {
      const NodeId at = pending.pop();
      if (!state.contains(at)) continue;
      if (left == 0) {
        context_.warn(trail, "the pass stopped here after " +
                                 std::to_string(context_.applied_count()) +
                                 " applications, because it goes on finding what it made");
        break;
      }
      // Noted before the graph changes, because erased nodes have no neighbours any more.
      std::vector<NodeId> touched;
      const auto first_new = NodeId{std::uint32_t(state.id_bound())};
      const auto before_apply = [&](std::span<const NodeId> match) {
        for (NodeId node : match) touched.push_back(node), add_neighbours(state, node, touched);
      };
      const auto applied = try_at(sdfg, state, at, trail, before_apply);
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

  std::optional<Applied> try_at(Sdfg& sdfg, State& state, NodeId at, const Trail& trail,
                                const std::function<void(std::span<const NodeId>)>& before_apply) {
    try {
      return try_at_(sdfg, state, at, trail, context_, before_apply);
    } catch (const InternalError& wrong) {
      throw InternalError((state.contains(at) ? trail.in(state, at) : trail).text() + ": " +
                          wrong.what());
    }
  }

  /// A match starts up to a pattern's length - 1 edges before the node that changed.
  void add_pending(const State& state, std::vector<NodeId> touched, Pending& pending) {
    for (std::size_t distance = 0; distance < pattern_.length; ++distance) {
      std::vector<NodeId> before;
      for (NodeId node : touched) {
        if (!state.contains(node)) continue;
        pending.push(node);
        if (distance + 1 < pattern_.length)
          for (EdgeId e : state.in(node)) before.push_back(state.source(e));
      }
      touched = std::move(before);
    }
  }

  Pattern pattern_;
  const TryAt& try_at_;
  PassContext& context_;
};

}  // namespace

Changed drive(Sdfg& root, Pattern pattern, const TryAt& try_at, PassContext& context) {
  return Driver(pattern, try_at, context).on_sdfg(root, {});
}

}  // namespace sdfg::detail
