#include "codegen/tasklet_code.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "codegen/block_locals.h"
#include "codegen/interpreter/functions.h"
#include "ir/analysis/expression_types.h"
#include "ir/result_arguments.h"
#include "ir/type.h"

namespace sdfg {

namespace {

std::string_view operator_text(Op op) {
  switch (op) {
    case Op::Add: return "+=";
    case Op::Sub: return "-=";
    case Op::Mul: return "*=";
    case Op::Div: return "/=";
    case Op::BitAnd: return "&=";
    case Op::BitOr: return "|=";
    case Op::BitXor: return "^=";
    case Op::LeftShift: return "<<=";
    case Op::RightShift: return ">>=";
    default: return {};
  }
}

/// Names that are read behind a loop over them, and those that are read before or without one.
struct ReadBehind {
  SymbolSet around, ended, found, others;

  void read(const Expr& e) {
    for (const std::string& name : free_symbols(e))
      if (!around.contains(name)) (ended.contains(name) ? found : others).insert(name);
  }
  void add(const Statements& statements) {
    for (const Statement& s : statements) {
      if (const auto* a = std::get_if<Assign>(&s.kind)) {
        read(a->value);
        if (a->augmented || !a->target.is(Op::Symbol)) read(a->target);
      } else if (const auto* e = std::get_if<ExprStatement>(&s.kind)) {
        read(e->value);
      } else if (const auto* i = std::get_if<IfStatement>(&s.kind)) {
        read(i->condition);
        add(i->then), add(i->otherwise);
      } else if (const auto* w = std::get_if<WhileStatement>(&s.kind)) {
        read(w->condition);
        add(w->body);
      } else if (const auto* f = std::get_if<ForStatement>(&s.kind)) {
        read(f->iterable);
        if (!f->target.is(Op::Symbol)) continue;
        const bool outermost = around.insert(f->target.name()).second;
        add(f->body);
        if (outermost) around.erase(f->target.name());
        ended.insert(f->target.name());
      }
    }
  }
};

/// Names that the statements give values, whole or in part.
void collect_assigned(const Statements& statements, SymbolSet& out) {
  for (const Statement& s : statements) {
    if (const auto* a = std::get_if<Assign>(&s.kind)) {
      const Expr& target = a->target;
      collect_symbols(target.is(Op::Subscript) ? target.arg(0) : target, out);
    } else if (const auto* i = std::get_if<IfStatement>(&s.kind)) {
      collect_assigned(i->then, out), collect_assigned(i->otherwise, out);
    } else if (const auto* w = std::get_if<WhileStatement>(&s.kind)) {
      collect_assigned(w->body, out);
    } else if (const auto* f = std::get_if<ForStatement>(&s.kind)) {
      collect_symbols(f->target, out);
      collect_assigned(f->body, out);
    }
  }
}

}  // namespace

/// `nested`: inside an inner block.
void TaskletCode::Locals::add(const Statements& statements, bool nested) {
  for (const Statement& s : statements) {
    if (const auto* a = std::get_if<Assign>(&s.kind)) {
      if (!a->target.is(Op::Symbol)) continue;
      const std::string& name = a->target.name();
      if (!values.contains(name)) order.push_back(name);
      values[name].push_back(a->augmented ? Expr::make(*a->augmented, {a->target, a->value})
                                          : a->value);
      if (a->annotation) annotation[name] = *a->annotation;
      if (nested) inner.insert(name);
    } else if (const auto* i = std::get_if<IfStatement>(&s.kind)) {
      add(i->then, true), add(i->otherwise, true);
    } else if (const auto* w = std::get_if<WhileStatement>(&s.kind)) {
      add(w->body, true);
    } else if (const auto* f = std::get_if<ForStatement>(&s.kind)) {
      if (f->target.is(Op::Symbol)) counters.insert(f->target.name());
      add(f->body, true);
    }
  }
}

TaskletCode::TaskletCode(const Code& code, const TaskletPorts& inputs, const TaskletPorts& outputs,
                         const TypeTable& types,
                         std::function<std::string(const std::string&, bool)> outer_name,
                         std::function<std::string(const std::string&)> own_name)
    : code_(code), inputs_(inputs), outputs_(outputs), types_(types),
      outer_name_(std::move(outer_name)), own_name_(std::move(own_name)) {
  printer_.override = [this](const Expr& e) { return access(e); };
  printer_.name = [this](const std::string& name) {
    const auto local = locals_.find(name);
    return local != locals_.end() ? local->second : outer_name_(name, in_index_);
  };
}

const std::string& TaskletCode::add_local(const std::string& name) {
  const auto [local, is_new] = locals_.try_emplace(name);
  if (is_new) local->second = own_name_(name);
  return local->second;
}

const TaskletPort* TaskletCode::input(const std::string& name) const {
  if (locals_.contains(name)) return nullptr;
  if (const auto in = inputs_.find(name); in != inputs_.end()) return &in->second;
  if (const auto out = outputs_.find(name); out != outputs_.end()) return &out->second;
  return nullptr;
}

const TaskletPort* TaskletCode::port(const std::string& name) const {
  if (const auto out = outputs_.find(name); out != outputs_.end()) return &out->second;
  return input(name);
}

std::string TaskletCode::index(const TaskletPort& port, const Expr& subscript) const {
  std::vector<Expr> at(subscript.args().begin() + 1, subscript.args().end());
  if (at.size() == 1 && at[0].is(Op::Tuple)) {
    const Expr tuple = at[0];
    at.assign(tuple.args().begin(), tuple.args().end());
  }
  std::string out = port.offset == "0" ? "" : port.offset;
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (at[d].is(Op::Slice)) {
      if (printer_.problem.empty()) printer_.problem = "no slices in tasklets";
      return "0";
    }
    if (at[d].as_integer() == 0) continue;
    const std::string stride = d < port.strides.size() ? port.strides[d] : "1";
    if (stride == "0") continue;
    std::string term =
        stride == "1" ? printer_.operand(at[d]) : stride + " * " + printer_.operand(at[d]);
    if (stride == "1" && at.size() == 1 && out.empty()) term = printer_.print(at[d]);
    out += (out.empty() ? "" : " + ") + term;
  }
  return out.empty() ? "0" : out;
}

