#include "codegen/sdfg_function.h"
#include "ir/analysis/memlet_path.h"

namespace sdfg {

namespace {
/// The container that a dotted member name starts with.
std::string_view root_of(const Sdfg& sdfg, std::string_view name) {
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
       dot = name.find('.', dot + 1))
    if (sdfg.arrays.contains(name.substr(0, dot))) return name.substr(0, dot);
  return name;
}
}  // namespace

/// What a name stands for, as it is.
std::string SdfgFunction::named(const std::string& symbol) const {
  const auto found = bindings_.find(symbol);
  if (found == bindings_.end()) return cpp_name(symbol);
  if (found->second.device && !on_device_) program_.waits_for(symbol, place_);
  if (found->second.device && !on_device_)
    return std::string("sdfg::gpu::read(__state->gpu, ") +
           (found->second.kind == Binding::Value ? "&" : "") + found->second.text + ")";
  return found->second.kind == Binding::Pointer ? found->second.text + "[0]" : found->second.text;
}

/// Conditions and assignments, which are typed as C++ is.
CppExpr SdfgFunction::between_states(const Place& place) const {
  CppExpr printer = symbolic(place);
  printer.symbolic = false;
  printer.name = [this](const std::string& symbol) { return named(symbol); };
  return printer;
}

/// Ranges, subsets and sizes: computed in 64 bits with a sign, whatever the names' types.
CppExpr SdfgFunction::symbolic(const Place& place) const {
  CppExpr printer;
  printer.symbolic = true;
  printer.name = [this](const std::string& symbol) {
    std::string text = named(symbol);
    Type type;
    if (const auto found = bindings_.find(symbol); found != bindings_.end()) {
      if (found->second.data) type = found->second.data->dtype;
    } else if (const auto input = input_types_.find(symbol); input != input_types_.end()) {
      type = input->second;
    } else if (const auto known = types_.find(symbol); known != types_.end()) {
      type = known->second;
    }
    if (type.is_integer() && !type.is_signed_integer()) text = "int64_t(" + text + ")";
    return text;
  };
  printer.override = [this, &place](const Expr& e) -> std::optional<std::string> {
    if (e.is(Op::Attribute) && e.arg(0).is(Op::Symbol)) {
      const auto found = bindings_.find(e.arg(0).name());
      if (found != bindings_.end() && found->second.kind == Binding::Struct)
        return found->second.text + "->" + cpp_name(e.name());
    }
    if (!e.is(Op::Subscript)) return std::nullopt;
    const auto found = memory_named(e.arg(0), place);
    if (!found || !found->data) return std::nullopt;
    const bool far = found->device && !on_device_;  // the host waits for the value
    if (far) program_.waits_for(to_text(e.arg(0)), place_);
    if (found->kind == Binding::Value)
      return far ? "sdfg::gpu::read(__state->gpu, &" + found->text + ")" : found->text;
    const std::vector<Expr> index(e.args().begin() + 1, e.args().end());
    if (const Data& data = *found->data; data.as_array() && index.size() != data.shape.size())
      program_.fail(place, "'" + to_text(e.arg(0)) + "' is indexed with " +
                               std::to_string(index.size()) + " indices, it has " +
                               std::to_string(data.shape.size()) + " dimensions",
                    "give an index for each dimension");
    if (far)
      return std::string("sdfg::gpu::read(__state->gpu, ") + found->text + " + " +
             offset(*found->data, index, place) + ")";
    return found->text + "[" + offset(*found->data, index, place) + "]";
  };
  return printer;
}

/// Of a container's name, or of a member of a structure; of an argument's only where no GPU takes
/// part, for then nobody says where it lies.
std::optional<Binding> SdfgFunction::memory_named(const Expr& expr, const Place& place) const {
  if (expr.is(Op::Attribute)) {
    const auto base = memory_named(expr.arg(0), place);
    if (!base || base->kind != Binding::Struct || !base->data) return std::nullopt;
    if (program_.target.gpu && !on_device_ && !base->data->transient) return std::nullopt;
    return member(*base, expr.name(), place);
  }
  const auto found = expr.is(Op::Symbol) ? bindings_.find(expr.name()) : bindings_.end();
  return found == bindings_.end() ? std::nullopt : std::optional(found->second);
}

std::string SdfgFunction::print(const Expr& expr, const Place& place) const {
  const CppExpr printer = symbolic(place);
  std::string text = printer.print(expr);
  if (!printer.problem.empty()) program_.fail(place, printer.problem);
  return text;
}

