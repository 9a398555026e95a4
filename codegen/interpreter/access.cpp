#include "codegen/interpreter/copy.h"
#include "codegen/interpreter/counter.h"
#include "codegen/interpreter/state.h"
#include "ir/analysis/memlet_path.h"

namespace sdfg::interpreter {

bool StateCompiler::is_view_edge(NodeId node, EdgeId edge) const {
  const auto* access = state_[node].as<AccessNode>();
  const Data* data = access ? unit_.sdfg().find_data(access->data) : nullptr;
  return data && data->is_view() && viewed_edge(unit_.sdfg(), state_, node) == edge;
}

/// A copy runs as soon as its source is there, as in DaCe's code, unless an ordering edge makes
/// its target wait for something else.
bool StateCompiler::waits_for_target(EdgeId edge) const {
  for (EdgeId e : state_.in(state_.target(edge)))
    if (state_[e].memlet.empty()) return true;
  return false;
}

void StateCompiler::compile_access(NodeId id, Scope& scope, Body& body) {
  const auto add = [&](EdgeId edge, Step step) {
    body.parts.push_back({std::move(step), place_of(edge)});
  };
  for (EdgeId e : state_.in(id)) {
    if (state_[e].memlet.empty() || is_view_edge(id, e)) continue;
    if (state_[e].dst_connector == "set") {
      add(e, compile_reference(e, id, scope));
      continue;
    }
    const NodeId neighbor = state_.source(e);
    const bool inwards = state_[neighbor].is_entry();
    const bool waiting = state_[neighbor].is<AccessNode>() && waits_for_target(e);
    if (!inwards && !waiting) continue;
    const NodeId from = path_source(state_, e);
    if (state_[from].is<AccessNode>() && !is_view_edge(from, e))
      add(e, compile_copy(e, from, id, scope));
  }
  for (EdgeId e : state_.out(id)) {
    const Edge& edge = state_[e];
    const NodeId neighbor = state_.target(e);
    const bool outwards = state_[neighbor].is_exit();
    if (edge.memlet.empty() || is_view_edge(id, e)) continue;
    if (!outwards && (!state_[neighbor].is<AccessNode>() || waits_for_target(e))) continue;
    if (edge.dst_connector == "set") continue;
    const std::vector<EdgeId> path = memlet_path(state_, e);
    const NodeId to = state_.target(path.back());
    if (state_[to].is<AccessNode>() && !is_view_edge(to, path.back()))
      add(e, compile_copy(e, id, to, scope));
  }
}

Step StateCompiler::compile_copy(EdgeId edge, NodeId from, NodeId to, Scope& scope) {
  const Where* place = place_of(edge);
  const Context c = context(scope, place);
  const Memlet& memlet = state_[edge].memlet;
  Container* element = popped(edge);
  Copy copy{&machine_, place,
            element ? compile_side(element, std::nullopt, c)
                    : compile_side(at_node(from), memlet.src_subset, c),
            compile_side(at_node(to), memlet.dst_subset, c), {}};
  if (memlet.wcr) copy.combine = compile_reduction(*memlet.wcr, *copy.to.container, c);
  const bool launched = machine_.counter &&
                        machine_.counter->is_kernel_copy(*copy.from.container, *copy.to.container);
  KernelCounts* launch = launched ? kernel(scope, "copy", place) : nullptr;
  return counted(launch, [copy = std::move(copy)] { copy.run(); });
}

Step StateCompiler::compile_reference(EdgeId edge, NodeId to, Scope& scope) {
  const Where* place = place_of(edge);
  const NodeId from = path_source(state_, edge);
  if (!state_[from].is<AccessNode>())
    throw Stop("a reference is set by something that is not a container");
  const auto seen = window(at_node(from), state_[edge].memlet.src_subset, scope, place);
  Container* reference = at_node(to);
  return [seen, reference] {
    seen->bind(*reference);
    reference->ready = false;
  };
}

}  // namespace sdfg::interpreter
