#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "codegen/interpreter/unit.h"

namespace sdfg::interpreter {
namespace {

using Json = nlohmann::json;

/// A number, bool, or (NumPy's scalars) a number as text.
Number value_from(const Json& json, BaseType type) {
  if (json.is_boolean()) return convert(Number(json.get<bool>()), BaseType::Bool, type);
  if (json.is_number_unsigned())
    return convert(number_of(json.get<std::uint64_t>()), BaseType::UInt64, type);
  if (json.is_number_integer())
    return convert(Number(json.get<std::int64_t>()), BaseType::Int64, type);
  if (json.is_number())
    return convert(number_of(json.get<double>()), BaseType::Float64, type);
  if (json.is_string()) {
    const std::string text = json.get<std::string>();
    if (text == "True") return convert(Number(1), BaseType::Bool, type);
    if (text == "False") return convert(Number(0), BaseType::Bool, type);
    const Json parsed = Json::parse(text, nullptr, false);
    if (parsed.is_number()) return value_from(parsed, type);
  }
  throw Stop("a constant's value is not a number");
}

void flatten(const Json& json, BaseType type, std::vector<Number>& out) {
  if (!json.is_array()) return out.push_back(value_from(json, type));
  for (const Json& part : json) flatten(part, type, out);
}

}  // namespace

std::optional<Binding> Unit::constant(std::string_view name) {
  if (const auto found = constants_.find(name); found != constants_.end()) return found->second;
  std::optional<Binding> binding;
  if (const Constant* constant = sdfg_.constants.get(name))
    binding = make_constant(*constant, name);
  else if (outer_ && !sdfg_.find_data(name) && !sdfg_.symbols.contains(name))
    binding = outer_->constant(name);
  constants_.emplace(std::string(name), binding);
  return binding;
}

std::optional<Binding> Unit::make_constant(const Constant& constant, std::string_view name) {
  const BaseType type = constant.data.dtype.base();
  if (!is_supported(type))
    throw Stop("the constant '" + std::string(name) + "' has no type that can be computed with");
  const Json json = Json::parse(constant.value, nullptr, false);
  if (json.is_discarded())
    throw Stop("the value of the constant '" + std::string(name) + "' is not JSON");
  const Json& data = json.is_object() && json.contains("data") ? json.at("data") : json;
  if (!data.is_array() && constant.data.is_scalar() && !sdfg_.find_data(name)) {
    Number* slot = machine_.new_slot();
    *slot = value_from(data, type);
    return Binding{type, slot, nullptr};
  }
  std::vector<Number> values;
  flatten(data, type, values);
  Container* c = new_container(name, constant.data);
  // The values lie in C order, whatever the descriptor's strides say.
  auto layout = layout_of(c, {machine_, names_, place_});
  allocate(machine_, *c, std::int64_t(values.size()), true);
  for (std::size_t i = 0; i < values.size(); ++i)
    c->store(c->own.bytes.data() + std::int64_t(i) * c->element_size, values[i]);
  c->prepare = [c, layout = std::move(layout)] {
    layout();
    c->start_offset = 0;
    std::int64_t stride = 1;
    for (std::size_t d = c->shape.size(); d-- > 0; stride *= c->shape[d]) c->strides[d] = stride;
    c->ready = true;
  };
  return Binding{type, nullptr, whole(c, place_)};
}

}  // namespace sdfg::interpreter
