#include "codegen/sdfg_function.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/signature.h"
#include "ir/replace.h"
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

/// The function of that name, which something local may hide.
std::string SdfgFunction::function(const std::string& name) const {
  return (used_names_.contains(name) ? "::" : "") + name;
}

/// Prints a nested SDFG as a function, and the call.
class SdfgFunction::NestedEmitter {
 public:
  NestedEmitter(SdfgFunction& function, At& at, NodeId id)
      : f_(function), at_(at), state_(at.state), id_(id), node_(*at.state[id].as<NestedSdfg>()),
        inner_(**node_.sdfg), place_(at.node_place(id)) {}
  void emit();

 private:
  /// What a connector stands for.
  struct Actual {
    Binding binding;
    Subset subset;
    NodeId node;
    bool written = false, conflict = false;
    EdgeId edge{};
  };
  void collect();
  void note(EdgeId edge, const std::string& connector, NodeId end, bool write);
  void pass_container(SdfgFunction& callee, const std::string& connector, const Actual& actual);
  Parameter stream(const Data& data, const std::string& name, const Actual& actual);
  Parameter scalar(const Data& data, const std::string& name, const Actual& actual,
                   Binding& bound);
  bool is_exclusive(const Binding& outer) const;
  bool may_change(const Actual& actual) const;
  Parameter array(const Data& data, const std::string& name, const Actual& actual, Binding& bound);
  void pass_symbol(SdfgFunction& callee, const std::string& symbol, const Expr& value);
  void call_again(const Printed& printed);
  void call(SdfgFunction& callee, const std::string& name);

  SdfgFunction& f_;
  At& at_;
  const State& state_;
  NodeId id_;
  const NestedSdfg& node_;
  const Sdfg& inner_;
  Place place_;
  ByName<Actual> actuals_;  ///< by connector
  std::map<std::string, int> reached_;  ///< connectors that lead to some memory
  bool references_ = false;             ///< some lead to memory that others may lead to, too
  std::vector<Parameter> parameters_;
  SymbolSet assigned_;  ///< inside
};

void SdfgFunction::emit_nested(At& at, NodeId id) {
  if (!at.state[id].as<NestedSdfg>()->sdfg)
    return fail(at.node_place(id), "the nested SDFG is in another file, which was not loaded");
  NestedEmitter(*this, at, id).emit();
}

void SdfgFunction::NestedEmitter::emit() {
  collect();
  std::string name = f_.program_.fresh_name(node_.label.empty() ? inner_.name : node_.label);
  SdfgFunction callee(f_.program_, inner_, name, at_.where, place_.in("sdfg " + inner_.name),
                      f_.name_);
  for (const auto& [connector, actual] : actuals_) pass_container(callee, connector, actual);
  // A symbol that is assigned inside before it is read is a local variable, and one that scopes
  // hide where it would be read is their parameter: what the mapping gives these is no argument of
  // the program (signature.h).
  assigned_ = assigned_symbols(inner_);
  const SymbolSet hidden = names_of_scopes(inner_);
  std::optional<SymbolSet> needed;
  const auto comes_from_outside = [&](const std::string& symbol) {
    if (!assigned_.contains(symbol) && !hidden.contains(symbol)) return true;
    if (!needed) needed = symbols_needed_by_code(inner_);
    return needed->contains(symbol);
  };
  for (const auto& [symbol, value] : node_.symbol_mapping)
    if (!actuals_.contains(symbol) && !inner_.constants.contains(symbol) &&
        comes_from_outside(symbol))
      pass_symbol(callee, symbol, value);
  const auto known = f_.printed_.find(&node_);
  known != f_.printed_.end() ? call_again(known->second) : call(callee, name);
}

void SdfgFunction::NestedEmitter::collect() {
  for (EdgeId e : state_.in(id_)) {
    const std::string& connector = state_[e].dst_connector;
    const auto variable = at_.code_variables.find(e);
    if (variable != at_.code_variables.end())
      actuals_[connector] = {{Binding::Value,
                              variable->second + (popped_by(state_, e) ? "[0]" : ""), nullptr},
                             {},
                             {}};
    else
      note(e, connector, path_source(state_, e), false);
  }
  for (EdgeId e : state_.out(id_)) note(e, state_[e].src_connector, path_target(state_, e), true);

  // Two connectors into one container may overlap, so neither pointer is exclusive.
  for (const auto& [connector, actual] : actuals_) {
    ++reached_[actual.binding.memory()];
    references_ |= actual.binding.data && actual.binding.data->is_reference();
  }
}

