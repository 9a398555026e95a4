#include "codegen/sdfg_function.h"
#include "codegen/tasklet_code.h"
#include "ir/analysis/memlet_path.h"

namespace sdfg {

namespace {

/// The types of the names that the code reads: all types would be many, and are needed per tasklet.
TypeTable types_read(const Code& code, const TypeTable& all) {
  SymbolSet names;
  collect_symbols(code, {}, names);
  TypeTable types;
  for (const std::string& name : names)
    if (const auto found = all.find(name); found != all.end()) types.insert(*found);
  return types;
}

/// How often a name is read.
int count_uses(const Expr& expr, const std::string& name) {
  int uses = expr.is_symbol(name);
  for (const Expr& a : expr.args()) uses += count_uses(a, name);
  return uses;
}

/// A connector's end of an edge: the memory and the part of it.
struct End {
  Binding binding;
  Subset subset;
  EdgeId edge;
  bool pointer = false;
  Type type;  ///< of the connector's element
};

}  // namespace

void SdfgFunction::emit_tasklet(At& at, NodeId id) {
  const State& state = at.state;
  const Node& node = state[id];
  const Tasklet& tasklet = *node.as<Tasklet>();
  const Place place = at.node_place(id);
  const bool python = tasklet.code.language() == Language::Python;
  if (!python && tasklet.code.language() != Language::Cpp)
    return fail(place, "no code for tasklets in " + std::string(to_text(tasklet.code.language())));
  if (python && !tasklet.code.statements() && !tasklet.code.empty())
    return fail(place, "the code does not parse: " + tasklet.code.syntax_error()->message);

  const auto strides = [&](const End& end, std::size_t) {
    // Indices in the code are those of the dimensions that have more than one element, unless
    // there is one for each dimension.
    std::vector<std::string> texts;
    const CppExpr printer = symbolic();
    const Array* array = end.binding.data->as_array();
    if (!array) return texts;
    std::vector<std::size_t> wide = wide_dimensions(end.subset);
    for (std::size_t d : wide)
      if (d < array->strides.size()) texts.push_back(printer.operand(array->strides[d]));
    return texts;
  };
  const auto all_strides = [&](const End& end) {
    std::vector<std::string> texts;
    const CppExpr printer = symbolic();
    if (const Array* array = end.binding.data->as_array())
      for (const Expr& s : array->strides) texts.push_back(printer.operand(s));
    return texts;
  };
  // In a kernel, elements are found through rows and lanes.
  const auto device_element = [&](const End& end, std::size_t rank)
      -> std::function<std::string(const std::vector<Expr>&, const CppExpr&)> {
    if (!on_device_ || !end.binding.row || end.binding.kind != Binding::Pointer) return nullptr;
    std::vector<Expr> begin;
    for (const Range& r : end.subset.ranges) begin.push_back(r.begin);
    std::vector<std::size_t> wide = wide_dimensions(end.subset);
    if (rank > wide.size()) {
      wide.clear();
      for (std::size_t d = 0; d < begin.size(); ++d) wide.push_back(d);
    }
    if (rank > wide.size()) return nullptr;
    return [this, begin, wide, &node, binding = end.binding](const std::vector<Expr>& index,
                                                             const CppExpr& printer) {
      std::vector<Expr> at = begin;
      for (const auto& [name, type] : node.in_connectors) code_names_.insert(name);
      for (const auto& [name, type] : node.out_connectors) code_names_.insert(name);
      for (std::size_t i = 0; i < index.size(); ++i) {
        Expr& d = at[wide[i]];
        d = d.as_integer() == 0 ? index[i] : Expr::make(Op::Add, {index[i], d});
      }
      std::string text = element_at(binding, at, printer);
      code_names_.clear();
      return text;
    };
  };
  // The number of indices the code uses on a name; 0 when it is never subscripted.
  std::map<std::string, std::size_t> ranks;
  if (on_device_) code_names_.clear();
  const auto note_ranks = [&](const auto& self, const Expr& e) -> void {
    if (e.is(Op::Subscript) && e.arg(0).is(Op::Symbol)) {
      std::size_t n = e.args().size() - 1;
      if (n == 1 && e.arg(1).is(Op::Tuple)) n = e.arg(1).args().size();
      ranks[e.arg(0).name()] = n;
    }
    for (const Expr& a : e.args()) self(self, a);
  };
  const auto note_statements = [&](const auto& self, const Statements& statements) -> void {
    for (const Statement& s : statements) {
      if (const auto* a = std::get_if<Assign>(&s.kind)) {
        if (a->target.is(Op::Symbol)) code_names_.insert(a->target.name());
        note_ranks(note_ranks, a->target);
        note_ranks(note_ranks, a->value);
      } else if (const auto* e = std::get_if<ExprStatement>(&s.kind)) {
        note_ranks(note_ranks, e->value);
      } else if (const auto* i = std::get_if<IfStatement>(&s.kind)) {
        note_ranks(note_ranks, i->condition);
        self(self, i->then), self(self, i->otherwise);
      } else if (const auto* w = std::get_if<WhileStatement>(&s.kind)) {
        note_ranks(note_ranks, w->condition);
        self(self, w->body);
      } else if (const auto* f = std::get_if<ForStatement>(&s.kind)) {
        if (f->target.is(Op::Symbol)) code_names_.insert(f->target.name());
        note_ranks(note_ranks, f->iterable);
        self(self, f->body);
      }
    }
  };
  if (python && tasklet.code.statements()) note_statements(note_statements, *tasklet.code.statements());

  const Statements* statements = tasklet.code.statements();
  // The usual tasklet is one assignment of an expression to a scalar output: one line of C++.
  const Assign* single = nullptr;
  if (python && statements && statements->size() == 1)
    if (const auto* a = std::get_if<Assign>(&statements->front().kind);
        a && !a->augmented && !a->annotation && a->target.is(Op::Symbol))
      single = a;

  Writer before(at.out.depth() + 1), after(at.out.depth() + 1);
  TaskletPorts inputs, outputs;
  std::vector<std::string> declarations;

  // ---- Inputs.
  std::vector<std::pair<std::string, End>> in_ends, out_ends;
  for (EdgeId e : state.in(id)) {
    const Edge& edge = state[e];
    const std::string& connector = edge.dst_connector;
    if (connector.empty()) continue;
    const Type type = node.in_connectors.at(connector);
    TaskletPort port;
    port.type = type;
    port.array = type.is_pointer();
    if (const auto variable = at.code_variables.find(e); variable != at.code_variables.end()) {
      port.text = port.array ? variable->second
                             : variable->second + (state[state.source(e)].is<ConsumeEntry>() ? "[0]" : "");
      port.offset = "0";
      port.single = false;
      port.strides = {"1"};
      inputs[connector] = port;
      continue;
    }
    if (edge.memlet.empty()) continue;
    const NodeId source = path_source(state, e);
    const Binding from = end_binding(at, source, edge.memlet.data);
    if (!from.data || !reachable(from, edge.memlet.data, at.edge_place(e), !type.is_pointer())) continue;
    End end{from, subset_or_whole(edge.memlet.subset(), *from.data), e, type.is_pointer(),
            type.element()};
    if (type.is_pointer() && from.data->dtype == type) end.pointer = port.array = false;
    if (from.kind == Binding::Stream) {
      port.stream = true;
      port.array = false;
      port.text = stream_element(from, end.subset, at.edge_place(e));
    } else if (from.kind == Binding::Struct) {
      port.array = false;
      port.text = from.text;
    } else if (port.array) {
      port.text = from.kind == Binding::Value ? "(&" + from.text + ")" : from.text;
      std::vector<Expr> begin;
      for (const Range& r : end.subset.ranges) begin.push_back(r.begin);
      port.offset = from.kind == Binding::Value ? "0" : offset(*from.data, begin, at.edge_place(e));
      port.single = is_one_element(end.subset);
      const std::size_t rank = ranks.contains(connector) ? ranks[connector] : 0;
      port.element = device_element(end, rank);
      port.strides = strides(end, rank);
      if (rank > port.strides.size()) port.strides = all_strides(end);
    } else {
      port.text = load(at, e, from, end.subset, at.edge_place(e));
      if (!(from.data->dtype == type) && type.is_scalar() && from.data->dtype.is_scalar())
        port.text = type_name(type, place) + "(" + port.text + ")";
    }
    inputs[connector] = port;
    in_ends.emplace_back(connector, end);
  }

  // ---- Outputs.
  for (EdgeId e : state.out(id)) {
    const Edge& edge = state[e];
    const std::string& connector = edge.src_connector;
    if (connector.empty()) continue;
    const Type type = node.out_connectors.at(connector);
    TaskletPort port;
    port.type = type;
    port.array = type.is_pointer();
    port.offset = "0";
    const NodeId target = path_target(state, e);
    const bool to_code = state[target].is_code();
    if (edge.memlet.empty() ||
        (to_code && !bindings_.contains(edge.memlet.data))) {
      // A value that only the next tasklet sees.
      const std::string variable = local_name(cpp_name(connector) + "_" + std::to_string(id.value));
      at.out.line(type_name(type, place) + " " + variable + "{};");
      at.code_variables[e] = variable;
      port.text = variable;
      port.array = false;
      outputs[connector] = port;
      continue;
    }
    const Binding to = to_code ? binding(edge.memlet.data, place)
                               : end_binding(at, target, edge.memlet.data);
    if (!to.data || !reachable(to, edge.memlet.data, at.edge_place(e), !type.is_pointer() && !edge.memlet.wcr))
      continue;
    End end{to, subset_or_whole(edge.memlet.subset(), *to.data), e, type.is_pointer(), type.element()};
    if (type.is_pointer() && to.data->dtype == type) end.pointer = port.array = false;
    const Place edge_place = at.edge_place(e);
    if (to.kind == Binding::Stream) {
      port.stream = true;
      port.array = false;
      port.text = stream_element(to, end.subset, edge_place);
      port.write = [text = port.text](const std::string&, const std::string& value) {
        return text + ".push(" + value + ");";
      };
    } else if (to.kind == Binding::Struct) {
      port.array = false;
      port.text = "*" + to.text;
    } else if (port.array) {
      port.text = to.kind == Binding::Value ? "(&" + to.text + ")" : to.text;
      std::vector<Expr> begin;
      for (const Range& r : end.subset.ranges) begin.push_back(r.begin);
      port.offset = to.kind == Binding::Value ? "0" : offset(*to.data, begin, edge_place);
      port.single = is_one_element(end.subset);
      const std::size_t rank = ranks.contains(connector) ? ranks[connector] : 0;
      port.element = device_element(end, rank);
      port.strides = strides(end, rank);
      if (rank > port.strides.size()) port.strides = all_strides(end);
      if (edge.memlet.wcr)
        port.write = [this, &at, e, end](const std::string& address, const std::string& value) {
          return update(at, e, end.binding, end.subset, address, value);
        };
    } else {
      port.text = element(to, end.subset, edge_place);
      if (to.device && !on_device_) {
        port.text = pointer(to, end.subset, edge_place);
        port.write = [address = port.text, c_type = type_name(to.data->dtype, place)](const std::string&, const std::string& value) {
          return "sdfg::gpu::write(__state->gpu, " + address + ", " + c_type + "(" + value + "));";
        };
      } else if (edge.memlet.wcr)
        port.write = [this, &at, e, end, text = port.text](const std::string&,
                                                           const std::string& value) {
          return update(at, e, end.binding, end.subset, "&" + text, value);
        };
    }
    outputs[connector] = port;
    out_ends.emplace_back(connector, end);
  }

  const auto outer = [this](const std::string& name) {
    const auto found = bindings_.find(name);
    return found == bindings_.end() ? cpp_name(name) : found->second.text;
  };
  const auto finish = [&](TaskletCode& code) {
    if (!code.problem().empty()) fail(place, code.problem());
    for (const std::string& function : code.called())
      if (!sdfg_.symbols.contains(function)) program_.foreign_code = true;
  };

  if (single) {
    const auto to = outputs.find(single->target.name());
    bool short_enough = to != outputs.end() && outputs.size() == 1 && !to->second.array;
    for (const auto& [name, port] : inputs) {
      short_enough &= !port.stream;
      if (!port.array && port.text.size() > 40 && count_uses(single->value, name) > 2)
        short_enough = false;
    }
    if (short_enough) {
      TaskletCode code(inputs, outputs, types_read(tasklet.code, types_), outer);
      std::string value = code.expr(single->value);
      finish(code);
      const End* end = out_ends.empty() ? nullptr : &out_ends[0].second;
      if (end && end->type.is_scalar() && !(end->type == end->binding.data->dtype) &&
          end->binding.data->dtype.is_scalar())
        value = type_name(end->type, place) + "(" + value + ")";
      std::string line;
      if (to->second.write) {
        line = to->second.write("", value);
      } else {
        line = to->second.text + " = " + value + ";";
        if (end && at.pending.erase(end->binding.text))
          line = (on_device_ && is_final(at, end->edge) ? "const " : "") +
                 type_name(end->binding.data->dtype, place) + " " + line;
      }
      at.out.line(line + (tasklet.label.empty() ? "" : "  // " + tasklet.label));
      return;
    }
  }

  // ---- The general form: connectors are variables of a block.
  for (const auto& [connector, end] : out_ends)
    if (at.pending.erase(end.binding.text))
      at.out.line(type_name(end.binding.data->dtype, place) + " " + end.binding.text + "{};");
  at.out.open("");
  at.out.line("// tasklet " + tasklet.label);
  const std::string unused = "[[maybe_unused]] ";
  if (!python) program_.foreign_code = true;
  for (auto& [connector, port] : inputs) {
    const std::string name = cpp_name(connector);
    const auto end = std::find_if(in_ends.begin(), in_ends.end(),
                                  [&, c = connector](const auto& x) { return x.first == c; });
    const bool dynamic = end != in_ends.end() && state[end->second.edge].memlet.dynamic;
    if (port.stream) {
      if (!python) at.out.line(unused + "auto& " + name + " = " + port.text + ";");
      continue;
    }
    if (port.array) {
      if (python) continue;
      at.out.line(unused + type_name(port.type, place) + " " + name + " = " + port.text +
                  (port.offset == "0" ? "" : " + " + port.offset) + ";");
      continue;
    }
    const bool reference = end != in_ends.end() && dynamic && !port.text.ends_with(")");
    if (end != in_ends.end() && end->second.binding.kind == Binding::Struct)
      at.out.line(unused + "auto* " + name + " = " + port.text + ";");
    else
      at.out.line(unused + (reference ? "const " : "") + type_name(port.type, place) +
                  (reference ? "& " : " ") + name + " = " + port.text + ";");
    port.text = name;
  }
  Writer stores(at.out.depth());
  for (auto& [connector, port] : outputs) {
    const std::string name = cpp_name(connector);
    const auto end = std::find_if(out_ends.begin(), out_ends.end(),
                                  [&, c = connector](const auto& x) { return x.first == c; });
    if (end == out_ends.end()) {
      if (!python) at.out.line("auto& " + name + " = " + port.text + ";");
      continue;
    }
    const Memlet& memlet = state[end->second.edge].memlet;
    if (port.stream) {
      if (!python && (memlet.dynamic || !is_one_element(end->second.subset))) {
        at.out.line(unused + "auto& " + name + " = " + port.text + ";");
      } else if (!memlet.dynamic) {
        at.out.line(type_name(end->second.binding.data->dtype, place) + " " + name + "{};");
        stores.line(port.text + ".push(" + name + ");");
        port.write = nullptr;
        port.text = name;
        port.stream = false;
      }
      continue;
    }
    if (port.array) {
      if (!python)
        at.out.line(unused + type_name(port.type, place) + " " + name + " = " + port.text +
                    (port.offset == "0" ? "" : " + " + port.offset) + ";");
      continue;
    }
    if (end->second.binding.kind == Binding::Struct) {
      at.out.line(unused + "auto& " + name + " = " + port.text + ";");
      port.text = name;
      continue;
    }
    if (memlet.dynamic && python) continue;  // each assignment is a write
    const std::string store = port.write ? port.write("", name) : port.text + " = " + name + ";";
    at.out.line((python ? "" : unused) + type_name(port.type, place) + " " + name + "{};");
    stores.line(store);
    port.write = nullptr;
    port.text = name;
  }
  if (python) {
    TaskletCode code(inputs, outputs, types_read(tasklet.code, types_), outer);
    if (statements) code.print(at.out, *statements);
    finish(code);
  } else {
    at.out.verbatim(tasklet.code.text());
    for (const std::string& field : tasklet.state_fields)
      Program::add_once(program_.state_fields, field + (field.ends_with(";") ? "" : ";"));
    if (!tasklet.code_global.empty())
      Program::add_once(program_.global_lines, tasklet.code_global.text());
    if (!tasklet.code_init.empty())
      Program::add_once(program_.init_lines, tasklet.code_init.text());
    if (!tasklet.code_exit.empty())
      Program::add_once(program_.exit_lines, tasklet.code_exit.text());
  }
  at.out.raw(stores.text());
  at.out.close();
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
