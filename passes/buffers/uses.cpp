#include "passes/buffers/uses.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/library_node.h"
#include "passes/common/certain_writes.h"
#include "passes/common/copy.h"
#include "passes/common/relayout.h"

namespace sdfg {
namespace {

void set_ends(const Order& order, const State& state, Use& use, NodeId other) {
  if (use.write) {
    use.begin = order.element(other);
    use.end = use.node;
  } else {
    use.begin = use.node;
    use.end = state[other].is_entry() ? order.exit_of(other) : other;
  }
}

class Collector {
 public:
  Collector(const Sdfg& sdfg, const State& state, const Order& order, NodeId node,
            std::vector<Use>& out)
      : sdfg_(sdfg), state_(state), order_(order), node_(node), out_(out) {}

  Refusal run() {
    const auto& access = state_.get<AccessNode>(node_);
    if (order_.scope_of(node_)) return "'" + access.data + "' is used inside a scope";
    if (access.setzero) return "'" + access.data + "' is set to zero";
    for (EdgeId e : state_.in(node_))
      if (Refusal why = at_edge(e, false)) return why;
    for (EdgeId e : state_.out(node_))
      if (Refusal why = at_edge(e, true)) return why;
    return {};
  }

 private:
  Refusal at_edge(EdgeId e, bool read) {
    const Edge& edge = state_[e];
    if (edge.memlet.empty()) return {};
    const NodeId other = read ? state_.target(e) : state_.source(e);
    const auto* access = state_[other].as<AccessNode>();
    if (edge.dst_connector == "set") return "a reference is set to it";
    const std::string& name = state_.get<AccessNode>(node_).data;
    std::optional<Subset> box = read ? edge.memlet.src_subset : edge.memlet.dst_subset;
    bool exact = false;
    if (access) {
      const Data* data = sdfg_.find_data(access->data);
      if (data && data->is_view() && viewed_edge(sdfg_, state_, other) == e) {
        const auto& subset =
            edge.memlet.data == name ? edge.memlet.subset() : edge.memlet.other_subset();
        return through_view(other, e, e, subset);
      }
      if (const auto sides = copy_sides(sdfg_, state_, e)) {
        box = read ? sides->src : sides->dst;
        exact = !read && !edge.memlet.wcr && !edge.memlet.dynamic;
      }
    } else if (!box && edge.memlet.data == name) {
      box = edge.memlet.subset();
    }
    if (!read && !access && box) exact = writes_all(sdfg_, state_, e, *box);
    const bool combines = edge.memlet.wcr || (!read && !access && library_combines(e));
    Use use{node_, e, {}, {}, std::move(box), !read, combines, exact, false};
    refresh(state_, order_, use);
    out_.push_back(std::move(use));
    return {};
  }

  /// Is it written by a library node that starts from what is there?
  bool library_combines(EdgeId e) const {
    return std::ranges::any_of(edges_from(state_, e, state_.target(e)), [&](const PathEdge& path) {
      const Node& source = state_[state_.source(path.edge)];
      return source.is<LibraryNode>() && reads_its_output(source);
    });
  }

  /// What is read or written through a view touches what it views.
  Refusal through_view(NodeId view, EdgeId viewing, EdgeId first,
                       const std::optional<Subset>& box) {
    if (++depth_ > 64) return "views of views without end";
    for (const bool read : {false, true})
      for (EdgeId e : read ? state_.out(view) : state_.in(view)) {
        if (e == viewing || state_[e].memlet.empty()) continue;
        const NodeId other = read ? state_.target(e) : state_.source(e);
        const auto* access = state_[other].as<AccessNode>();
        const Data* data = access ? sdfg_.find_data(access->data) : nullptr;
        if (data && data->is_view() && viewed_edge(sdfg_, state_, other) == e) {
          if (Refusal why = through_view(other, e, first, box)) return why;
          continue;
        }
        const bool combines = state_[e].memlet.wcr || (!read && library_combines(e));
        Use use{node_, first, {}, {}, box, !read, combines, false, true};
        set_ends(order_, state_, use, other);
        out_.push_back(std::move(use));
      }
    --depth_;
    return {};
  }

  const Sdfg& sdfg_;
  const State& state_;
  const Order& order_;
  NodeId node_;
  std::vector<Use>& out_;
  int depth_ = 0;
};

}  // namespace

bool refresh(const State& state, const Order& order, Use& use) {
  if (!state.contains(use.edge) || state[use.edge].memlet.empty()) return false;
  if (use.viewed) return true;
  use.node = use.write ? state.target(use.edge) : state.source(use.edge);
  set_ends(order, state, use, use.write ? state.source(use.edge) : state.target(use.edge));
  return true;
}

Refusal collect_uses(const Sdfg& sdfg, const State& state, const Order& order, NodeId node,
                     std::vector<Use>& out) {
  return Collector(sdfg, state, order, node, out).run();
}

}  // namespace sdfg