std::string TaskletCode::element(const TaskletPort& port, const Expr& subscript) const {
  const bool around = std::exchange(in_index_, true);
  std::string text = element_at(port, subscript);
  in_index_ = around;
  return text;
}

std::string TaskletCode::element_at(const TaskletPort& port, const Expr& subscript) const {
  if (!port.element) return port.text + "[" + index(port, subscript) + "]";
  std::vector<Expr> at(subscript.args().begin() + 1, subscript.args().end());
  if (at.size() == 1 && at[0].is(Op::Tuple)) {
    const Expr tuple = at[0];
    at.assign(tuple.args().begin(), tuple.args().end());
  }
  for (const Expr& i : at)
    if (i.is(Op::Slice)) return index(port, subscript);  // which says that there are none
  return port.element(at, printer_);
}

/// Functions of the caller get arrays by their address, of one element as well.
std::string TaskletCode::callback_argument(const Expr& argument) const {
  const TaskletPort* found = argument.is(Op::Symbol) ? input(argument.name()) : nullptr;
  if (!found || !found->array || !found->single) return printer_.print(argument);
  return found->offset == "0" ? found->text : found->text + " + " + found->offset;
}

/// DaCe's math.f of integers is cut to their type.
std::optional<std::string> TaskletCode::integer_call(const Expr& call) const {
  const std::size_t dot = call.name().rfind('.'), count = call.args().size();
  if (dot == std::string::npos || count == 0 || count > 2) return std::nullopt;
  const std::string name = call.name().substr(dot + 1);
  const std::array types{BaseType::Int64, BaseType::Int64};
  const auto function = interpreter::find_function(name, true, std::span(types).first(count));
  if (!function || function->result_as == BaseType::Unknown) return std::nullopt;
  if (!all_types_) {
    all_types_ = types_read();
    all_types_->merge(types_assigned(code_, *all_types_));
  }
  const std::vector<Expr> args(call.args().begin(), call.args().end());
  const bool integers = std::ranges::all_of(args, [&](const Expr& arg) {
    const Type type = type_of(arg, *all_types_);
    return type.is_integer() || type.is_bool();
  });
  if (!integers) return std::nullopt;
  const Expr own = count == 1 ? args[0] : Expr::make(Op::Add, args);
  const std::string value = printer_.print(Expr::make(Op::Call, args, name));
  return "sdfg::like(" + printer_.print(own) + ", " + value + ")";
}

