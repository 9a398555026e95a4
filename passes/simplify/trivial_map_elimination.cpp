#include "passes/simplify/trivial_map_elimination.h"

#include <algorithm>
#include <optional>

#include "ir/expr_quotient.h"
#include "passes/common/order_edge.h"
#include "passes/common/scope.h"
#include "passes/common/tidy.h"

namespace sdfg {
namespace {

/// Equality of normal forms decides: it costs little, and almost no map is trivial.
bool has_one_point(const Range& range) {
  return range.end - range.begin == Expr(0) && range.tile == Expr(1);
}

/// Of parameters with a single value: that value. A range may use the parameters before it, and
/// where it mentions others, it means something outside.
Substitution only_values(const MapEntry& map) {
  Substitution values;
  for (std::size_t d = 0; d < map.params.size(); ++d)
    if (has_one_point(map.ranges[d]))
      values.emplace(map.params[d], rounded_down(substitute(map.ranges[d].begin, values)));
  return values;
}

/// That a value mentions something outside which has the name of a parameter that stays.
Refusal check_names(const MapEntry& map, const Substitution& values) {
  for (std::size_t d = 0; d < map.params.size(); ++d) {
    const auto value = values.find(map.params[d]);
    if (value == values.end()) continue;
    for (std::size_t other = d; other < map.params.size(); ++other)
      if (!values.contains(map.params[other]) && uses_symbol(value->second, map.params[other]))
        return "the map gives '" + map.params[other] + "', which the value of '" + value->first +
               "' mentions, another meaning";
  }
  return {};
}

bool runs_on_the_host(Schedule schedule) {
  return schedule == Schedule::Default || schedule == Schedule::Sequential ||
         schedule == Schedule::CpuMulticore || schedule == Schedule::Unrolled;
}

/// A map without a schedule runs where its data is.
bool runs_on_gpu(const Sdfg& sdfg, const State& state, const Scope& scope, const GpuMemory& gpu) {
  const auto on_gpu = [&](EdgeId e) { return gpu.is_out_of_reach(sdfg, state[e].memlet.data); };
  return std::ranges::any_of(state.in(scope.entry), on_gpu) ||
         std::ranges::any_of(state.out(scope.exit), on_gpu);
}

bool has_dynamic_inputs(const Node& entry) {
  return std::ranges::any_of(entry.in_connectors,
                             [](const auto& c) { return !c.first.starts_with("IN_"); });
}

std::vector<EdgeId> copy(std::span<const EdgeId> edges) { return {edges.begin(), edges.end()}; }

bool connected(const State& state, NodeId from, NodeId to) {
  return std::ranges::any_of(state.out(from), [&](EdgeId e) { return state.target(e) == to; });
}

/// Takes a scope's two ends out of the graph.
class Remover {
 public:
  Remover(const Sdfg& sdfg, State& state, const Scope& scope)
      : sdfg_(sdfg), state_(state), entry_(scope.entry), exit_(scope.exit) {}

  void run() {
    std::vector<NodeId> around;
    for (EdgeId e : state_.in(entry_)) around.push_back(state_.source(e));
    for (EdgeId e : state_.out(exit_)) around.push_back(state_.target(e));
    remove(entry_, true);
    remove(exit_, false);
    for (NodeId n : around) drop_if_loose(state_, n);  // it only ordered something
  }

 private:
  /// One end after the other: the order of an empty body goes from the entry to the exit.
  void remove(NodeId end, bool is_entry) {
    const std::vector<EdgeId> before = copy(state_.in(end)), after = copy(state_.out(end));
    join(before, after, is_entry);
    keep_order(before, after);
    state_.erase(end);
  }

  /// Joins edges into a scope node with those out of it. The inner one's memlet is the truth.
  void join(const std::vector<EdgeId>& before, const std::vector<EdgeId>& after,
            bool inner_is_after) {
    for (EdgeId b : before) {
      if (state_[b].memlet.empty()) continue;
      const std::string onward = matching_connector(state_[b].dst_connector);
      for (EdgeId a : after) {
        if (state_[a].memlet.empty() || state_[a].src_connector != onward) continue;
        Edge joined = state_[inner_is_after ? a : b];
        joined.src_connector = state_[b].src_connector;
        joined.dst_connector = state_[a].dst_connector;
        NodeId from = state_.source(b), to = state_.target(a);
        if (state_[from].is<AccessNode>() && state_[to].is<AccessNode>()) {
          if (inner_is_after && is_plain(from)) from = own_access(from, before, true);
          if (!inner_is_after && is_plain(to)) to = own_access(to, after, false);
        }
        state_.connect(from, to, std::move(joined));
      }
    }
  }

  /// Views and members of structures have their access node for more than its order.
  bool is_plain(NodeId access) const {
    const Data* data = sdfg_.arrays.get(state_.get<AccessNode>(access).data);
    return data && data->role() == Role::Plain && !data->is_stream();
  }

