// What the connectors of a tasklet stand for in the generated code.

#include <algorithm>
#include <functional>

#include "codegen/tasklet_emitter.h"
#include "ir/analysis/memlet_path.h"

namespace sdfg {

void SdfgFunction::TaskletEmitter::note_ranks(const Expr& e) {
  if (e.is(Op::Subscript) && e.arg(0).is(Op::Symbol)) {
    std::size_t n = e.args().size() - 1;
    if (n == 1 && e.arg(1).is(Op::Tuple)) n = e.arg(1).args().size();
    ranks_[e.arg(0).name()] = n;
  }
  for (const Expr& a : e.args()) note_ranks(a);
}

void SdfgFunction::TaskletEmitter::note_names(const Statements& statements) {
  const auto assigned = [&](const Expr& target) {
    if (target.is(Op::Symbol)) f_.code_names_.insert(target.name());
  };
  for (const Statement& s : statements) {
    if (const auto* a = std::get_if<Assign>(&s.kind)) {
      assigned(a->target);
      note_ranks(a->target);
      note_ranks(a->value);
    } else if (const auto* e = std::get_if<ExprStatement>(&s.kind)) {
      note_ranks(e->value);
    } else if (const auto* i = std::get_if<IfStatement>(&s.kind)) {
      note_ranks(i->condition);
      note_names(i->then);
      note_names(i->otherwise);
    } else if (const auto* w = std::get_if<WhileStatement>(&s.kind)) {
      note_ranks(w->condition);
      note_names(w->body);
    } else if (const auto* f = std::get_if<ForStatement>(&s.kind)) {
      assigned(f->target);
      note_ranks(f->iterable);
      note_names(f->body);
    }
  }
}

namespace {
/// An index or a stride; what the code counts are the elements of the subset.
Expr by_steps(const Expr& value, const Range& range) {
  return range.step.as_integer() == 1 ? value : Expr::make(Op::Mul, {value, range.step});
}
}  // namespace

std::vector<std::string> SdfgFunction::TaskletEmitter::strides(
    const End& end, const std::vector<std::size_t>& dimensions) const {
  std::vector<std::string> texts;
  const CppExpr printer = f_.symbolic();
  if (const Array* array = end.binding.data->as_array())
    for (std::size_t d : dimensions)
      if (d < array->strides.size())
        texts.push_back(printer.operand(by_steps(array->strides[d], end.subset[d])));
  return texts;
}

namespace {

std::vector<std::size_t> all_dimensions(std::size_t rank) {
  std::vector<std::size_t> all(rank);
  for (std::size_t d = 0; d < rank; ++d) all[d] = d;
  return all;
}

std::vector<Expr> begins(const Subset& subset) {
  std::vector<Expr> begin;
  for (const Range& r : subset.ranges) begin.push_back(r.begin);
  return begin;
}

/// Does the code see several elements of the container as one value?
bool is_vector_of(const Type& type, const Binding& binding) {
  return type.base() == BaseType::Vector && type.element() == binding.data->dtype &&
         binding.kind == Binding::Pointer;
}

}  // namespace

/// Does the tasklet give a name of its own to a thread's index, or to what its subset begins at?
/// The two cannot be told apart in one index then.
bool SdfgFunction::TaskletEmitter::hides_symbols_of(const std::vector<Expr>& begin) const {
  const auto hidden = [&](const std::string& name) {
    return f_.lanes_.contains(name) || f_.lane_params_.contains(name) ||
           (f_.row_param_ && f_.row_param_->first == name) ||
           std::ranges::any_of(begin, [&](const Expr& e) { return uses_symbol(e, name); });
  };
  const auto is_hidden = [&](const auto& connector) { return hidden(connector.first); };
  return std::ranges::any_of(node_.in_connectors, is_hidden) ||
         std::ranges::any_of(node_.out_connectors, is_hidden) ||
         std::ranges::any_of(f_.code_names_, hidden);
}

/// In a kernel, elements are found through rows and lanes.
std::function<std::string(const std::vector<Expr>&, const CppExpr&)>
SdfgFunction::TaskletEmitter::device_element(const End& end, std::size_t rank) const {
  if (!f_.on_device_ || !end.binding.row || end.binding.kind != Binding::Pointer) return nullptr;
  const std::vector<Expr> begin = begins(end.subset);
  std::vector<std::size_t> wide = wide_dimensions(end.subset);
  if (rank > wide.size()) wide = all_dimensions(begin.size());
  if (rank > wide.size()) return nullptr;
  if (hides_symbols_of(begin)) return nullptr;
  return [f = &f_, node = &node_, begin, wide, ranges = end.subset.ranges, binding = end.binding](
             const std::vector<Expr>& index, const CppExpr& printer) {
    std::vector<Expr> at = begin;
    const SymbolSet assigned = f->code_names_;
    for (const auto& [name, type] : node->in_connectors) f->code_names_.insert(name);
    for (const auto& [name, type] : node->out_connectors) f->code_names_.insert(name);
    for (std::size_t i = 0; i < index.size(); ++i) {
      Expr& d = at[wide[i]];
      const Expr by = by_steps(index[i], ranges[wide[i]]);
      d = d.as_integer() == 0 ? by : Expr::make(Op::Add, {by, d});
    }
    std::string text = f->element_at(binding, at, printer);
    f->code_names_ = assigned;
    return text;
  };
}

/// Indices in the code are those of the dimensions that have more than one element, unless there is
/// one for each dimension.
void SdfgFunction::TaskletEmitter::set_array(TaskletPort& port, const End& end,
                                             const std::string& connector, const Place& place) {
  for (const Range& r : end.subset.ranges)
    if (!(r.tile == Expr(1)))
      return f_.fail(place, "a tasklet cannot take a subset in tiles: " + to_text(end.subset),
                     "copy it to a container of its own");
  const bool value = end.binding.kind == Binding::Value;
  port.text = value ? "(&" + end.binding.text + ")" : end.binding.text;
  port.offset = value ? "0" : f_.offset(*end.binding.data, begins(end.subset), place);
  port.single = is_one_element(end.subset);
  const auto used = ranks_.find(connector);
  const std::size_t rank = used == ranks_.end() ? 0 : used->second;
  port.element = device_element(end, rank);
  port.strides = strides(end, wide_dimensions(end.subset));
  if (const Array* array = end.binding.data->as_array(); rank > port.strides.size())
    port.strides = strides(end, all_dimensions(array ? array->strides.size() : 0));
}

/// A value of another type as what the connector takes.
void SdfgFunction::TaskletEmitter::convert(TaskletPort& port, const Type& from, const Type& to) {
  if (!(from == to) && to.is_scalar() && from.is_scalar())
    port.text = f_.type_name(to, place_) + "(" + port.text + ")";
  if (python_ && to.is_float() && to.bytes() == 2) {  // arithmetic is that of float
    port.type = Type(BaseType::Float32);
    port.text = "float(" + port.text + ")";
  }
}

void SdfgFunction::TaskletEmitter::add_input(EdgeId e) {
  const Edge& edge = at_.state[e];
  const std::string& connector = edge.dst_connector;
  if (connector.empty()) return;
  const Type type = node_.in_connectors.at(connector);
  TaskletPort port;
  port.type = type;
  port.array = type.is_pointer();
  if (const auto variable = at_.code_variables.find(e); variable != at_.code_variables.end()) {
    port.text = variable->second + (!port.array && popped_by(at_.state, e) ? "[0]" : "");
    port.offset = "0";
    port.strides = {"1"};
    const auto& given = at_.state[at_.state.source(e)].out_connectors;
    if (const auto from = given.find(edge.src_connector); from != given.end())
      convert(port, from->second, type);
    inputs_[connector] = port;
    return;
  }
  if (edge.memlet.empty()) return;
  const Place place = at_.edge_place(e);
  const Binding from = f_.end_binding(at_, path_source(at_.state, e), edge.memlet.data);
  if (!from.data || !f_.reachable(from, edge.memlet.data, place, !type.is_pointer())) return;
  End end{from, f_.subset_or_whole(edge.memlet.subset(), *from.data), e, type.element()};
  if (type.is_pointer() && from.data->dtype == type) port.array = false;
  if (from.kind == Binding::Stream) {
    port.stream = true;
    port.array = false;
    port.text = f_.stream_element(from, end.subset, place);
  } else if (from.kind == Binding::Struct) {
    port.array = false;
    port.text = from.text;
  } else if (port.array) {
    set_array(port, end, connector, place);
  } else if (is_vector_of(type, from)) {
    port.text = "sdfg::load_vector<" + f_.type_name(type, place_) + ">(" +
                f_.pointer(from, end.subset, place) + ")";
  } else {
    port.text = f_.load(at_, e, from, end.subset, place);
    convert(port, from.data->dtype, type);
  }
  inputs_[connector] = std::move(port);
  in_ends_.emplace_back(connector, std::move(end));
}

void SdfgFunction::TaskletEmitter::add_output(EdgeId e) {
  const Edge& edge = at_.state[e];
  const std::string& connector = edge.src_connector;
  if (connector.empty()) return;
  const Type type = node_.out_connectors.at(connector);
  TaskletPort port;
  port.type = type;
  port.array = type.is_pointer();
  port.offset = "0";
  const NodeId target = path_target(at_.state, e);
  const bool to_code = at_.state[target].is_code();
  if (edge.memlet.empty() || (to_code && !f_.bindings_.contains(edge.memlet.data))) {
    // A value that only the next tasklet sees.
    const std::string variable =
        f_.local_name(cpp_name(connector) + "_" + std::to_string(id_.value));
    at_.out.line(f_.type_name(type, place_) + " " + variable + "{};");
    at_.code_variables[e] = variable;
    port.text = variable;
    port.array = false;
    outputs_[connector] = port;
    return;
  }
  const Binding to = to_code ? f_.binding(edge.memlet.data, place_)
                             : f_.end_binding(at_, target, edge.memlet.data);
  const Place place = at_.edge_place(e);
  if (edge.dst_connector == "set" && to.data && to.data->is_reference())
    return f_.fail(place, "a tasklet cannot set the reference '" + edge.memlet.data + "'",
                   "set it with an edge from the container that it shows");
  const bool one = !type.is_pointer() && !edge.memlet.wcr;
  if (!to.data || !f_.reachable(to, edge.memlet.data, place, one)) return;
  End end{to, f_.subset_or_whole(edge.memlet.subset(), *to.data), e, type.element()};
  if (type.is_pointer() && to.data->dtype == type) port.array = false;
  const auto update_at = [this, number = out_ends_.size()](const std::string& address,
                                                           const std::string& value) {
    const End& to = out_ends_[number].second;
    return f_.update(at_, to.edge, to.binding, to.subset, address, value);
  };
  if (to.kind == Binding::Stream) {
    port.stream = true;
    port.array = false;
    port.text = f_.stream_element(to, end.subset, place);
    port.write = [text = port.text](const std::string&, const std::string& value) {
      return text + ".push(" + value + ");";
    };
  } else if (to.kind == Binding::Struct) {
    port.array = false;
    port.text = "*" + to.text;
  } else if (port.array) {
    set_array(port, end, connector, place);
    if (edge.memlet.wcr) port.write = update_at;
  } else if (is_vector_of(type, to)) {
    if (edge.memlet.wcr)
      f_.fail(place, "a vector is not reduced into elements of '" + edge.memlet.data + "'",
              "store it in a container of vectors, and reduce that");
    port.text = f_.pointer(to, end.subset, place);
    port.write = [call = "sdfg::store_vector<" + f_.type_name(type, place_) + ">(" + port.text](
                     const std::string&, const std::string& value) {
      return call + ", " + value + ");";
    };
  } else if (port.text = f_.element(to, end.subset, place); to.device && !f_.on_device_) {
    port.text = f_.pointer(to, end.subset, place);
    port.write = [address = port.text, c_type = f_.type_name(to.data->dtype, place_)](
                     const std::string&, const std::string& value) {
      return "sdfg::gpu::write(__state->gpu, " + address + ", " + c_type + "(" + value + "));";
    };
  } else if (edge.memlet.wcr) {
    port.write = [update_at, text = port.text](const std::string&, const std::string& value) {
      return update_at("&" + text, value);
    };
  }
  outputs_[connector] = std::move(port);
  out_ends_.emplace_back(connector, std::move(end));
}

/// Constants of several dimensions are indexed like arrays.
void SdfgFunction::TaskletEmitter::add_constants() {
  for (const auto& [name, rank] : ranks_) {
    if (rank < 2 || inputs_.contains(name) || outputs_.contains(name)) continue;
    const Constant* constant = f_.sdfg_.constants.get(name);
    const Array* array = constant ? constant->data.as_array() : nullptr;
    if (!array || array->strides.size() != rank) continue;
    TaskletPort port;
    port.text = cpp_name(name);
    port.offset = "0";
    port.array = true;
    port.type = constant->data.dtype;
    for (const Expr& stride : array->strides) port.strides.push_back(f_.symbolic().operand(stride));
    inputs_[name] = std::move(port);
  }
}

}  // namespace sdfg