std::optional<std::string> TaskletCode::access(const Expr& e) const {
  if (e.is(Op::Call)) {
    const auto type = types_.find(e.name());
    if (type == types_.end() || type->second.base() != BaseType::Callback) return integer_call(e);
    printer_.called.insert(e.name());
    std::string out = printer_.name(e.name()) + "(";
    for (std::size_t i = 0; i < e.args().size(); ++i)
      out += (i ? ", " : "") + callback_argument(e.arg(i));
    return out + ")";
  }
  if (e.is(Op::Symbol)) {
    const TaskletPort* found = input(e.name());
    if (!found) return std::nullopt;
    if (found->stream) return found->text + ".pop()";
    if (!found->array) return found->text;
    if (found->single && found->element) return found->element({}, printer_);
    if (found->single) return found->text + "[" + found->offset + "]";
    return found->offset == "0" ? found->text : "(" + found->text + " + " + found->offset + ")";
  }
  if (e.is(Op::Subscript) && e.arg(0).is(Op::Symbol)) {
    const TaskletPort* found = input(e.arg(0).name());
    if (!found) return std::nullopt;
    if (!found->array) return found->text;  // a value indexed with 0
    return element(*found, e);
  }
  return std::nullopt;
}

/// Of the connectors and of the names that the code reads.
TypeTable TaskletCode::types_read() const {
  SymbolSet names;
  collect_symbols(code_, {}, names);
  TypeTable types;
  for (const std::string& name : names)
    if (const auto found = types_.find(name); found != types_.end()) types.insert(*found);
  for (const auto& [name, port] : inputs_) types[name] = port.type.element();
  for (const auto& [name, port] : outputs_) types[name] = port.type.element();
  return types;
}

/// What is counted by a loop and read behind it, or assigned elsewhere.
void TaskletCode::declare_counters(Writer& out, const Statements& statements) {
  if (found_.counters.empty()) return;
  ReadBehind behind;
  behind.add(statements);
  const auto declare = [&](const std::string& name) {
    if (!outputs_.contains(name) && !inputs_.contains(name) && !locals_.contains(name))
      out.line("int64_t ", add_local(name), "{};");
  };
  for (const std::string& name : found_.order)
    if (found_.counters.contains(name)) declare(name);
  for (const std::string& name : behind.found)
    if (!behind.others.contains(name)) declare(name);
}

/// What the statement assigns first and others read, too.
void TaskletCode::declare_locals(Writer& out, const Statement& statement) {
  for_each_target(statement, [&](const std::string& name) {
    if (!all_blocks_.contains(name) || locals_.contains(name) || outputs_.contains(name)) return;
    if (const auto in = inputs_.find(name); in != inputs_.end() && !in->second.array)
      return;  // Python lets code overwrite an input, which keeps its type
    std::optional<std::string> type;
    if (const auto a = found_.annotation.find(name); a != found_.annotation.end()) {
      std::string text = print_python(a->second);
      if (const auto dot = text.rfind('.'); dot != std::string::npos) text = text.substr(dot + 1);
      if (const auto known = Type::scalar_from_text(text)) type = cpp_type(*known);
    }
    const auto values = found_.values.find(name);
    if (!type && (values == found_.values.end() || uses_symbol(values->second[0], name))) return;
    if (!type) type = type_of_value(values->second[0]);
    out.line(*type, " ", add_local(name), "{};");
  });
}

