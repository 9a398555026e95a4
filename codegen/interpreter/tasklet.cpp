#include <algorithm>

#include "codegen/interpreter/state.h"
#include "ir/analysis/memlet_path.h"

namespace sdfg::interpreter {
namespace {

/// A connector's type: what it says, or the container's for one element.
struct ConnectorType {
  BaseType type;
  const Record* record;
  bool pointer;
};

/// `element`: of the container, or what another tasklet has made.
ConnectorType connector_type(Machine& machine, const Connectors& connectors,
                             const std::string& name, const Typed& element, bool one_element) {
  const auto found = connectors.find(name);
  if (found == connectors.end() || !found->second.known())
    return {element.type, element.record, !one_element};
  const Type& type = found->second;
  if (type.is_pointer()) return {element.type, element.record, true};
  if (const Record* record = machine.record(type)) return {BaseType::Struct, record, !one_element};
  if (!is_supported(type.base()))
    throw Stop("connector '" + name + "' has the type " + type.text() +
               ", which the interpreter cannot compute with");
  return {type.base(), nullptr, !one_element};
}

Typed element_of(const Container& c) { return {c.type, {}, c.record}; }

/// In a tile, indices do not move by equal steps; DaCe gives it dimensions of its own.
void refuse_tiles(const std::optional<Subset>& subset) {
  if (!subset) return;
  for (const Range& r : subset->ranges)
    if (!(r.tile == Expr(1)))
      throw Stop("the interpreter does not pass tiled subsets (" + to_text(*subset) +
                 ") to a tasklet");
}

}  // namespace

Step StateCompiler::compile_tasklet(NodeId id, Scope& scope) {
  const Tasklet& tasklet = state_.get<Tasklet>(id);
  if (tasklet.code.language() != Language::Python)
    throw Stop("the code of the tasklet is " + std::string(to_text(tasklet.code.language())) +
                   ", the interpreter runs Python",
               "use the cpu backend");
  static const Statements none;
  const Statements* statements = tasklet.code.empty() ? &none : tasklet.code.statements();
  if (!statements) {
    const Diagnostic* error = tasklet.code.syntax_error();
    throw Stop("the code of the tasklet does not parse: " + (error ? error->message : ""));
  }

  Names names(&scope.names);
  std::vector<Step> before, after;
  for (EdgeId e : state_.in(id))
    if (!state_[e].dst_connector.empty())
      if (auto step = compile_input(id, e, scope, names)) before.push_back(*std::move(step));
  for (EdgeId e : state_.out(id))
    if (!state_[e].src_connector.empty())
      if (auto step = compile_output(id, e, scope, names)) after.push_back(*std::move(step));
  Action code = compile_statements(*statements, machine_, names, place_of(id));
  return [machine = &machine_, before = std::move(before), code = std::move(code),
          after = std::move(after)] {
    machine->step();
    for (const Step& step : before) step();
    code();
    for (const Step& step : after) step();
  };
}

std::optional<Step> StateCompiler::compile_input(NodeId id, EdgeId e, Scope& scope, Names& names) {
  const Edge& edge = state_[e];
  const std::string& name = edge.dst_connector;
  const Where* place = place_of(e);

  // A value that another tasklet has made.
  const NodeId source = path_source(state_, e);
  if (!state_[source].is<AccessNode>()) {
    const std::vector<EdgeId> path = memlet_path(state_, e);
    const auto made = outputs_.find({source, state_[path[0]].src_connector});
    if (made == outputs_.end()) throw Stop("nothing is computed for connector '" + name + "'");
    if (made->second.window) {
      names.set(name, made->second);
      return std::nullopt;
    }
    const ConnectorType type =
        connector_type(machine_, state_[id].in_connectors, name,
                       {made->second.type, {}, made->second.record}, true);
    Number* slot = machine_.new_slot(type.record);
    names.set(name, {type.type, slot, nullptr, type.record});
    return [slot, type, value = made->second.slot, from = made->second.type] {
      assign(slot, convert(*value, from, type.type), type.record);
    };
  }
  if (edge.memlet.empty()) return std::nullopt;

  refuse_tiles(edge.memlet.subset());
  const auto input = window_read(e, scope, place);
  Container* c = input->container;
  if (c->type == BaseType::Unknown)
    throw Stop("values of '" + c->name +
               "' are of a type that the interpreter cannot compute with");
  const bool one = input->wide.empty();
  const ConnectorType type =
      connector_type(machine_, state_[id].in_connectors, name, element_of(*c), one);
  // Memory itself: arrays, and elements that the code may or may not read.
  const bool stream = c->is_stream();
  if (stream ? edge.memlet.dynamic : type.pointer || edge.memlet.dynamic) {
    names.set(name, {c->type, nullptr, input});
    return std::nullopt;
  }
  Number* slot = machine_.new_slot(type.record);
  names.set(name, {type.type, slot, nullptr, type.record});
  const Unary cast = conversion(c->type, type.type);
  if (stream)
    return [input, slot, cast] {
      const Number value = pop_stream(*input);
      *slot = cast ? cast(value) : value;
    };
  if (cast) return [input, slot, cast] { *slot = cast(input->read({})); };
  return [input, slot, record = type.record] { assign(slot, input->read({}), record); };
}

std::optional<Step> StateCompiler::compile_output(NodeId id, EdgeId e, Scope& scope, Names& names) {
  const Edge& edge = state_[e];
  const std::string& name = edge.src_connector;
  const Where* place = place_of(e);
  const Connectors& connectors = state_[id].out_connectors;

  // A value for another tasklet, unless the memlet names an array that both share.
  const NodeId target = path_target(state_, e);
  if (!state_[target].is<AccessNode>()) {
    if (const Binding* known = names.find_own(name)) {
      outputs_[{id, name}] = *known;
      return std::nullopt;
    }
    const auto declared = connectors.find(name);
    const bool pointer = declared != connectors.end() && declared->second.is_pointer();
    Binding binding;
    if (pointer && !edge.memlet.empty()) {
      Container* c = of_memlet(e);
      binding = {c->type, nullptr, window(c, edge.memlet.subset(), scope, place)};
    } else {
      const Typed fallback =
          edge.memlet.empty() ? Typed{BaseType::Float64, {}} : element_of(*of_memlet(e));
      const ConnectorType type = connector_type(machine_, connectors, name, fallback, true);
      binding = {type.type, machine_.new_slot(type.record), nullptr, type.record};
    }
    names.set(name, binding);
    outputs_[{id, name}] = binding;
    return std::nullopt;
  }
  if (edge.memlet.empty()) {
    if (!names.find_own(name)) names.set(name, {BaseType::Float64, machine_.new_slot(), nullptr});
    return std::nullopt;
  }

  Container* c = of_memlet(e);
  if (c->type == BaseType::Unknown)
    throw Stop("values of '" + c->name +
               "' are of a type that the interpreter cannot compute with");
  refuse_tiles(edge.memlet.subset());
  const auto output = window(c, edge.memlet.subset(), scope, place);
  if (edge.memlet.wcr)
    output->combine = compile_reduction(*edge.memlet.wcr, *c, context(scope, place));
  const ConnectorType type =
      connector_type(machine_, connectors, name, element_of(*c), output->wide.empty());
  if (type.pointer || edge.memlet.dynamic) {
    names.set(name, {c->type, nullptr, output});
    return std::nullopt;
  }
  const Binding* known = names.find_own(name);
  const Binding binding =
      known ? *known
            : Binding{type.type, machine_.new_slot(type.record), nullptr, type.record};
  if (!known) names.set(name, binding);
  const Unary cast = conversion(binding.type, c->type);
  return [output, slot = binding.slot, cast, stream = c->is_stream()] {
    const Number value = cast ? cast(*slot) : *slot;
    if (stream)
      push_stream(*output, value);
    else
      output->write({}, value);
  };
}

}  // namespace sdfg::interpreter