void SdfgFunction::NestedEmitter::note(EdgeId edge, const std::string& connector, NodeId end,
                                       bool write) {
  const Memlet& memlet = state_[edge].memlet;
  if (connector.empty() || memlet.empty()) return;
  const Binding bound = state_[end].is<AccessNode>() ? f_.end_binding(at_, end, memlet.data)
                                                     : f_.binding(memlet.data, place_);
  if (!bound.data) return;
  Subset subset = f_.subset_or_whole(memlet.subset(), *bound.data);
  const bool conflict = write && at_.where.parallel && f_.conflicts(at_, edge, bound, subset);
  auto [found, is_new] = actuals_.try_emplace(connector);
  Actual& actual = found->second;
  if (is_new) actual = {bound, std::move(subset), end, write, conflict, edge};
  actual.written |= write;
  actual.conflict |= conflict;
}

void SdfgFunction::NestedEmitter::pass_container(SdfgFunction& callee,
                                                 const std::string& connector,
                                                 const Actual& actual) {
  const Data* data = inner_.find_data(connector);
  if (!data) return f_.fail(place_, "the connector '" + connector + "' is no container inside");
  const std::string name = cpp_name(connector);
  const Binding& outer = actual.binding;
  Binding bound{Binding::Pointer, name, data, outer.shared || actual.conflict};
  bound.device = outer.device;
  bound.own = outer.own;
  Parameter parameter;
  if (const auto* structure = std::get_if<Structure>(&data->kind)) {
    bound.kind = Binding::Struct;
    parameter.declaration = f_.program_.structure_type(*structure, place_) + "* " + name;
    parameter.argument =
        outer.kind == Binding::Struct ? outer.text : f_.pointer(outer, actual.subset, place_);
  } else if (data->is_stream()) {
    bound.kind = Binding::Stream;
    parameter = stream(*data, name, actual);
  } else if (data->is_scalar()) {
    bound.kind = Binding::Value;
    parameter = scalar(*data, name, actual, bound);
  } else if (data->as_array()) {
    parameter = array(*data, name, actual, bound);
  } else {
    return f_.fail(place_, "no code for containers of kind " + data->json_type());
  }
  if (f_.on_device_ && (bound.kind == Binding::Struct || bound.kind == Binding::Stream))
    f_.fail(place_, "kernels take no structures or streams, and '" + connector + "' is one");
  parameter.identifier = name;
  callee.bind(connector, bound);
  parameters_.push_back(std::move(parameter));
}

SdfgFunction::Parameter SdfgFunction::NestedEmitter::stream(const Data& data,
                                                            const std::string& name,
                                                            const Actual& actual) {
  const bool single = data.shape.size() == 1 && data.shape[0].as_integer() == 1;
  return {"sdfg::Stream<" + f_.type_name(data.dtype, place_) + ">" + (single ? "& " : "* ") + name,
          name,
          single ? f_.stream_element(actual.binding, actual.subset, place_) : actual.binding.text};
}

/// Does nothing else that is passed lead to the memory?
bool SdfgFunction::NestedEmitter::is_exclusive(const Binding& outer) const {
  return reached_.at(outer.memory()) == 1 && !references_ && !outer.aliased;
}

/// May what is inside write to the memory of an input by another name?
bool SdfgFunction::NestedEmitter::may_change(const Actual& actual) const {
  const Binding& outer = actual.binding;
  return outer.data && std::ranges::any_of(actuals_, [&](const auto& entry) {
    const Actual& other = entry.second;
    return other.written && &other != &actual &&
           (other.binding.memory() == outer.memory() || references_ ||
            (other.binding.aliased && outer.aliased));
  });
}