Binding SdfgFunction::binding(const std::string& container, const Place& place) {
  if (const auto found = bindings_.find(container); found != bindings_.end()) return found->second;
  if (const std::string_view root = root_of(sdfg_, container); root != container)
    if (const auto found = bindings_.find(root); found != bindings_.end())
      return member(found->second, std::string_view(container).substr(root.size() + 1), place);
  fail(place, "the container '" + container + "' has no memory here",
       "views and references need an access node in the state that uses them");
  return {Binding::Pointer, cpp_name(container), sdfg_.find_data(container)};
}

Binding SdfgFunction::member(Binding base, std::string_view path, const Place& place) const {
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    const auto* structure = base.data ? std::get_if<Structure>(&base.data->kind) : nullptr;
    const Data* next = nullptr;
    if (structure)
      for (const auto& [field, value] : structure->members)
        if (const auto* inner = std::get_if<Box<Data>>(&value); inner && field == name)
          next = &**inner;
    if (!next) {
      program_.fail(place, "no member '" + std::string(name) + "' in a structure");
      return base;
    }
    base.root = base.text + "->" + cpp_name(name);
    base.text = base.root;
    base.data = next;
    base.kind = next->is_structure() ? Binding::Struct
                : next->is_scalar()  ? Binding::Value
                                     : Binding::Pointer;
  }
  return base;
}

Binding SdfgFunction::end_binding(At& at, NodeId node, const std::string& container) {
  if (const auto view = at.views.find(node); view != at.views.end()) {
    const std::string& shown = at.state.get<AccessNode>(node).data;
    if (shown == container) return view->second;
    if (container.starts_with(shown + "."))
      return member(view->second, std::string_view(container).substr(shown.size() + 1), at.place);
  }
  const auto found = bindings_.find(container);
  return found != bindings_.end() ? found->second : binding(container, at.node_place(node));
}

std::string SdfgFunction::offset(const Data& data, const std::vector<Expr>& index,
                                 const Place& place) const {
  const CppExpr printer = symbolic();
  const Array* array = data.as_array();
  std::string out;
  const auto add = [&](const std::string& term) { out += (out.empty() ? "" : " + ") + term; };
  std::int64_t constant = 0;
  if (array) {
    if (const auto start = array->start_offset.as_integer())
      constant += *start;
    else
      add(printer.operand(array->start_offset));
  }
  for (std::size_t d = 0; d < index.size(); ++d) {
    Expr at = index[d];
    if (array && d < array->offset.size() && !(array->offset[d].as_integer() == 0))
      at = at + array->offset[d];
    const Expr stride = array && d < array->strides.size() ? array->strides[d] : Expr(1);
    const auto at_value = at.as_integer(), stride_value = stride.as_integer();
    if (at_value && stride_value)
      constant += *at_value * *stride_value;
    else if (at_value == 0 || stride_value == 0)
      continue;
    else if (stride_value == 1)
      add(index.size() == 1 ? printer.print(at) : printer.operand(at));
    else if (at_value == 1)
      add(printer.operand(stride));
    else
      add(printer.operand(stride) + " * " + printer.operand(at));
  }
  if (constant != 0 || out.empty()) {
    if (constant < 0 && !out.empty())
      out += " - " + cpp_integer(-constant);
    else
      add(cpp_integer(constant));
  }
  if (!printer.problem.empty()) program_.fail(place, printer.problem);
  return out;
}

namespace {
std::vector<Expr> begins(const Subset& subset) {
  std::vector<Expr> at;
  for (const Range& r : subset.ranges) at.push_back(r.begin);
  return at;
}
}  // namespace

std::string SdfgFunction::element(const Binding& binding, const Subset& subset,
                                  const Place& place) const {
  if (binding.kind != Binding::Pointer) return binding.text;
  if (on_device_ && binding.row) return element_at(binding, begins(subset), symbolic());
  return binding.text + "[" + offset(*binding.data, begins(subset), place) + "]";
}

std::string SdfgFunction::pointer(const Binding& binding, const Subset& subset,
                                  const Place& place) const {
  if (binding.kind == Binding::Value) return "&" + binding.text;
  if (binding.kind != Binding::Pointer) return binding.text;
  if (on_device_ && binding.row) {
    const Address at = address(binding, begins(subset), symbolic());
    return at.lane == "0" ? at.row : at.row + " + " + at.lane;
  }
  const std::string at = offset(*binding.data, begins(subset), place);
  if (at == "0") return binding.text;
  if (at.starts_with("-")) return binding.text + " + (" + at + ")";
  return binding.text + " + " + at;
}

Subset SdfgFunction::subset_or_whole(const std::optional<Subset>& subset, const Data& data) const {
  return subset && !subset->empty() ? *subset : Subset::whole(data.shape);
}

}  // namespace sdfg
