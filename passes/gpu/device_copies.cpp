#include "passes/gpu/device_copies.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "passes/common/copy.h"
#include "passes/common/order_edge.h"
#include "passes/gpu/host_copies.h"
#include "passes/maps/copy_to_map.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// In row-major order; dimensions of one element do not count.
std::vector<Expr> extents(const Subset& side) {
  std::vector<Expr> out = sizes(side);
  std::erase(out, Expr(1));
  return out;
}

class Copies {
 public:
  Copies(Sdfg& sdfg, State& state, const GpuPlacement& placement, const GpuMemory& gpu,
         AssignedNames& assigned, const Trail& trail, PassContext& context)
      : sdfg_(sdfg), state_(state), placement_(placement), gpu_(gpu), assigned_(assigned),
        trail_(trail), context_(context) {}

  Changed run() {
    const std::vector<EdgeId> edges(state_.edges().begin(), state_.edges().end());
    for (EdgeId e : edges) {
      const NodeId from = state_.source(e), to = state_.target(e);
      if (!state_[from].is<AccessNode>() || state_[e].memlet.empty()) continue;
      if (state_[to].is<AccessNode>() && (on_device(from) || on_device(to))) on_copy(e);
      if (state_[to].is<LibraryNode>()) on_operand(e);
    }
    return changed_;
  }

 private:
  const std::string& name_of(NodeId access) const { return state_.get<AccessNode>(access).data; }
  const Data* data_of(NodeId access) const { return sdfg_.find_data(name_of(access)); }
  bool on_device(NodeId access) const { return placement_.on_device(sdfg_, name_of(access)); }
  bool is_in_scope(NodeId node) {
    if (!tree_) tree_ = scope_tree_of(state_);
    return tree_->parent_of(node) != NodeId{};
  }

  /// What the copy moves; of references, only where both sides are given.
  std::optional<CopySides> sides_of(EdgeId edge) const {
    const Memlet& memlet = state_[edge].memlet;
    for (NodeId end : {state_.source(edge), state_.target(edge)})
      if (const Data* data = data_of(end); data && data->is_reference() && memlet.src_subset &&
                                           memlet.dst_subset && state_[edge].dst_connector.empty())
        return CopySides{*memlet.src_subset, *memlet.dst_subset};
    return copy_sides(sdfg_, state_, edge);
  }

  void on_copy(EdgeId edge) {
    const auto sides = sides_of(edge);
    if (!sides) return;
    const NodeId from = state_.source(edge), to = state_.target(edge);
    const std::vector<Expr> read = extents(sides->src), written = extents(sides->dst);
    const bool single = read.empty() || written.empty();
    const bool updates = state_[edge].memlet.wcr || (!single && read != written);
    const bool far = on_device(from) != on_device(to);
    // The runtime converts on the GPU, and single elements on the way.
    const bool converts = far && !single && !(data_of(from)->dtype == data_of(to)->dtype);
    if ((!updates && !converts) || is_in_scope(from)) return;
    // No map reads what a reference leads to: it may be what the map writes.
    if (far || (data_of(from)->is_reference() && !data_of(to)->is_reference()))
      go_through_twin(edge, sides->src);
    const bool is_kernel =
        updates && on_device(to) && !check_copy_to_map(sdfg_, state_, edge, gpu_, nullptr, true);
    if (is_kernel) into_map(edge);
  }

  void into_map(EdgeId edge) {
    const NodeId from = state_.source(edge), to = state_.target(edge);
    context_.applied(trail_.in(state_, from),
                     "the copy to " + quoted(state_[to].label()) + " becomes a kernel");
    copy_to_map(sdfg_, state_, edge, {}, assigned_);
    changed_ = Changed::Yes;
  }

  void on_operand(EdgeId edge) {
    const NodeId from = state_.source(edge);
    const Data* data = data_of(from);
    if (!data || !data->is_scalar() || on_device(from) || is_in_scope(from)) return;
    go_through_twin(edge, Subset{{Range::index(0)}});
  }

  /// The edge goes on from a container like its source on the side of what it leads to.
  void go_through_twin(EdgeId edge, const Subset& elements) {
    const NodeId from = state_.source(edge), to = state_.target(edge);
    const bool to_device = !state_[to].is<AccessNode>() || on_device(to);
    const std::string name = name_of(from);
    std::string twin = name + (to_device ? "_gpu" : "_host");
    std::ranges::replace(twin, '.', '_');  // of members of structures
    twin = sdfg_.fresh_name(twin);
    context_.applied(trail_.in(state_, from), quoted(name) + " is copied to the " +
                                                  (to_device ? "GPU" : "host") + " for " +
                                                  quoted(state_[to].label()));
    Data data = on_host(*data_of(from));
    if (to_device) data.storage = Storage::GpuGlobal;
    sdfg_.arrays.insert(twin, std::move(data));
    // A copy comes after all that its target waits for.
    std::vector<NodeId> before;
    for (EdgeId e : state_.in(to))
      if (!carries_data(state_[e]) && state_.source(e) != from) before.push_back(state_.source(e));
    const NodeId between = state_.add(Node{AccessNode{.data = twin}});
    state_.connect(from, between, {"", "", Memlet::copy(name, elements, elements)});
    for (NodeId n : before) state_.connect(n, between, Edge{});
    state_.set_source(edge, between);
    if (state_[edge].memlet.data == name) state_[edge].memlet.data = twin;
    changed_ = Changed::Yes;
  }

  Sdfg& sdfg_;
  State& state_;
  const GpuPlacement& placement_;
  const GpuMemory& gpu_;
  AssignedNames& assigned_;
  const Trail& trail_;
  PassContext& context_;
  std::optional<ScopeTree> tree_;  ///< of the state as it was
  Changed changed_ = Changed::No;
};

}  // namespace

Changed make_copies_feasible(Sdfg& sdfg, State& state, const GpuPlacement& placement,
                             const GpuMemory& gpu, AssignedNames& assigned, const Trail& trail,
                             PassContext& context) {
  return Copies(sdfg, state, placement, gpu, assigned, trail, context).run();
}

}  // namespace sdfg