/// As `auto` makes it of a value, which may stand inside of loops.
std::string TaskletCode::type_of_value(const Expr& value) {
  std::vector<std::string> counters;
  for (const std::string& name : found_.counters)
    if (uses_symbol(value, name) && locals_.try_emplace(name, "int64_t()").second)
      counters.push_back(name);
  std::string type = "decltype(sdfg::as_value(" + printer_.print(value) + "))";
  for (const std::string& name : counters) locals_.erase(name);
  return type;
}

void TaskletCode::assign(Writer& out, const Assign& a) {
  if (a.only_declares()) return;  // declare_locals has, unless it is a connector
  const Expr& target = a.target;
  const auto whole = [&](const Expr& e) {
    const TaskletPort* found = e.is(Op::Symbol) ? input(e.name()) : nullptr;
    return found && found->array && !found->single;
  };
  if (whole(target) && whole(a.value))
    return give_up("'" + target.name() + "' is assigned as a whole, but is an array");
  if (target.is(Op::Tuple)) return give_up("no assignment to several targets at once");
  std::string value = printer_.print(a.value);
  std::string left;
  const TaskletPort* to = nullptr;
  if (target.is(Op::Symbol)) {
    to = locals_.contains(target.name()) ? nullptr : port(target.name());
    if (to && !outputs_.contains(target.name()) && !to->array) {
      // Python lets code overwrite an input; it is then a local value.
      left = to->text;
      to = nullptr;
    } else if (to) {
      left = !to->array    ? to->text
             : to->element ? to->element({}, printer_)
                           : to->text + "[" + to->offset + "]";
    } else {
      if (!locals_.contains(target.name())) {
        if (a.augmented)
          return give_up("'" + target.name() + "' is changed, which is no value of the tasklet; " +
                         "an edge between states can assign a symbol");
        const std::string& name = target.name();
        const bool changes = found_.inner.contains(name) || found_.values[name].size() > 1;
        in_block_.push_back(name);
        out.line(changes ? "auto " : "const auto ", add_local(name), " = ", value, ";");
        return;
      }
      left = add_local(target.name());
    }
  } else if (target.is(Op::Subscript) && target.arg(0).is(Op::Symbol)) {
    to = port(target.arg(0).name());
    if (!to)
      return give_up("an element of '" + target.arg(0).name() +
                     "' is assigned, which is no connector");
    left = to->array ? element(*to, target) : to->text;
  } else if (target.is(Op::Attribute)) {
    left = printer_.print(target);
  } else {
    return give_up("no assignment to `" + print_python(target) + "`");
  }
  if (a.augmented) {
    const std::string_view op = operator_text(*a.augmented);
    if (op.empty()) {
      value = printer_.print(Expr::make(*a.augmented, {target, a.value}));
    } else if (!to || !to->write) {
      out.line(left, " ", op, " ", value, ";");
      return;
    } else {
      value = left + " " + std::string(op.substr(0, op.size() - 1)) + " (" + value + ")";
    }
  }
  if (to && to->write)
    out.line(to->write("&" + left, value));
  else
    out.line(left, " = ", value, ";");
}

