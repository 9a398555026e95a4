#include "codegen/interpreter/state.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "codegen/interpreter/counter.h"
#include "ir/analysis/memlet_path.h"
#include "ir/graph_algorithms.h"
#include "ir/place.h"

namespace sdfg::interpreter {

void Body::run() const {
  for (Container* c : owned) c->reset();
  const Part* at = parts.data();
  try {
    for (const Part* end = at + parts.size(); at != end; ++at) at->run();
  } catch (Stop& stop) {
    if (stop.why.place.empty()) stop.why.place = at->place->text();
    throw;
  }
}

namespace {

/// The container that a node, or the scope that it begins, resolves conflicts in; empty for others.
std::string_view reduced_by(const State& state, const ScopeTree& tree, NodeId node) {
  const NodeId exit = state[node].is_entry() ? tree.exit_of(node) : NodeId();
  for (EdgeId e : state.out(exit ? exit : node))
    if (state[e].memlet.wcr) return state[e].memlet.data;
  return {};
}

/// A topological order in which, among those that are ready, the largest id comes first, and of
/// those that reduce into one container the smallest: sums keep the order of their terms. Nothing
/// when the graph has a cycle.
std::optional<std::vector<NodeId>> last_first(const State& state, const ScopeTree& tree) {
  std::vector<std::size_t> waiting(state.id_bound());
  std::set<NodeId> ready;
  std::map<std::string_view, std::set<NodeId>> reducing;  // of those that are ready
  const auto add = [&](NodeId n) {
    ready.insert(n);
    if (const auto container = reduced_by(state, tree, n); !container.empty())
      reducing[container].insert(n);
  };
  for (NodeId n : state.nodes())
    if ((waiting[n.value] = state.in(n).size()) == 0) add(n);
  std::vector<NodeId> order;
  while (!ready.empty()) {
    NodeId next = *ready.rbegin();
    if (const auto container = reduced_by(state, tree, next); !container.empty()) {
      std::set<NodeId>& terms = reducing[container];
      next = *terms.begin();
      terms.erase(next);
    }
    ready.erase(next);
    order.push_back(next);
    for (EdgeId e : state.out(next))
      if (const NodeId after = state.target(e); --waiting[after.value] == 0) add(after);
  }
  if (order.size() != state.node_count()) return std::nullopt;
  return order;
}

}  // namespace

Action Unit::compile_state(const State& state, const Where* place) {
  return StateCompiler(*this, state, place).compile();
}

StateCompiler::StateCompiler(Unit& unit, const State& state, const Where* place)
    : unit_(unit), machine_(unit.machine()), state_(state), place_(place),
      tree_(scope_tree_of(state)) {
  const auto order = machine_.adverse ? last_first(state, tree_) : topological_order(state);
  if (!order) throw Stop("the state has a cycle");
  children_.resize(state.id_bound() + 1);
  for (NodeId id : *order) {
    const NodeId parent = tree_.parent_of(id);
    children_[parent ? parent.value : state.id_bound()].push_back(id);
  }
  find_local_scopes();
}

Action StateCompiler::compile() {
  Scope& top =
      scopes_.try_emplace(NodeId{}, NodeId{}, &unit_.names(), unit_.in_kernel()).first->second;
  return [body = compile_scope(top)] {
    body.run();
    return Flow::Normal;
  };
}

Body StateCompiler::compile_scope(Scope& scope) {
  Body body;
  for (NodeId id : children_[scope.entry ? scope.entry.value : state_.id_bound()]) {
    try {
      compile_node(id, scope, body);
    } catch (Stop& stop) {
      if (stop.why.place.empty()) stop.why.place = place_of(id)->text();
      throw;
    }
  }
  body.owned = std::move(scope.owned);
  return body;
}

void StateCompiler::compile_node(NodeId id, Scope& scope, Body& body) {
  const Node& node = state_[id];
  const auto add = [&](Step step) { body.parts.push_back({std::move(step), place_of(id)}); };
  if (node.is<AccessNode>()) return compile_access(id, scope, body);
  if (node.is<Tasklet>()) return add(compile_tasklet(id, scope));
  if (node.is<MapEntry>()) return add(compile_map(id, scope));
  if (node.is<ConsumeEntry>()) return add(compile_consume(id, scope));
  if (node.is<NestedSdfg>()) return add(compile_nested(id, scope));
  if (node.is<LibraryNode>()) return add(compile_library(id, scope));
  if (node.is_exit()) return;
  throw Stop("the interpreter does not know nodes of the kind " + std::string(node.kind_name()));
}

KernelCounts* StateCompiler::kernel(const Scope& in_scope, std::string kind,
                                    const Where* place) const {
  if (!machine_.counter || in_scope.in_kernel) return nullptr;
  return machine_.counter->new_kernel(std::move(kind), place->text());
}

Step StateCompiler::counted(KernelCounts* kernel, Step step) const {
  if (!kernel) return step;
  return [counter = machine_.counter, kernel, step = std::move(step)] {
    counter->begin(*kernel);
    step();
    counter->end();
  };
}

Context StateCompiler::context(const Scope& scope, const Where* place) const {
  return {machine_, scope.names, place};
}

const Where* StateCompiler::place_of(NodeId id) const {
  return machine_.new_place(place_, Place().node(state_, id).text());
}
const Where* StateCompiler::place_of(EdgeId id) const {
  return machine_.new_place(place_, Place().edge(state_, id).text());
}

StateCompiler::Scope& StateCompiler::scope_of(NodeId node) {
  return scopes_.at(tree_.parent_of(node));
}

// ---- Containers.

void StateCompiler::find_local_scopes() {
  // A node's depth in the tree of scopes, to find common ancestors.
  const auto depth = [&](NodeId entry) {
    std::size_t n = 0;
    for (; entry; entry = tree_.parent_of(entry)) ++n;
    return n;
  };
  const auto common = [&](NodeId a, NodeId b) {
    std::size_t da = depth(a), db = depth(b);
    for (; da > db; --da) a = tree_.parent_of(a);
    for (; db > da; --db) b = tree_.parent_of(b);
    while (a != b) a = tree_.parent_of(a), b = tree_.parent_of(b);
    return a;
  };
  const auto use = [&](const std::string& name, NodeId scope) {
    if (!unit_.is_local_to_state(name)) return;
    if (unit_.sdfg().find_data(name)->lifetime == Lifetime::State) scope = {};
    const auto [found, inserted] = local_scope_.emplace(name, scope);
    if (!inserted) found->second = common(found->second, scope);
  };
  for (NodeId id : state_.nodes())
    if (const auto* access = state_[id].as<AccessNode>()) use(access->data, tree_.parent_of(id));
  // Values between two code nodes may lie in a container without an access node.
  for (EdgeId id : state_.edges())
    if (!state_[id].memlet.empty() && state_[state_.source(id)].is_code() &&
        state_[state_.target(id)].is_code())
      use(state_[id].memlet.data, tree_.parent_of(state_.target(id)));
}

Container* StateCompiler::named(std::string_view name) {
  const auto scope = local_scope_.find(name);
  if (scope == local_scope_.end()) return unit_.container(name);
  if (const auto found = locals_.find(name); found != locals_.end()) return found->second;
  Scope& owner = scopes_.at(scope->second);
  Container* c = unit_.local_container(name, owner.names, owner.in_kernel);
  locals_.emplace(std::string(name), c);
  owner.owned.push_back(c);
  return c;
}

Container* StateCompiler::view(NodeId node) {
  if (const auto found = views_.find(node); found != views_.end()) return found->second;
  const std::string& name = state_.get<AccessNode>(node).data;
  const auto edge = viewed_edge(unit_.sdfg(), state_, node);
  if (!edge) throw Stop("it is not clear which container the view '" + name + "' shows");
  const bool viewed_is_source = state_.target(*edge) == node;
  const NodeId viewed_node =
      viewed_is_source ? path_source(state_, *edge) : path_target(state_, *edge);
  Scope& scope = scope_of(node);
  Container* c = unit_.new_container(name, *unit_.sdfg().find_data(name));
  views_.emplace(node, c);
  scope.owned.push_back(c);

  Container* viewed = at_node(viewed_node);
  const Where* place = place_of(*edge);
  const Memlet& memlet = state_[*edge].memlet;
  const auto& subset = viewed_is_source ? memlet.src_subset : memlet.dst_subset;
  const auto seen = window(viewed, subset, scope, place);
  c->prepare = [c, seen, layout = unit_.layout_of(c, context(scope, place))] {
    layout();
    seen->bind(*c);
    c->ready = true;
  };
  return c;
}

Container* StateCompiler::at_node(NodeId access) {
  const auto* node = state_[access].as<AccessNode>();
  if (!node) throw Stop("a memlet does not lead to an access node");
  const Data* data = unit_.sdfg().find_data(node->data);
  return data && data->is_view() ? view(access) : named(node->data);
}

Container* StateCompiler::of_memlet(EdgeId edge) {
  const Memlet& memlet = state_[edge].memlet;
  const Data* data = unit_.sdfg().find_data(memlet.data);
  if (!data) throw Stop("there is no data container '" + memlet.data + "'");
  if (!data->is_view()) return named(memlet.data);
  return view(memlet.data_is_src ? path_source(state_, edge) : path_target(state_, edge));
}

Container* StateCompiler::popped(EdgeId edge) const {
  const NodeId entry = popped_by(state_, edge);
  return entry ? popped_.at(entry) : nullptr;
}

std::shared_ptr<Window> StateCompiler::window_read(EdgeId edge, const Scope& scope,
                                                   const Where* place) {
  if (Container* element = popped(edge)) return unit_.whole(element, place);
  return window(of_memlet(edge), state_[edge].memlet.subset(), scope, place);
}

std::shared_ptr<Window> StateCompiler::window(Container* container,
                                              const std::optional<Subset>& subset,
                                              const Scope& scope, const Where* place) {
  if (!subset) return unit_.whole(container, place);
  auto w = std::make_shared<Window>();
  w->machine = &machine_;
  w->container = container;
  w->place = place;
  if (subset->rank() != container->data->shape.size())
    throw Stop("the memlet of '" + container->name + "' has " + std::to_string(subset->rank()) +
               " dimensions, the container " + std::to_string(container->data->shape.size()));
  const Context c = context(scope, place);
  w->begin = compile_begins(*subset, c);
  w->step = compile_steps(*subset, c);
  for (std::size_t d = 0; d < subset->rank(); ++d) {
    const Range& r = (*subset)[d];
    if (!r.is_index() && !(r.size() == Expr(1))) w->wide.push_back(d);
  }
  return w;
}

}  // namespace sdfg::interpreter