  /// A copy begins as soon as its source is ready and is done at its target, whatever the order of
  /// the access node inside: where it has to wait for more than the source, or more than the target
  /// waits for it, an access node of its own does.
  NodeId own_access(NodeId access, const std::vector<EdgeId>& around, bool is_source) {
    const std::string data = state_.get<AccessNode>(access).data;
    std::optional<NodeId> own;
    const auto wait = [&](NodeId outer, NodeId inner) {
      const NodeId first = is_source ? outer : inner, then = is_source ? inner : outer;
      if (!connected(state_, first, then)) state_.connect(first, then, Edge{});
    };
    for (EdgeId e : around) {
      const NodeId other = is_source ? state_.source(e) : state_.target(e);
      const Node& node = state_[other];
      const bool is_around = is_source ? node.is_entry() : node.is_exit();
      if (other == access || is_around || orders_nothing(other, is_source)) continue;
      if (!own) own = state_.add(Node{AccessNode{data}}), wait(access, *own);
      wait(other, *own);
    }
    return own.value_or(access);
  }
  /// An access node that nothing precedes (or follows).
  bool orders_nothing(NodeId node, bool is_before) const {
    return state_[node].is<AccessNode>() &&
           (is_before ? state_.in(node) : state_.out(node)).empty();
  }

  /// Everything before the scope node ran before everything after it. An access node that nothing
  /// precedes (or follows) orders nothing; inside an outer scope, any edge that is left implies the
  /// order with the scope's own ends.
  void keep_order(const std::vector<EdgeId>& before, const std::vector<EdgeId>& after) {
    for (EdgeId b : before)
      for (EdgeId a : after) {
        const NodeId from = state_.source(b), to = state_.target(a);
        if (connected(state_, from, to)) continue;
        if (orders_nothing(from, true) || orders_nothing(to, false)) continue;
        if (state_[from].is_entry() && has_other(state_.in(to))) continue;
        if (state_[to].is_exit() && has_other(state_.out(from))) continue;
        if (state_[from].is_entry() || state_[to].is_exit())
          state_.connect(from, to, Edge{});
        else
          order(sdfg_, state_, from, to);
      }
  }

  /// Edges beyond those to the two nodes that are about to go.
  bool has_other(std::span<const EdgeId> edges) const {
    const auto stays = [&](NodeId node) { return node != entry_ && node != exit_; };
    return std::ranges::any_of(edges, [&](EdgeId e) {
      return stays(state_.source(e)) && stays(state_.target(e));
    });
  }

  const Sdfg& sdfg_;
  State& state_;
  NodeId entry_, exit_;
};

}  // namespace

Refusal TrivialMapElimination::check(const Sdfg& sdfg, const State& state, const Match& match,
                                     const Options&, const GpuMemory& gpu) {
  const NodeId entry = match.nodes[0];
  const MapEntry& map = state.get<MapEntry>(entry);
  const Substitution values = only_values(map);
  if (values.empty()) return "no dimension certainly has a single point";
  if (!runs_on_the_host(map.schedule))
    return "the schedule " + std::string(to_text(map.schedule)) + " says where the body runs";
  if (map.instrument != Instrumentation::None) return "the map is instrumented";
  const Scope scope = find_scope(state, entry).value();
  if (map.schedule == Schedule::Default && runs_on_gpu(sdfg, state, scope, gpu))
    return "the map runs on the GPU, where its data is";
  if (values.size() == map.params.size() && has_dynamic_inputs(state[entry]))
    return "the map has dynamic range inputs";
  if (Refusal why = check_names(map, values)) return why;
  return check_substitution(sdfg, state, scope, values);
}

std::vector<NodeId> TrivialMapElimination::apply(Sdfg& sdfg, State& state, const Match& match,
                                                 const Options&) {
  const NodeId entry = match.nodes[0];
  MapEntry& map = state.get<MapEntry>(entry);
  const Scope scope = *find_scope(state, entry);
  const Substitution values = only_values(map);
  substitute_in_scope(state, scope, values, sdfg.symbols);

  // The value may make inner maps trivial that used the parameter in their ranges.
  std::vector<NodeId> touched;
  for (NodeId node : scope.nodes)
    if (state[node].is<MapEntry>()) touched.push_back(node);

  if (values.size() == map.params.size()) {
    Remover(sdfg, state, scope).run();
    return touched;
  }
  std::vector<std::string> params;
  std::vector<Range> ranges;
  Substitution before;
  for (std::size_t d = 0; d < map.params.size(); ++d) {
    if (const auto value = values.find(map.params[d]); value != values.end()) {
      before.insert(*value);
    } else {
      params.push_back(map.params[d]);
      ranges.push_back(substitute(Subset{{map.ranges[d]}}, before)[0]);
    }
  }
  map.params = std::move(params);
  map.ranges = std::move(ranges);
  map.collapse = std::min(map.collapse, std::int64_t(map.params.size()));
  return touched;
}

}  // namespace sdfg
