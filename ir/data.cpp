#include "ir/data.h"

#include <algorithm>

#include "ir/replacer.h"
#include "ir/symbol_collector.h"

namespace sdfg {

std::vector<Expr> c_strides(const std::vector<Expr>& shape) {
  std::vector<Expr> strides(shape.size(), Expr(1));
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

Expr elements_spanned(const std::vector<Expr>& shape, const std::vector<Expr>& strides) {
  Expr count = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) count = count + (shape[d] - 1) * strides[d];
  return count;
}

Data Data::array(Type dtype, std::vector<Expr> shape, bool transient) {
  Array array;
  array.strides = c_strides(shape);
  array.offset.assign(shape.size(), Expr(0));
  array.total_size = 1;
  for (const Expr& extent : shape) array.total_size = array.total_size * extent;
  if (transient) array.optional = false;  // as DaCe has it: what the program owns is never null
  Data data;
  data.kind = std::move(array);
  data.dtype = std::move(dtype);
  data.shape = std::move(shape);
  data.transient = transient;
  return data;
}

Data Data::scalar(Type dtype, bool transient) {
  Data data;
  data.kind = Scalar{};
  data.dtype = std::move(dtype);
  data.shape = {Expr(1)};
  data.transient = transient;
  return data;
}

const Array* Data::as_array() const {
  if (const auto* a = std::get_if<Array>(&kind)) return a;
  if (const auto* c = std::get_if<ContainerArray>(&kind)) return &c->array;
  return nullptr;
}
Array* Data::as_array() { return const_cast<Array*>(static_cast<const Data*>(this)->as_array()); }

Role Data::role() const {
  if (const Array* a = as_array()) return a->role;
  if (const auto* s = std::get_if<Structure>(&kind)) return s->role;
  return Role::Plain;
}

bool Data::holds_reference() const {
  if (is_reference()) return true;
  const auto* structure = std::get_if<Structure>(&kind);
  return structure && std::ranges::any_of(structure->members, [](const Structure::Member& member) {
           const auto* data = std::get_if<Box<Data>>(&member.second);
           return data && (*data)->holds_reference();
         });
}

std::string Data::json_type() const {
  struct Name {
    std::string operator()(const Array& a) const {
      if (a.is_parameter) return "ParameterArray";
      return a.role == Role::View        ? "ArrayView"
             : a.role == Role::Reference ? "ArrayReference"
                                         : "Array";
    }
    std::string operator()(const Scalar&) const { return "Scalar"; }
    std::string operator()(const Stream&) const { return "Stream"; }
    std::string operator()(const Structure& s) const {
      return s.role == Role::View ? "StructureView"
             : s.role == Role::Reference ? "StructureReference"
                                         : "Structure";
    }
    std::string operator()(const ContainerArray& c) const {
      return c.array.role == Role::View ? "ContainerView"
             : c.array.role == Role::Reference ? "ContainerArrayReference"
                                               : "ContainerArray";
    }
    std::string operator()(const OtherData& o) const { return o.type; }
  };
  return std::visit(Name{}, kind);
}

namespace {
/// Calls visit(expression) for every symbolic expression of the descriptor and its members.
template <class D, class F>
void for_each_expr(D& data, F visit) {
  for (auto& e : data.shape) visit(e);
  const auto array = [&](auto& a) {
    for (auto& e : a.strides) visit(e);
    for (auto& e : a.offset) visit(e);
    visit(a.total_size);
    visit(a.start_offset);
  };
  if (auto* a = std::get_if<Array>(&data.kind)) array(*a);
  if (auto* c = std::get_if<ContainerArray>(&data.kind)) {
    array(c->array);
    if (c->stype) for_each_expr(**c->stype, visit);
  }
  if (auto* s = std::get_if<Stream>(&data.kind)) {
    for (auto& e : s->offset) visit(e);
    visit(s->buffer_size);
  }
  if (auto* s = std::get_if<Structure>(&data.kind))
    for (auto& [name, member] : s->members) {
      if (auto* inner = std::get_if<Box<Data>>(&member))
        for_each_expr(**inner, visit);
      else
        visit(std::get<Expr>(member));
    }
}
}  // namespace

void collect_symbols(const Data& data, SymbolSet& out) {
  for_each_expr(data, [&](const Expr& e) { collect_symbols(e, out); });
}

const std::string* KnownNames::find(std::string_view word) const {
  if (containers_) {
    const auto found = containers_->find(word);
    return found == containers_->end() ? nullptr : &found->first;
  }
  const auto found = names_->find(word);
  return found == names_->end() ? nullptr : &*found;
}

void collect_symbols(const Data& data, SymbolCollector& out) {
  for_each_expr(data, [&](const Expr& e) { out.add(e); });
}

void raise_negative_sizes(Data& data) {
  const auto raise = [](Expr& e) {
    if (const auto value = e.as_integer(); value && *value < 0) e = 0;
  };
  std::ranges::for_each(data.shape, raise);
  if (Array* array = data.as_array()) raise(array->total_size);
}

void detail::replace(Data& data, Replacer& names) {
  for_each_expr(data, [&](Expr& e) { names(e); });
  if (data.role() != Role::Plain) raise_negative_sizes(data);
}

void substitute(Data& data, const Substitution& replacements) {
  if (replacements.empty()) return;
  detail::Replacer names(replacements);
  detail::replace(data, names);
}

}  // namespace sdfg
