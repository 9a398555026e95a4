#include "passes/simplify/merge_access_nodes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir/analysis/order.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

/// More than that many nodes behind a write are not looked at.
constexpr std::size_t horizon = 256;

/// What comes after the writes of some access nodes of a container, at the top level of a state.
class Behind {
 public:
  Behind(const State& state, const ScopeTree& tree, const std::set<NodeId>& readers)
      : state_(state), tree_(tree), readers_(readers) {}

  void add_writes(NodeId access) {
    for (EdgeId e : state_.in(access)) {
      const NodeId writer = state_.source(e);
      writers_.push_back(writer);
      for (EdgeId next : state_.out(writer))
        if (state_.target(next) != access) add(state_.target(next), false);
    }
  }
  /// Does something that writes the others' access nodes come after one that reads what is written
  /// here? Yes, too, if that is too far to see.
  bool is_read_before(const Behind& others) const {
    return behind_.size() > horizon ||
           std::ranges::any_of(others.writers_,
                               [&](NodeId writer) { return behind_reads_.contains(writer); });
  }

 private:
  void add(NodeId first, bool read) {
    std::vector<std::pair<NodeId, bool>> open{{first, read}};
    while (!open.empty() && behind_.size() <= horizon) {
      auto [n, after_read] = open.back();
      open.pop_back();
      after_read = after_read || readers_.contains(n);
      const bool is_new = behind_.insert(n).second;
      if (!(after_read ? behind_reads_.insert(n).second : is_new)) continue;
      if (state_[n].is_entry())
        open.emplace_back(tree_.exit_of(n), after_read);
      else
        for (EdgeId e : state_.out(n)) open.emplace_back(state_.target(e), after_read);
    }
  }

  const State& state_;
  const ScopeTree& tree_;
  const std::set<NodeId>& readers_;
  std::vector<NodeId> writers_;
  std::set<NodeId> behind_, behind_reads_;
};

class Merger {
 public:
  Merger(const Sdfg& sdfg, State& state, const Trail& trail, PassContext& context)
      : sdfg_(sdfg), state_(state), trail_(trail), context_(context) {}

  Changed run() {
    const auto scopes = scope_tree(state_);
    if (!scopes) return Changed::No;
    const ScopeTree& tree = *scopes;
    for (NodeId n : state_.nodes_of<AccessNode>()) {
      const auto* access = state_[n].as<AccessNode>();
      Group& group = groups_[access->data];
      const bool written = std::ranges::any_of(
          state_.in(n), [&](EdgeId e) { return !state_[e].memlet.empty(); });
      if (written) group.writers.push_back(n);
      for (EdgeId e : state_.out(n))
        if (!state_[e].memlet.empty()) group.readers.insert(at_top(tree, state_.target(e)));
      if (tree.parent_of(n)) continue;
      if (state_.in(n).empty() && !state_.out(n).empty()) group.sources.push_back(n);
      if (state_.out(n).empty() && !state_.in(n).empty()) group.sinks.push_back(n);
    }
    Changed changed = Changed::No;
    for (const auto& [name, group] : groups_) {
      if (group.sources.size() > 1) changed |= merge_sources(group);
      if (group.sinks.size() > 1) changed |= merge_sinks(group, tree);
    }
    return changed;
  }

 private:
  struct Group {
    std::vector<NodeId> sources, sinks, writers;
    std::set<NodeId> readers;  ///< not the access nodes: who reads there, at the top level
  };

  static NodeId at_top(const ScopeTree& tree, NodeId n) {
    while (const NodeId scope = tree.parent_of(n)) n = scope;
    return n;
  }

  Changed merge_sources(const Group& group) {
    return merge(group.sources, true, [&](NodeId, NodeId n) {
      return check_readers(n, group.writers);
    });
  }

  /// What is written in one place is written at one time: nobody reads it halfway.
  Changed merge_sinks(const Group& group, const ScopeTree& tree) {
    Behind merged(state_, tree, group.readers);
    const auto nobody_reads = [](NodeId, NodeId) { return Refusal(); };
    if (group.readers.empty()) return merge(group.sinks, false, nobody_reads);
    return merge(group.sinks, false, [&](NodeId into, NodeId n) -> Refusal {
      Behind own(state_, tree, group.readers);
      own.add_writes(n);
      if (into && (merged.is_read_before(own) || own.is_read_before(merged)))
        return "'" + state_.get<AccessNode>(n).data + "' is read between the writes";
      merged.add_writes(n);
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
        if (!order_) order_.emplace(state_);
        if (order_->reaches(writer, state_.target(e)))
          return "what reads '" + state_.get<AccessNode>(n).data + "' comes after a write to it";
      }
    return {};
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
