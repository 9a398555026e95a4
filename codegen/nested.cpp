#include "codegen/sdfg_function.h"
#include "ir/analysis/memlet_path.h"
#include "support/text.h"

namespace sdfg {

/// A symbol of a nested SDFG in a kernel: the same for all threads, or a lane, or neither.
void SdfgFunction::pass_lane(SdfgFunction& callee, std::vector<Parameter>& parameters,
                             const std::string& symbol, const Expr& value, const Place& place) {
  if (uniform(value)) return;
  callee.lanes_.insert(symbol);
  for (const auto& [param, over] : lane_params_) {
    const auto affine = match_affine(value, param);
    if (!affine || !(affine->coefficient.as_integer() == 1) || !uniform(affine->rest)) continue;
    const std::string lane = callee.local_name(over.lane),
                      begin = callee.local_name(cpp_name(symbol) + "_begin");
    parameters.push_back({"int64_t " + begin, begin, print(over.begin + affine->rest, place)});
    parameters.push_back({"int " + lane, lane, over.lane});
    callee.lane_params_[symbol] = {Expr::symbol(begin), over.step, lane};
    callee.lanes_.insert(lane);
    return;
  }
}

void SdfgFunction::emit_nested(At& at, NodeId id) {
  const State& state = at.state;
  const Node& node = state[id];
  const NestedSdfg& nested = *node.as<NestedSdfg>();
  const Place place = at.node_place(id);
  if (!nested.sdfg)
    return fail(place, "the nested SDFG is in another file, which was not loaded");
  const Sdfg& inner = **nested.sdfg;

  struct Actual {
    Binding binding;
    Subset subset;
    NodeId node;
    bool written = false, conflict = false;
    EdgeId edge{};
  };
  std::map<std::string, Actual, std::less<>> actuals;
  const auto note = [&](EdgeId e, const std::string& connector, NodeId end, bool write) {
    const Memlet& memlet = state[e].memlet;
    if (connector.empty() || memlet.empty()) return;
    const Binding bound = state[end].is<AccessNode>() ? end_binding(at, end, memlet.data)
                                                      : binding(memlet.data, place);
    if (!bound.data) return;
    Subset subset = subset_or_whole(memlet.subset(), *bound.data);
    const bool conflict = write && at.where.parallel && conflicts(at, bound, subset);
    auto [found, is_new] = actuals.try_emplace(connector);
    Actual& actual = found->second;
    if (is_new) actual = {bound, std::move(subset), end, write, conflict, e};
    actual.written |= write;
    actual.conflict |= conflict;
  };
  for (EdgeId e : state.in(id)) {
    if (const auto variable = at.code_variables.find(e); variable != at.code_variables.end()) {
      actuals[state[e].dst_connector] = {{Binding::Value, variable->second, nullptr}, {}, {}};
      continue;
    }
    note(e, state[e].dst_connector, path_source(state, e), false);
  }
  for (EdgeId e : state.out(id)) note(e, state[e].src_connector, path_target(state, e), true);

  // Two connectors into one container may overlap, so neither pointer is exclusive.
  std::map<std::string, int> reached;
  bool references = false;
  for (const auto& [connector, actual] : actuals) {
    ++reached[actual.binding.memory()];
    references |= actual.binding.data && actual.binding.data->is_reference();
  }

  std::string name = program_.fresh_name(nested.label.empty() ? inner.name : nested.label);
  SdfgFunction callee(program_, inner, name, at.where,
                      place.in("sdfg " + inner.name), name_);
  std::vector<Parameter> parameters;
  for (const auto& [connector, actual] : actuals) {
    const Data* data = inner.find_data(connector);
    if (!data) {
      fail(place, "the connector '" + connector + "' is no container inside");
      continue;
    }
    const std::string identifier = cpp_name(connector);
    const Binding& outer = actual.binding;
    Binding bound{Binding::Pointer, identifier, data, outer.shared || actual.conflict};
    bound.device = outer.device;
    bound.own = outer.own;
    Parameter parameter;
    parameter.identifier = identifier;
    if (const auto* structure = std::get_if<Structure>(&data->kind)) {
      bound.kind = Binding::Struct;
      parameter.declaration = program_.structure_type(*structure, place) + "* " + identifier;
      parameter.argument =
          outer.kind == Binding::Struct ? outer.text : pointer(outer, actual.subset, place);
    } else if (data->is_stream()) {
      bound.kind = Binding::Stream;
      const bool single = data->shape.size() == 1 && data->shape[0].as_integer() == 1;
      parameter.declaration = "sdfg::Stream<" + type_name(data->dtype, place) + ">" +
                              (single ? "& " : "* ") + identifier;
      parameter.argument = single ? stream_element(outer, actual.subset, place) : outer.text;
    } else if (data->is_scalar()) {
      bound.kind = Binding::Value;
      parameter.declaration =
          type_name(data->dtype, place) + (actual.written ? "& " : " ") + identifier;
      parameter.argument = !outer.data ? outer.text
                           : on_device_ && !actual.written
                               ? load(at, actual.edge, outer, actual.subset, place)
                               : element(outer, actual.subset, place);
      if (actual.written && outer.data && !(outer.data->dtype == data->dtype) &&
          outer.data->dtype.bytes() == data->dtype.bytes())
        parameter.argument =
            "reinterpret_cast<" + type_name(data->dtype, place) + "&>(" + parameter.argument + ")";
    } else {
      const Array* array = data->as_array();
      if (!array) {
        fail(place, "no code for containers of kind " + data->json_type());
        continue;
      }
      const bool exclusive = reached[outer.memory()] == 1 && !references && !outer.aliased &&
                             !array->may_alias;
      bound.aliased = !exclusive;
      const std::string type = type_name(data->dtype, place);
      bound.row = on_device_ && bound.device;
      parameter.declaration = (on_device_ && !actual.written ? "const " : "") + type + "* " +
                              (exclusive ? "__restrict__ " : "") + identifier;
      parameter.argument = pointer(outer, actual.subset, place);
      if (outer.data && !(outer.data->dtype == data->dtype))
        parameter.argument = "reinterpret_cast<" + type + "*>(" + parameter.argument + ")";
    }
    if (on_device_ && (bound.kind == Binding::Struct || bound.kind == Binding::Stream))
      fail(place, "kernels take no structures or streams, and '" + connector + "' is one");
    callee.bind(connector, bound);
    parameters.push_back(std::move(parameter));
  }
  const TypeTable inner_types = symbol_types(inner);
  const auto add_symbol = [&](const std::string& symbol, const Expr& value) {
    const auto declared = inner.symbols.find(symbol);
    Type type = declared != inner.symbols.end() ? declared->second : Type();
    if (!type.known())
      if (const auto found = inner_types.find(symbol); found != inner_types.end())
        type = found->second;
    if (!type.known()) type = type_of(value, types_);
    const std::string identifier = cpp_name(symbol);
    if (type.base() == BaseType::Callback) {
      parameters.push_back({program_.callback_declaration(type, identifier, place), identifier,
                            print(value, place)});
      return;
    }
    parameters.push_back({symbol_type(type) + " " + identifier, identifier, print(value, place)});
    if (on_device_) pass_lane(callee, parameters, symbol, value, place);
  };
  for (const auto& [symbol, value] : nested.symbol_mapping)
    if (!actuals.contains(symbol) && !inner.constants.contains(symbol)) add_symbol(symbol, value);
  if (const auto known = printed_.find(&nested); known != printed_.end()) {
    // The body of a batched loop is printed twice: both call one function.
    std::vector<std::string> again;
    for (const std::string& used : known->second.parameters)
      for (const Parameter& p : parameters)
        if (p.identifier == used) again.push_back(p.argument);
    return at.out.line(known->second.name + "(" + join(again, ", ") + ");");
  }
  const std::vector<Parameter> all = parameters;
  const std::vector<std::string> arguments =
      callee.emit(std::move(parameters), at.where.in_scope && !nested.no_inline);
  if (on_device_) {
    Printed& printed = printed_[&nested];
    printed.name = name;
    std::size_t next = 0;
    for (const Parameter& p : all)
      if (next < arguments.size() && p.argument == arguments[next])
        printed.parameters.push_back(p.identifier), ++next;
  }
  at.out.line(name + "(" + join(arguments, ", ") + ");");
}

}  // namespace sdfg
