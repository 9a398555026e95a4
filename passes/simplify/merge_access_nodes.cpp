#include "passes/simplify/merge_access_nodes.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "ir/analysis/order.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/read_between.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

class Merger {
 public:
  Merger(const Sdfg& sdfg, State& state, const Trail& trail, PassContext& context)
      : sdfg_(sdfg), state_(state), trail_(trail), context_(context) {}

  Changed run() {
    const auto tree = scope_tree(state_);
    if (!tree) return Changed::No;
    for (NodeId n : state_.nodes_of<AccessNode>()) {
      const auto* access = state_[n].as<AccessNode>();
      Group& group = groups_[access->data];
      const bool written = std::ranges::any_of(
          state_.in(n), [&](EdgeId e) { return !state_[e].memlet.empty(); });
      if (written) group.writers.push_back(n);
      std::ranges::copy(readers_at(state_, n), std::back_inserter(group.readers));
      if (tree->parent_of(n)) continue;
      if (state_.in(n).empty() && !state_.out(n).empty()) group.sources.push_back(n);
      if (state_.out(n).empty() && !state_.in(n).empty()) group.sinks.push_back(n);
    }
    Changed changed = Changed::No;
    for (const auto& [name, group] : groups_) {
      if (group.sources.size() > 1) changed |= merge_sources(group);
      if (group.sinks.size() > 1) changed |= merge_sinks(group);
    }
    return changed;
  }

 private:
  struct Group {
    std::vector<NodeId> sources, sinks, writers;
    std::vector<NodeId> readers;  ///< not the access nodes: who reads there
  };

  Changed merge_sources(const Group& group) {
    return merge(group.sources, true, [&](NodeId, NodeId n) {
      return check_readers(n, group.writers);
    });
  }

  Changed merge_sinks(const Group& group) {
    std::vector<NodeId> readers = group.readers;
    return merge(group.sinks, false, [&](NodeId into, NodeId n) -> Refusal {
      if (!into || readers.empty()) return {};
      if (is_read_between(order(), readers, writers_at(state_, into), writers_at(state_, n)))
        return "'" + state_.get<AccessNode>(n).data + "' is read between the writes";
      std::erase(readers, n);  // a copy of one part to another; the node goes
      return {};
    });
  }

  /// `ask(into, node)`: may the node become one with `into` (at first: with none yet)?
  template <class Ask>
  Changed merge(const std::vector<NodeId>& nodes, bool sources, Ask&& ask) {
    Changed changed = Changed::No;
    NodeId into{};
    for (NodeId n : nodes) {
      Refusal why = check(n);
      if (!why) why = ask(into, n);
      if (why) {
        context_.refused(trail_.in(state_, n), why);
        continue;
      }
      if (!into) {
        into = n;
        continue;
      }
      if (!context_.may_apply()) return changed;
      context_.applied(trail_.in(state_, n),
                       "merged with node " + std::to_string(into.value) + " of '" +
                           state_.get<AccessNode>(n).data + "'");
      move_edges(n, into, sources);
      changed = Changed::Yes;
    }
    return changed;
  }

  Refusal check(NodeId n) const {
    const auto& access = state_.get<AccessNode>(n);
    const Data& data = *sdfg_.find_data(access.data);
    if (data.role() != Role::Plain || data.is_stream())
      return "'" + access.data + "' is a view, a reference or a stream";
    if (access.setzero) return "the node sets '" + access.data + "' to zero";
    if (access.instrument != DataInstrumentation::None) return "the node is instrumented";
    return {};
  }

  /// Readers behind a writer would read another version than the node stands for.
  Refusal check_readers(NodeId n, const std::vector<NodeId>& writers) {
    for (NodeId writer : writers)
      for (EdgeId e : state_.out(n)) {
        if (state_[e].memlet.empty()) continue;
        if (order().reaches(writer, state_.target(e)))
          return "what reads '" + state_.get<AccessNode>(n).data + "' comes after a write to it";
      }
    return {};
  }

  Order& order() {
    if (!order_) order_.emplace(state_);
    return *order_;
  }

  void move_edges(NodeId from, NodeId into, bool sources) {
    const auto edges = sources ? state_.out(from) : state_.in(from);
    for (EdgeId e : std::vector(edges.begin(), edges.end())) {
      if (sources)
        state_.set_source(e, into);
      else
        state_.set_target(e, into);
      if (order_) order_->connected(e);
    }
    state_[into].out_connectors.merge(state_[from].out_connectors);
    state_[into].in_connectors.merge(state_[from].in_connectors);
    if (order_) order_->erased(from);
    state_.erase(from);
  }

  const Sdfg& sdfg_;
  State& state_;
  const Trail& trail_;
  PassContext& context_;
  std::map<std::string, Group> groups_;
  std::optional<Order> order_;  ///< when somebody asks
};

}  // namespace

Result<Changed> MergeAccessNodes::run(Sdfg& sdfg, const Options&, PassContext& context) {
  Changed changed = Changed::No;
  walk_states(sdfg, {}, [&](Sdfg& s, State& state, const Trail& trail) {
    changed |= Merger(s, state, trail, context).run();
  });
  return changed;
}

}  // namespace sdfg
