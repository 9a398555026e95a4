#include "passes/conditionals/if_shape.h"

#include <algorithm>

#include "ir/analysis/used_names.h"
#include "passes/common/order_edge.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// `not c` and `a != b` say the opposite of `c` and `a == b`, also for nan.
Expr positive(Expr condition, bool& holds) {
  for (;;) {
    if (condition.is(Op::Not)) {
      condition = Expr(condition.arg(0));
    } else if (condition.is(Op::Ne)) {
      condition = Expr::make(Op::Eq, {condition.arg(0), condition.arg(1)});
    } else {
      return condition;
    }
    holds = !holds;
  }
}

/// How an index finds an element: containers at one address that differ have other values.
std::string layout(const Data& data) {
  std::string out = " as " + data.dtype.text();
  const Array* array = data.as_array();
  if (!array) return out;
  for (std::size_t d = 0; d < data.shape.size(); ++d)
    out += data.shape[d] == Expr(1) ? ", -" : ", " + to_text(array->strides[d]);
  for (const Expr& e : array->offset) out += " + " + to_text(e);
  return out + " from " + to_text(array->start_offset);
}

}  // namespace

Refusal read_shape(NestedSdfg& nested, IfShape& shape) {
  Sdfg& inner = **nested.sdfg;
  for (BlockId b : inner.nodes()) {
    Block& block = inner[b];
    const auto* state = block.as<State>();
    if (state && state->node_count() == 0) continue;
    if (!block.is<ConditionalBlock>())
      return "there is a " + std::string(block.kind_name()) + " beside the conditional";
    if (shape.conditional) return "there are several conditionals inside";
    shape.conditional = block.as<ConditionalBlock>();
  }
  for (InterstateEdgeId e : inner.edges())
    if (!inner[e].condition.always_true() || !inner[e].assignments.empty())
      return "an edge inside has a condition or assigns symbols";
  SymbolSet containers, used;
  for (const auto& [name, data] : inner.arrays) containers.insert(name);
  for (Branch& branch : shape.conditional->branches) {
    Region& region = branch.region();
    if (region.node_count() != 1 || !region[*region.nodes().begin()].is<State>())
      return "branch " + quoted(branch.block.label) + " is not a single state";
    const State& state = *region[*region.nodes().begin()].as<State>();
    if (state.instrument != Instrumentation::None) return "a state inside is instrumented";
    for (NodeId n : state.nodes()) {
      if (!state[n].is<AccessNode>()) collect_used_names(state[n], containers, used);
      if (!state[n].is<Tasklet>()) continue;
      for (const auto* connectors : {&state[n].in_connectors, &state[n].out_connectors})
        for (const auto& [name, type] : *connectors) shape.connectors.push_back(name);
    }
  }
  for (const std::string& name : used)
    if (containers.contains(name)) return quoted(name) + " is read by name inside";
  return {};
}

ValueNames::ValueNames(const Sdfg& sdfg, const State& state, const ScopeTree& tree, NodeId scope,
                       const Accesses& accesses, SideEffects& effects)
    : sdfg_(sdfg), state_(state), scope_(scope), accesses_(accesses), effects_(effects) {
  if (scope == NodeId{}) return;
  for (EdgeId e : state.out(tree.exit_of(scope))) written_.insert(state[e].memlet.data);
  for (EdgeId e : state.in(tree.exit_of(scope))) written_.insert(state[e].memlet.data);
}

/// A container's name alone says nothing about when it is read; so what comes from an access node
/// is named by the node, and what comes from outside by the container, if the scope leaves it
/// alone.
std::string ValueNames::of_edge(EdgeId e) {
  const Memlet& memlet = state_[e].memlet;
  const NodeId from = state_.source(e);
  const std::string unique = "edge " + std::to_string(e.value);
  if (memlet.empty() || !memlet.src_subset || memlet.dynamic) return unique;
  const std::string part = "[" + to_text(*memlet.src_subset) + "]";
  if (from == scope_) {
    if (!memlet.data_is_src || written_.contains(memlet.data)) return unique;
    return memlet.data + part;
  }
  return state_[from].is<AccessNode>() ? of_node(from) + part : unique;
}

std::string ValueNames::of_node(NodeId n) {
  if (const auto found = known_.find(n.value); found != known_.end()) return found->second;
  std::string name = computed(n);
  if (name.empty()) name = "node " + std::to_string(n.value);
  return known_.emplace(n.value, std::move(name)).first->second;
}

