#include "codegen/sdfg_function.h"

#include <algorithm>

#include "codegen/constants.h"
#include "ir/walk.h"

namespace sdfg {

bool is_one_element(const Subset& subset) {
  for (const Range& r : subset.ranges)
    if (!(r.is_index() && r.tile.as_integer() == 1) && !(r.size().as_integer() == 1)) return false;
  return true;
}

std::size_t count_symbol(const Expr& e, const std::string& name) {
  std::size_t n = e.is_symbol(name);
  for (const Expr& a : e.args()) n += count_symbol(a, name);
  return n;
}

/// Is the tasklet surely printed as one line, which declares nothing? (TaskletEmitter::fits_line)
bool is_line(const Node& node, const Statements& statements) {
  const auto* assign =
      statements.size() == 1 ? std::get_if<Assign>(&statements.front().kind) : nullptr;
  if (!assign || !assign->target.is(Op::Symbol) || assign->augmented || assign->annotation)
    return false;
  if (node.out_connectors.size() != 1 || node.out_connectors.begin()->second.is_pointer())
    return false;
  return std::ranges::none_of(node.in_connectors, [&](const auto& connector) {
    return count_symbol(assign->value, connector.first) > 2;
  });
}

/// Calls visit(name) for what the code assigns by name.
template <class F>
void for_each_target(const Statements& statements, const F& visit) {
  const auto target = [&](const Expr& e) {
    if (e.is(Op::Symbol)) visit(e.name());
  };
  for (const Statement& s : statements) {
    if (const auto* assign = std::get_if<Assign>(&s.kind)) target(assign->target);
    if (const auto* branch = std::get_if<IfStatement>(&s.kind))
      for_each_target(branch->then, visit), for_each_target(branch->otherwise, visit);
    if (const auto* loop = std::get_if<WhileStatement>(&s.kind)) for_each_target(loop->body, visit);
    if (const auto* loop = std::get_if<ForStatement>(&s.kind))
      target(loop->target), for_each_target(loop->body, visit);
  }
}

SdfgFunction::SdfgFunction(Program& program, const Sdfg& sdfg, std::string name,
                           Surroundings surroundings, Place place, std::string caller)
    : program_(program),
      sdfg_(sdfg),
      name_(std::move(name)),
      surroundings_(surroundings),
      place_(std::move(place)),
      caller_(std::move(caller)),
      types_(symbol_types(sdfg)),
      on_device_(surroundings.device) {
  for (const auto& [container, data] : sdfg_.arrays) used_names_.insert(cpp_name(container));
  for (const auto& [symbol, type] : sdfg_.symbols) used_names_.insert(cpp_name(symbol));
  // What a map or a tasklet's block declares would hide a name that indices inside use.
  for_each_state(sdfg_, [&](const State& state) {
    for (NodeId n : state.nodes_of<MapEntry>())
      for (const std::string& param : state.get<MapEntry>(n).params)
        used_names_.insert(cpp_name(param));
    for (NodeId n : state.nodes_of<Tasklet>()) {
      const Statements* statements = state.get<Tasklet>(n).code.statements();
      if (statements && is_line(state[n], *statements)) continue;
      for (const auto* connectors : {&state[n].in_connectors, &state[n].out_connectors})
        for (const auto& [connector, type] : *connectors) used_names_.insert(cpp_name(connector));
      if (!statements) continue;
      for_each_target(*statements,
                      [&](const std::string& name) { used_names_.insert(cpp_name(name)); });
    }
  });
}

std::string SdfgFunction::symbol_type(const Type& type) {
  if (type.is_signed_integer() || !type.known()) return "int64_t";
  return cpp_type(type).value_or("int64_t");
}

void SdfgFunction::fail(const Place& place, std::string message, std::string hint) {
  program_.fail(place, std::move(message), std::move(hint));
}

std::string SdfgFunction::type_name(const Type& type, const Place& place) {
  return program_.type_name(type, place);
}

std::string SdfgFunction::local_name(const std::string& base) const {
  return used_names_.fresh(base);
}

void SdfgFunction::declare_symbols(Writer& out, const std::set<std::string>& parameters) {
  for (const std::string& symbol : assigned_) {
    if (parameters.contains(cpp_name(symbol)) || bindings_.contains(symbol)) continue;
    const auto type = types_.find(symbol);
    out.line("[[maybe_unused]] " + symbol_type(type == types_.end() ? Type() : type->second) + " " +
             cpp_name(symbol) + "{};");
  }
}

std::vector<std::string> SdfgFunction::emit(std::vector<Parameter> parameters, bool always_inline) {
  plan();
  for (const Parameter& p : parameters) parameters_.insert(p.identifier);

  Writer body(1);
  declare_symbols(body, parameters_);
  if (program_.target.gpu && &sdfg_ == &program_.root) plan_device_memory(body);
  for (const std::string& container : function_level_)
    declare(body, container, place_, surroundings_);
  if (on_device_) {
    lanes_.insert(assigned_.begin(), assigned_.end());
    open_frame(body, {});
  }
  emit_region(body, sdfg_, place_, {});
  if (on_device_) close_frame(body);

  constexpr std::string_view state = "__state";
  std::vector<std::string> constant_names;
  for (const auto& [constant, value] : sdfg_.constants)
    constant_names.push_back(cpp_name(constant));
  Words asked;
  asked.insert(state);
  for (const std::string& name : constant_names) asked.insert(name);
  for (const Parameter& p : parameters) asked.insert(p.identifier);
  const Occurring used(body.text(), std::move(asked));

  Writer constants(1);
  for (const auto& [constant, value] : sdfg_.constants)
    if (used.contains(cpp_name(constant)) && !parameters_.contains(cpp_name(constant))) {
      const auto text = constant_definition(constant, value);
      if (text)
        constants.line(on_device_ && text->starts_with("static ") ? text->substr(7) : *text);
      else
        fail(place_.in("constant '" + constant + "'"), text.error().message, text.error().hint);
    }

  std::vector<std::string> arguments;
  std::string declaration;
  const auto add = [&](const std::string& parameter, const std::string& argument) {
    declaration += (declaration.empty() ? "" : ", ") + parameter;
    arguments.push_back(argument);
  };
  if (used.contains(state)) add(program_.state_type + "* __state", "__state");
  const Words used_by_constants(constants.text());
  for (const Parameter& p : parameters)
    if (used.contains(p.identifier) || used_by_constants.contains(p.identifier))
      add(p.declaration, p.argument);

  Writer text;
  text.line(caller_.empty() ? "// the program"
                            : "// sdfg " + sdfg_.name + ", nested in " + caller_);
  text.open(on_device_       ? "SDFG_DEVICE"
            : always_inline ? "static SDFG_INLINE"
                            : "static",
            " void ", name_, "(", declaration, ")");
  text.raw(constants.text());
  text.raw(body.text());
  text.close();
  program_.functions.push_back(text.take());
  return arguments;
}

}  // namespace sdfg
