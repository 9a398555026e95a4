#include "passes/buffers/kernel_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "passes/buffers/task_order.h"
#include "passes/common/accesses.h"
#include "passes/common/renumber.h"
#include "passes/common/side_effects.h"
#include "passes/common/state_trails.h"
#include "passes/split/conflict_order.h"
#include "passes/split/extent.h"

namespace sdfg {
namespace {

/// The tasks of a state: nodes of its top level, scopes as one.
class StateTasks {
 public:
  StateTasks(const Sdfg& sdfg, State& state, const Accesses& accesses, const ScopeTree& tree,
             const std::vector<NodeId>& sorted)
      : sdfg_(sdfg), state_(state), accesses_(accesses), task_(state.id_bound(), none) {
    for (NodeId n : sorted) {
      const NodeId scope = tree.parent_of(n);
      if (scope) {
        nodes_[task_[n.value] = task_[scope.value]].push_back(n);
      } else {
        task_[n.value] = Task(nodes_.size());
        nodes_.push_back({n});
      }
    }
    top_.resize(state.id_bound());
    for (NodeId n : sorted) {
      const NodeId scope = tree.parent_of(n);
      top_[n.value] = !scope || (state[n].is_exit() && !tree.parent_of(scope));
    }
    graph_.next.resize(nodes_.size()), graph_.needs.resize(nodes_.size());
  }

  /// What waits for what, and the transients between.
  const TaskGraph& graph(std::int64_t assumed_extent, const Assumptions& assumptions) {
    for (EdgeId e : state_.edges()) {
      const NodeId from = state_.source(e), to = state_.target(e);
      if (!top_[from.value] || !top_[to.value] || task(from) == task(to)) continue;
      graph_.next[task(from)].push_back(task(to));
      if (state_[e].memlet.empty()) continue;
      // A copy runs as soon as its source is ready.
      const bool copy = state_[from].is<AccessNode>() && state_[to].is<AccessNode>();
      for (NodeId end : {from, to})
        if (state_[end].is<AccessNode>())
          need(copy || end == to ? task(from) : task(to), end, assumed_extent, assumptions);
    }
    for (auto& needs : graph_.needs) {
      std::ranges::sort(needs);
      needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    }
    return graph_;
  }

  TaskOrder order() const {
    TaskOrder out(nodes_.size());
    for (Task t = 0; t < out.size(); ++t) out[t] = t;
    return out;
  }

  /// All nodes, task by task; an access node where nothing happens stands before its first reader.
  std::vector<NodeId> nodes(const TaskOrder& order) const {
    std::vector<NodeId> out;
    std::vector<bool> done(nodes_.size());
    const auto emit = [&](Task t) {
      if (done[t]) return;
      done[t] = true;
      out.insert(out.end(), nodes_[t].begin(), nodes_[t].end());
    };
    for (Task t : order) {
      if (is_idle(t)) continue;
      for (EdgeId e : state_.in(nodes_[t].front())) emit(task(state_.source(e)));
      emit(t);
    }
    for (Task t : order) emit(t);
    return out;
  }

 private:
  using Task = TaskGraph::Task;
  static constexpr Task none = ~Task(0);
  static constexpr std::uint32_t no_buffer = ~std::uint32_t(0);

  Task task(NodeId node) const { return task_[node.value]; }

  /// An access node that copies nothing: whatever it waits for does something.
  bool is_idle(Task t) const {
    const NodeId node = nodes_[t].front();
    return state_[node].is<AccessNode>() && std::ranges::none_of(state_.out(node), [&](EdgeId e) {
      return state_[state_.target(e)].is<AccessNode>();
    });
  }

  void need(Task task, NodeId access, std::int64_t assumed_extent,
            const Assumptions& assumptions) {
    const std::string name = viewed_root(sdfg_, state_, access);
    const auto [known, added] = buffer_.try_emplace(name, no_buffer);
    if (added && is_counted(name)) {
      known->second = std::uint32_t(graph_.buffers.size());
      const Data& data = *sdfg_.find_data(name);
      const std::int64_t bytes = expected_points(Subset::whole(data.shape), assumed_extent,
                                                 assumptions) *
                                 std::int64_t(data.dtype.bytes().value_or(8));
      const auto sites = accesses_.sites(name);
      graph_.buffers.push_back({bytes, sites.front().state != &state_,
                                sites.back().state != &state_ || accesses_.is_named(name)});
    }
    if (known->second != no_buffer) graph_.needs[task].push_back(known->second);
  }
  /// Has it memory that others can have before and after?
  bool is_counted(const std::string& name) const {
    const Data* data = sdfg_.arrays.get(name);
    return data && data->transient && data->as_array() && data->role() == Role::Plain &&
           data->storage != Storage::Register && !outlives_run(*data);
  }

  const Sdfg& sdfg_;
  State& state_;
  const Accesses& accesses_;
  std::vector<Task> task_;                  ///< by node id
  std::vector<bool> top_;                   ///< by node id: nodes between tasks
  std::vector<std::vector<NodeId>> nodes_;  ///< by task, in order
  std::map<std::string, std::uint32_t> buffer_;
  TaskGraph graph_;
};

Changed reorder(const Sdfg& sdfg, State& state, const Accesses& accesses, const Trail& trail,
                std::int64_t assumed_extent, const Assumptions& assumptions,
                PassContext& context) {
  const auto flow = dataflow(state);
  if (!flow || !context.may_apply()) return Changed::No;
  StateTasks tasks(sdfg, state, accesses, flow->tree, flow->order);
  const TaskGraph& graph = tasks.graph(assumed_extent, assumptions);
  if (graph.buffers.size() < 2) return Changed::No;
  const std::int64_t before = peak(graph, tasks.order());
  const TaskOrder order = low_peak_order(graph, tasks.order());
  const std::int64_t after = peak(graph, order);
  if (after == before) {
    context.refused(trail, "no order was found in which fewer than about " +
                               std::to_string(before) + " bytes of transients are in use");
    return Changed::No;
  }
  context.applied(trail, "about " + std::to_string(after) +
                             " bytes of transients are in use at one time, instead of " +
                             std::to_string(before));
  renumber(state, tasks.nodes(order));
  return Changed::Yes;
}

/// Not in kernels, where transients are local variables.
Changed run_on(Sdfg& sdfg, const Trail& trail, std::int64_t assumed_extent,
               const Assumptions& assumptions, PassContext& context) {
  Changed changed = Changed::No;
  const StateTrails states(sdfg, trail);
  const Accesses accesses(sdfg);
  for (const auto& [state, here] : states.states())
    changed |= reorder(sdfg, *state, accesses, *here, assumed_extent, assumptions, context);
  for (const auto& [state, here] : states.states()) {
    const auto tree = scope_tree(*state);
    for (NodeId n : state->nodes_of<NestedSdfg>())
      if (auto& nested = state->get<NestedSdfg>(n); nested.sdfg && tree && !tree->parent_of(n))
        changed |= run_on(**nested.sdfg, here->in(*state, n), assumed_extent,
                          assumptions_inside(sdfg, nested, assumptions), context);
  }
  return changed;
}

}  // namespace

Result<Changed> KernelOrder::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  return run_on(sdfg, {}, options.assumed_extent, context.assumptions(), context);
}

}  // namespace sdfg