SdfgFunction::Parameter SdfgFunction::NestedEmitter::scalar(const Data& data,
                                                            const std::string& name,
                                                            const Actual& actual, Binding& bound) {
  const Binding& outer = actual.binding;
  const bool changes = actual.written || may_change(actual);
  bound.aliased = !is_exclusive(outer);
  const std::string type = f_.type_name(data.dtype, place_);
  std::string argument = !outer.data ? outer.text
                         : f_.on_device_ && !changes
                             ? f_.load(at_, actual.edge, outer, actual.subset, place_)
                             : f_.element(outer, actual.subset, place_);
  // The host cannot load a value from memory of the GPU, only hand on where it is.
  // As in array: what is handed on to a pointer must not be const.
  const bool by_reference = changes || (outer.device && !f_.on_device_);
  if (by_reference && outer.data && !(outer.data->dtype == data.dtype) &&
      outer.data->dtype.bytes() == data.dtype.bytes())
    argument = "reinterpret_cast<" + type + "&>(" + argument + ")";
  return {type + (by_reference ? "& " : " ") + name, name, std::move(argument)};
}

SdfgFunction::Parameter SdfgFunction::NestedEmitter::array(const Data& data,
                                                           const std::string& name,
                                                           const Actual& actual, Binding& bound) {
  const Binding& outer = actual.binding;
  const bool exclusive = is_exclusive(outer) && !data.as_array()->may_alias;
  bound.aliased = !exclusive;
  // A kernel has scalars of the host by value: each thread its own.
  if (f_.on_device_ && outer.kind == Binding::Value && !outer.device && !actual.written)
    bound.own = true;
  bound.row = bound.device;
  const std::string type = f_.type_name(data.dtype, place_);
  std::string argument = f_.pointer(outer, actual.subset, place_);
  if (outer.data && !(outer.data->dtype == data.dtype))
    argument = "reinterpret_cast<" + type + "*>(" + argument + ")";
  // What is written by another name may go on to a nested SDFG that changes it in place.
  const bool constant = f_.on_device_ && !f_.program_.has_references && !actual.written &&
                        !may_change(actual);
  return {(constant ? "const " : "") + type + "* " + (exclusive ? "__restrict__ " : "") + name,
          name, std::move(argument)};
}

void SdfgFunction::NestedEmitter::pass_symbol(SdfgFunction& callee, const std::string& symbol,
                                              const Expr& value) {
  const auto declared = inner_.symbols.find(symbol);
  Type type = declared != inner_.symbols.end() ? declared->second : Type();
  if (!type.known())
    if (const auto found = callee.types_.find(symbol); found != callee.types_.end())
      type = found->second;
  if (!type.known()) type = type_of(value, f_.types_);
  const std::string name = cpp_name(symbol),
                    argument = f_.narrowed(f_.print(value, place_), type, value);
  const bool callback = type.base() == BaseType::Callback;
  parameters_.push_back({callback ? f_.program_.callback_declaration(type, name, place_)
                                  : symbol_type(type) + " " + name,
                         name, argument});
  // One that changes inside does not stay what the thread is.
  if (f_.on_device_ && !callback && !assigned_.contains(symbol))
    f_.pass_lane(callee, parameters_, symbol, value, place_);
}

/// The body of a batched loop is printed twice: both call one function.
void SdfgFunction::NestedEmitter::call_again(const Printed& printed) {
  std::vector<std::string> arguments;
  for (const std::string& used : printed.parameters)
    for (const Parameter& p : parameters_)
      if (p.identifier == used) arguments.push_back(p.argument);
  at_.out.line(f_.function(printed.name), "(", join(arguments, ", "), ");");
}

void SdfgFunction::NestedEmitter::call(SdfgFunction& callee, const std::string& name) {
  const std::vector<std::string> arguments =
      callee.emit(parameters_, at_.where.in_scope && !node_.no_inline);
  if (f_.on_device_) {
    Printed& printed = f_.printed_[&node_];
    printed.name = name;
    std::size_t next = 0;
    for (const Parameter& p : parameters_)
      if (next < arguments.size() && p.argument == arguments[next])
        printed.parameters.push_back(p.identifier), ++next;
  }
  at_.out.line(f_.function(name), "(", join(arguments, ", "), ");");
}

}  // namespace sdfg