/// The number of the computation whose result a transient of one element is; "" when there is none.
std::string ValueNames::computed(NodeId n) {
  const std::string& container = state_.get<AccessNode>(n).data;
  const Data* data = sdfg_.arrays.get(container);
  if (!data || !data->transient || data->role() != Role::Plain) return {};
  if (!accesses_.is_single_use(container) || state_.in(n).size() != 1) return {};
  if (num_elements(Subset::whole(data->shape)) != Expr(1)) return {};
  const EdgeId e = state_.in(n)[0];
  const NodeId from = state_.source(e);
  if (state_[e].memlet.empty() || state_[e].memlet.wcr || state_[e].memlet.dynamic) return {};
  std::string what = data->dtype.text() + " = ";
  if (from == scope_ || state_[from].is<AccessNode>()) {
    what += of_edge(e);
  } else if (const auto* tasklet = state_[from].as<Tasklet>()) {
    if (effects_.of(sdfg_, state_[from]) || !tasklet->code_global->empty()) return {};
    const std::string language(to_text(tasklet->code.language()));
    const auto typed = [](const Connectors& types, const std::string& connector) {
      const auto type = types.find(connector);
      return connector + (type == types.end() ? "" : ": " + type->second.text());
    };
    what += typed(state_[from].out_connectors, state_[e].src_connector) + " of " + language + " " +
            tasklet->code.text();
    std::map<std::string, std::string> inputs;
    for (EdgeId in : state_.in(from))
      if (carries_data(state_[in]))
        inputs[typed(state_[from].in_connectors, state_[in].dst_connector)] = of_edge(in);
    for (const auto& [connector, value] : inputs) what += " | " + connector + " = " + value;
  } else {
    return {};
  }
  const auto [at, first] = computations_.emplace(std::move(what), computations_.size());
  return "value " + std::to_string(at->second);
}

Refusal ValueNames::decide(NodeId node, IfShape& shape) {
  const NestedSdfg& nested = state_.get<NestedSdfg>(node);
  const Sdfg& inner = **nested.sdfg;
  SymbolSet read;
  const auto& branches = shape.conditional->branches;
  for (const Branch& branch : branches) {
    if (!branch.condition) continue;
    collect_symbols(*branch.condition->expr(), read);
  }
  Substitution values;
  for (const auto& [symbol, value] : nested.symbol_mapping) {
    const auto type = inner.symbols.find(symbol);
    const std::string as = type == inner.symbols.end() ? "" : " as " + type->second.text();
    values[symbol] = Expr::symbol("<" + to_text(value) + as + ">");
  }
  for (EdgeId e : state_.in(node)) {
    const std::string& connector = state_[e].dst_connector;
    if (!read.contains(connector)) continue;
    if (state_[node].out_connectors.contains(connector))
      return quoted(connector) + " is read by the condition and written inside";
    Data inside = inner.arrays.at(connector);
    substitute(inside, values);
    values[connector] = Expr::symbol("<" + of_edge(e) + layout(inside) + ">");
  }
  std::vector<std::pair<Expr, bool>> conditions;
  for (const Branch& branch : branches) {
    bool holds = true;
    Expr expr = branch.condition ? substitute_as_written(*branch.condition->expr(), values)
                                 : Expr::boolean(true);
    expr = positive(std::move(expr), holds);
    conditions.emplace_back(std::move(expr), holds);
  }
  const auto opposite = [&](std::size_t a, std::size_t b) {
    return conditions[a].first == conditions[b].first &&
           conditions[a].second != conditions[b].second;
  };
  const bool second_is_else =
      branches.size() == 2 && (!branches[1].condition || opposite(0, 1));
  shape.two_way = branches[0].condition && (branches.size() == 1 || second_is_else);
  if (shape.two_way) {
    shape.decision = print_python(conditions[0].first);
    shape.branches.resize(2);
    shape.branches[conditions[0].second ? 0 : 1] = 0;
    if (branches.size() == 2) shape.branches[conditions[0].second ? 1 : 0] = 1;
    return {};
  }
  for (std::size_t i = 0; i < branches.size(); ++i) {
    shape.decision += (i ? "; " : "") + std::string(conditions[i].second ? "" : "not ") +
                      (branches[i].condition ? print_python(conditions[i].first) : "else");
    shape.branches.push_back(i);
  }
  return {};
}

}  // namespace sdfg
