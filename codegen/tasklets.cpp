// Tasklets, in one of two forms: a line, or a block in which connectors are variables.

#include <algorithm>

#include "codegen/tasklet_emitter.h"

namespace sdfg {

namespace {

/// How often a name is read.
int count_uses(const Expr& expr, const std::string& name) {
  int uses = expr.is_symbol(name);
  for (const Expr& a : expr.args()) uses += count_uses(a, name);
  return uses;
}

const auto* find_end(const auto& ends, const std::string& connector) {
  const auto found =
      std::ranges::find_if(ends, [&](const auto& end) { return end.first == connector; });
  return found == ends.end() ? nullptr : &found->second;
}

constexpr const char* unused = "[[maybe_unused]] ";

}  // namespace

void SdfgFunction::emit_tasklet(At& at, NodeId id) { TaskletEmitter(*this, at, id).emit(); }

SdfgFunction::TaskletEmitter::TaskletEmitter(SdfgFunction& function, At& at, NodeId id)
    : f_(function),
      at_(at),
      id_(id),
      node_(at.state[id]),
      tasklet_(*node_.as<Tasklet>()),
      place_(at.node_place(id)),
      python_(tasklet_.code.language() == Language::Python) {}

void SdfgFunction::TaskletEmitter::emit() {
  const Language language = tasklet_.code.language();
  if (!python_ && language != Language::Cpp)
    return f_.fail(place_, "no code for tasklets in " + std::string(to_text(language)));
  const Statements* statements = tasklet_.code.statements();
  if (python_ && !statements && !tasklet_.code.empty())
    return f_.fail(place_, "the code does not parse: " + tasklet_.code.syntax_error()->message);
  if (python_ && statements) note_names(*statements);
  in_ends_.reserve(at_.state.in(id_).size());
  out_ends_.reserve(at_.state.out(id_).size());
  for (EdgeId e : at_.state.in(id_)) add_input(e);
  for (EdgeId e : at_.state.out(id_)) add_output(e);
  add_constants();
  if (const Assign* assign = only_assignment(); assign && fits_line(*assign))
    emit_line(*assign);
  else
    emit_block();
  f_.code_names_.clear();
}

// ---- One line.

/// The usual tasklet is one assignment of an expression to a scalar output.
const Assign* SdfgFunction::TaskletEmitter::only_assignment() const {
  const Statements* statements = tasklet_.code.statements();
  if (!python_ || !statements || statements->size() != 1) return nullptr;
  const auto* assign = std::get_if<Assign>(&statements->front().kind);
  const bool plain =
      assign && !assign->augmented && !assign->annotation && assign->target.is(Op::Symbol);
  return plain ? assign : nullptr;
}

bool SdfgFunction::TaskletEmitter::fits_line(const Assign& assign) const {
  const auto to = outputs_.find(assign.target.name());
  if (to == outputs_.end() || outputs_.size() != 1 || to->second.array) return false;
  return std::ranges::none_of(inputs_, [&](const auto& input) {
    const auto& [name, port] = input;
    const bool long_one = !port.array && port.text.size() > 40;
    return port.stream || (long_one && count_uses(assign.value, name) > 2);
  });
}

void SdfgFunction::TaskletEmitter::emit_line(const Assign& assign) {
  const TaskletPort& to = outputs_.begin()->second;
  TaskletCode printer = code();
  std::string value = printer.expr(assign.value);
  finish(printer);
  const End* end = out_ends_.empty() ? nullptr : &out_ends_.front().second;
  const Type* stored = end ? &end->binding.data->dtype : nullptr;
  if (end && end->type.is_scalar() && !(end->type == *stored) && stored->is_scalar())
    value = f_.type_name(end->type, place_) + "(" + value + ")";
  std::string line;
  if (to.write) {
    line = to.write("", value);
  } else {
    line = to.text + " = " + value + ";";
    if (end && at_.pending.erase(end->binding.text))
      line = (f_.on_device_ && f_.is_final(at_, end->edge) ? "const " : "") +
             f_.type_name(*stored, place_) + " " + line;
  }
  at_.out.line(line, tasklet_.label.empty() ? "" : "  // ", tasklet_.label);
}

// ---- A block.

void SdfgFunction::TaskletEmitter::emit_block() {
  for (const auto& [connector, end] : out_ends_)
    if (at_.pending.erase(end.binding.text))
      at_.out.line(f_.type_name(end.binding.data->dtype, place_), " ", end.binding.text, "{};");
  at_.out.open("");
  at_.out.line("// tasklet ", tasklet_.label);
  note_symbols();
  if (!python_) check_foreign_names();
  for (auto& [connector, port] : inputs_) declare_input(connector, port);
  Writer stores(at_.out.depth());
  for (auto& [connector, port] : outputs_) declare_output(connector, port, stores);
  if (python_) {
    TaskletCode printer = code();
    printer.print(at_.out);
    finish(printer);
  } else {
    print_foreign_code();
  }
  at_.out.raw(stores.text());
  at_.out.close();
}

/// Code that is not ours to print finds the array under the connector's name.
void SdfgFunction::TaskletEmitter::declare_array(const std::string& connector,
                                                 const TaskletPort& port) {
  if (!python_)
    at_.out.line(unused + f_.type_name(port.type, place_) + " " + cpp_name(connector) + " = " +
                 port.text + (port.offset == "0" ? "" : " + " + port.offset) + ";");
}

void SdfgFunction::TaskletEmitter::declare_input(const std::string& connector, TaskletPort& port) {
  const std::string name = own_name(connector);
  const End* end = find_end(in_ends_, connector);
  const bool pops = port.stream && !memlet(*end).dynamic &&
                    (python_ || memlet(*end).volume.as_integer() == 1);
  if (port.stream && !pops) {
    if (!python_) at_.out.line(unused + ("auto& " + name) + " = " + port.text + ";");
    return;
  }
  if (port.array) return declare_array(connector, port);
  if (pops) {  // one element, however often the code reads it
    at_.out.line(unused, f_.type_name(port.type, place_), " ", name, " = ", port.text, ".pop();");
    port.stream = false;
  } else if (end && end->binding.kind == Binding::Struct) {
    at_.out.line(unused + ("auto* " + name) + " = " + port.text + ";");
  } else {
    const bool reference = end && memlet(*end).dynamic && !port.text.ends_with(")");
    at_.out.line(unused, reference ? "const " : "", f_.type_name(port.type, place_),
                 reference ? "& " : " ", name, " = ", port.text, ";");
  }
  port.text = name;
}

void SdfgFunction::TaskletEmitter::declare_output(const std::string& connector, TaskletPort& port,
                                                  Writer& stores) {
  const std::string name = own_name(connector);
  const End* end = find_end(out_ends_, connector);
  if (!end) {
    if (!python_) at_.out.line("auto& " + name + " = " + port.text + ";");
    return;
  }
  const bool dynamic = memlet(*end).dynamic;
  if (port.stream) {
    if (!python_ && (dynamic || !is_one_element(end->subset))) {
      at_.out.line(unused + ("auto& " + name) + " = " + port.text + ";");
    } else if (!dynamic) {
      at_.out.line(f_.type_name(end->binding.data->dtype, place_) + " " + name + "{};");
      stores.line(port.text + ".push(" + name + ");");
      port.write = nullptr;
      port.text = name;
      port.stream = false;
    }
    return;
  }
  if (port.array) return declare_array(connector, port);
  if (end->binding.kind == Binding::Struct) {
    at_.out.line(unused + ("auto& " + name) + " = " + port.text + ";");
    port.text = name;
    return;
  }
  if (dynamic && python_) return;  // each assignment is a write
  port.write ? stores.line(port.write("", name)) : stores.line(port.text, " = ", name, ";");
  at_.out.line(python_ ? "" : unused, f_.type_name(port.type, place_), " ", name, "{};");
  port.write = nullptr;
  port.text = name;
}

/// Connectors hide what is around, and so does what is declared for them here.
void SdfgFunction::TaskletEmitter::check_foreign_names() {
  for (const auto* connectors : {&node_.in_connectors, &node_.out_connectors})
    for (const auto& [name, type] : *connectors)
      if (finds_elements_.contains(name))
        f_.fail(place_, "the connector '" + name + "' hides the symbol of that name, with which " +
                            "elements are found that the code uses",
                "give the connector another name");
}

void SdfgFunction::TaskletEmitter::print_foreign_code() {
  at_.out.verbatim(tasklet_.code.text());
  Program& program = f_.program_;
  program.foreign_code = true;
  for (const std::string& field : *tasklet_.state_fields)
    Program::add_once(program.state_fields, field + (field.ends_with(";") ? "" : ";"));
  if (!tasklet_.code_global->empty())
    Program::add_once(program.global_lines, tasklet_.code_global->text());
  if (!tasklet_.code_init->empty())
    Program::add_once(program.init_lines, tasklet_.code_init->text());
  if (!tasklet_.code_exit->empty())
    Program::add_once(program.exit_lines, tasklet_.code_exit->text());
}

TaskletCode SdfgFunction::TaskletEmitter::code() const {
  return TaskletCode(tasklet_.code, inputs_, outputs_, f_.types_,
                     [this](const std::string& name, bool index) {
                       return outer_name(name, index);
                     },
                     [this](const std::string& name) { return own_name(name); });
}

/// Symbols have 64 bits in functions, and indices are computed so; code reads them as what they
/// are.
std::string SdfgFunction::TaskletEmitter::outer_name(const std::string& name, bool index) const {
  if (const auto found = f_.bindings_.find(name); found != f_.bindings_.end())
    return found->second.text;
  if (index) return f_.symbolic().name(name);
  const std::string text = cpp_name(name);
  const auto symbol = f_.sdfg_.symbols.find(name);
  if (symbol == f_.sdfg_.symbols.end() || !symbol->second.is_signed_integer() ||
      symbol->second.bytes() == 8 || at_.params.contains(name))
    return text;
  return *cpp_type(symbol->second) + "(" + text + ")";
}

/// What a connector or a local of Python code is called: where elements are found with a symbol of
/// that name, something else. Other code has to find its connectors.
std::string SdfgFunction::TaskletEmitter::own_name(const std::string& name) const {
  const bool hides = python_ && finds_elements_.contains(name);
  return hides ? f_.local_name(cpp_name(name)) : cpp_name(name);
}

void SdfgFunction::TaskletEmitter::note_symbols() {
  for (const Ends* ends : {&in_ends_, &out_ends_})
    for (const auto& [connector, end] : *ends) {
      for (const Range& range : end.subset.ranges) collect_symbols(range.begin, finds_elements_);
      if (const Array* array = end.binding.data->as_array())
        for (const Expr& stride : array->strides) collect_symbols(stride, finds_elements_);
    }
}

void SdfgFunction::TaskletEmitter::finish(const TaskletCode& code) {
  if (!code.problem().empty()) f_.fail(place_, code.problem());
  for (const std::string& function : code.called())
    if (!f_.sdfg_.symbols.contains(function)) f_.program_.foreign_code = true;
}

std::string SdfgFunction::stream_element(const Binding& stream, const Subset& subset,
                                         const Place& place) const {
  const Data& data = *stream.data;
  if (data.shape.size() == 1 && data.shape[0].as_integer() == 1) return stream.text;
  const std::vector<Expr> strides = c_strides(data.shape);
  Expr at = 0;
  for (std::size_t d = 0; d < subset.rank() && d < strides.size(); ++d)
    at = at + subset[d].begin * strides[d];
  return stream.text + "[" + print(at, place) + "]";
}

}  // namespace sdfg
