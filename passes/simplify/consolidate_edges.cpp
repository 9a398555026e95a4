#include "passes/simplify/consolidate_edges.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "ir/graph_algorithms.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

/// A budget: each edge is compared with so many others of its kind.
constexpr std::size_t most_compared = 32;

class Consolidator {
 public:
  Consolidator(const Sdfg& sdfg, State& state, const Trail& trail,
               const ConsolidateEdges::Options& options, PassContext& context)
      : sdfg_(sdfg), state_(state), trail_(trail), options_(options), context_(context) {}

  Changed run() {
    const bool any = std::ranges::any_of(
        state_.nodes(), [&](NodeId n) { return state_[n].is_entry() || state_[n].is_exit(); });
    const auto order = any ? topological_order(state_) : std::nullopt;
    if (!order) return Changed::No;
    // In this order entries come from the outside in, and backward exits do.
    for (NodeId n : *order)
      if (state_[n].is_entry()) join_edges(n, true);
    for (NodeId n : *order | std::views::reverse)
      if (state_[n].is_exit()) join_edges(n, false);
    return changed_;
  }

 private:
  /// Where edges outside must agree: the node and connector there, and the container.
  struct Key {
    NodeId node;
    std::string connector, data;
    bool data_is_src;
    auto operator<=>(const Key&) const = default;
  };

  const std::string& here(EdgeId e, bool entering) const {
    return entering ? state_[e].dst_connector : state_[e].src_connector;
  }

  void join_edges(NodeId scope, bool entering) {
    std::map<Key, std::vector<EdgeId>> kept;
    const auto outside = entering ? state_.in(scope) : state_.out(scope);
    std::map<std::string, std::string> merged;  // connector inside: the one it becomes
    for (EdgeId e : std::vector(outside.begin(), outside.end())) {
      const Edge& edge = state_[e];
      if (edge.memlet.empty() || matching_connector(here(e, entering)).empty() || !plain(edge))
        continue;
      const NodeId other = entering ? state_.source(e) : state_.target(e);
      const std::string& there = entering ? edge.src_connector : edge.dst_connector;
      auto& others = kept[{other, there, edge.memlet.data, edge.memlet.data_is_src}];
      const auto begin = others.end() - std::ptrdiff_t(std::min(others.size(), most_compared));
      const auto fits = std::find_if(begin, others.end(), [&](EdgeId k) {
        return joined(state_[k].memlet, edge.memlet).has_value();
      });
      if (fits == others.end()) {
        others.push_back(e);
        continue;
      }
      if (!context_.may_apply()) break;
      context_.applied(trail_.in(state_, scope), "'" + here(e, entering) + "' becomes '" +
                                                     here(*fits, entering) + "'");
      merged[matching_connector(here(e, entering))] = matching_connector(here(*fits, entering));
      state_[*fits].memlet = *joined(state_[*fits].memlet, edge.memlet);
      drop(scope, e, entering);
    }
    if (!merged.empty()) rename_inside(scope, merged, entering);
  }

  bool plain(const Edge& edge) const {
    const Data* data = sdfg_.find_data(edge.memlet.data);
    return data && !data->is_stream() && !data->is_reference() && edge.memlet.subset() &&
           !edge.memlet.other_subset();
  }

  /// One memlet for both; nothing when there must be two.
  std::optional<Memlet> joined(const Memlet& a, const Memlet& b) const {
    if (a.wcr != b.wcr || a.wcr_nonatomic != b.wcr_nonatomic) return std::nullopt;
    const Subset &first = *a.subset(), &second = *b.subset();
    Memlet out = a;
    if (certain(covers(second, first)))
      out.subset() = second;
    else if (!certain(covers(first, second))) {
      if (!options_.grow || first.rank() != second.rank()) return std::nullopt;
      out.subset() = bounding_box(first, second);
    }
    out.allow_oob = a.allow_oob || b.allow_oob;
    out.dynamic = a.dynamic || b.dynamic;
    const bool unknown = (a.dynamic && a.volume == Expr(0)) || (b.dynamic && b.volume == Expr(0));
    out.volume = unknown ? Expr(0) : a.volume + b.volume;
    return out;
  }

  void drop(NodeId scope, EdgeId e, bool entering) {
    const std::string connector = here(e, entering);
    Node& node = state_[scope];
    (entering ? node.in_connectors : node.out_connectors).erase(connector);
    (entering ? node.out_connectors : node.in_connectors).erase(matching_connector(connector));
    state_.erase(e);
    changed_ = Changed::Yes;
  }

  void rename_inside(NodeId scope, const std::map<std::string, std::string>& merged,
                     bool entering) {
    for (EdgeId e : entering ? state_.out(scope) : state_.in(scope)) {
      std::string& connector = entering ? state_[e].src_connector : state_[e].dst_connector;
      if (const auto found = merged.find(connector); found != merged.end())
        connector = found->second;
    }
  }

  const Sdfg& sdfg_;
  State& state_;
  const Trail& trail_;
  const ConsolidateEdges::Options& options_;
  PassContext& context_;
  Changed changed_ = Changed::No;
};

}  // namespace

Result<Changed> ConsolidateEdges::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  Changed changed = Changed::No;
  walk_states(sdfg, {}, [&](Sdfg& s, State& state, const Trail& trail) {
    changed |= Consolidator(s, state, trail, options, context).run();
  });
  return changed;
}

}  // namespace sdfg