void TaskletCode::for_loop(Writer& out, const ForStatement& loop) {
  if (!loop.target.is(Op::Symbol) || !loop.iterable.is(Op::Call) ||
      (loop.iterable.name() != "range" && loop.iterable.name() != "dace.map"))
    return give_up("only loops over range(…)");
  const auto args = loop.iterable.args();
  if (args.empty() || args.size() > 3) return give_up("range() takes one to three arguments");
  const Expr begin = args.size() == 1 ? Expr(0) : args[0];
  const Expr end = args.size() == 1 ? args[0] : args[1];
  const Expr step = args.size() == 3 ? args[2] : Expr(1);
  const bool down = step.is(Op::Neg) || (step.is(Op::Integer) && step.value() < 0);
  const bool known = step.is(Op::Integer) || step.is(Op::Neg);
  // As in Python, the range is computed once, and what the body makes of the variable does not
  // count.
  const std::string& variable = loop.target.name();
  SymbolSet changed;
  collect_assigned(loop.body, changed);
  const bool was_local = locals_.contains(variable);
  const bool own_count = was_local || changed.contains(variable);
  changed.insert(variable);
  const std::string prefix = "range_" + std::to_string(++loops_);
  const auto stays = [&](const Expr& e) {
    SymbolSet read;
    collect_symbols(e, read);
    return std::ranges::none_of(read, [&](const std::string& name) {
      const TaskletPort* found = input(name);
      return changed.contains(name) || (found && (found->array || found->stream));
    });
  };
  const auto fixed = [&](const std::string& name, const std::string& text) {
    out.line("const int64_t " + prefix + name + " = " + text + ";");
    return prefix + name;
  };
  std::string by = printer_.print(step), first = printer_.print(begin);
  std::string limit = printer_.operand(end);
  if (uses_symbol(begin, variable)) first = fixed("_begin", first);
  if (!stays(end)) limit = fixed("_end", limit);
  if (!stays(step)) by = fixed("_step", by);
  const std::string value = add_local(variable), i = own_count ? prefix : value;
  const std::string test = known ? i + (down ? " > " : " < ") + limit
                                 : by + " > 0 ? " + i + " < " + limit + " : " + i + " > " + limit;
  out.open("for (int64_t " + i + " = " + first + "; " + test + "; " + i + " += " + by + ")");
  if (own_count) out.line(was_local ? "" : "int64_t ", value, " = ", i, ";");
  block(out, loop.body);
  out.close();
  if (!was_local) locals_.erase(variable);
}

void TaskletCode::block(Writer& out, const Statements& statements) {
  const std::size_t outer = in_block_.size();
  for (const Statement& s : statements) statement(out, s);
  for (; in_block_.size() > outer; in_block_.pop_back()) locals_.erase(in_block_.back());
}

void TaskletCode::statement(Writer& out, const Statement& s) {
  if (const auto* a = std::get_if<Assign>(&s.kind)) return assign(out, *a);
  if (const auto* e = std::get_if<ExprStatement>(&s.kind)) {
    if (e->value.is(Op::String)) return;  // a comment
    if (e->value.is(Op::Call)) {
      const std::string& name = e->value.name();
      const std::size_t dot = name.find('.');
      if (dot != std::string::npos && name.substr(dot) == ".push" && e->value.args().size() == 1)
        if (const TaskletPort* to = port(name.substr(0, dot))) {
          out.line(to->text + ".push(" + printer_.print(e->value.arg(0)) + ");");
          return;
        }
      if (const Statements results = results_assigned(e->value); !results.empty()) {
        for (const Statement& result : results) statement(out, result);
        return;
      }
    }
    out.line(printer_.print(e->value) + ";");
    return;
  }
  if (const auto* i = std::get_if<IfStatement>(&s.kind)) {
    out.open("if (" + printer_.print(i->condition) + ")");
    block(out, i->then);
    if (!i->otherwise.empty()) {
      out.close("} else {");
      out.indent();
      block(out, i->otherwise);
    }
    out.close();
    return;
  }
  if (const auto* w = std::get_if<WhileStatement>(&s.kind)) {
    out.open("while (" + printer_.print(w->condition) + ")");
    block(out, w->body);
    out.close();
    return;
  }
  if (const auto* f = std::get_if<ForStatement>(&s.kind)) return for_loop(out, *f);
  if (std::holds_alternative<PassStatement>(s.kind)) return;
  if (std::holds_alternative<BreakStatement>(s.kind)) return out.line("break;");
  if (std::holds_alternative<ContinueStatement>(s.kind)) return out.line("continue;");
  give_up("no return in tasklets");
}

void TaskletCode::print(Writer& out) {
  const Statements* statements = code_.statements();
  if (!statements) return;
  found_.add(*statements, false);
  all_blocks_ = locals_of_all_blocks(*statements);
  declare_counters(out, *statements);
  for (const Statement& s : *statements) {
    declare_locals(out, s);
    statement(out, s);
  }
}

}  // namespace sdfg
