#include "tools/common/scalar_argument.h"

#include <charconv>
#include <cstring>
#include <vector>

#include "support/text.h"

namespace sdfg {
namespace {

template <class T>
bool store(std::string_view text, NdArray& into) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  std::memcpy(into.bytes.data(), &value, sizeof value);
  return true;
}

bool store_bool(std::string_view text, NdArray& into) {
  const bool yes = text == "true" || text == "True" || text == "1";
  into.bytes[0] = std::byte(yes);
  return yes || text == "false" || text == "False" || text == "0";
}

bool store_as(BaseType type, std::string_view text, NdArray& into) {
  switch (type) {
    case BaseType::Bool: return store_bool(text, into);
    case BaseType::Int8: return store<std::int8_t>(text, into);
    case BaseType::Int16: return store<std::int16_t>(text, into);
    case BaseType::Int32: return store<std::int32_t>(text, into);
    case BaseType::Int64: return store<std::int64_t>(text, into);
    case BaseType::UInt8: return store<std::uint8_t>(text, into);
    case BaseType::UInt16: return store<std::uint16_t>(text, into);
    case BaseType::UInt32: return store<std::uint32_t>(text, into);
    case BaseType::UInt64: return store<std::uint64_t>(text, into);
    case BaseType::Float32: return store<float>(text, into);
    case BaseType::Float64: return store<double>(text, into);
    default: return false;
  }
}

std::string suggestion(const Sdfg& sdfg, std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto& [symbol, type] : sdfg.symbols) known.push_back(symbol);
  for (const auto& [container, data] : sdfg.arrays)
    if (data.is_scalar() && !data.transient) known.push_back(container);
  const std::string_view near = nearest(name, known);
  return near.empty() ? "" : "did you mean '" + std::string(near) + "'?";
}

}  // namespace

Result<NdArray> scalar_argument(const Sdfg& sdfg, std::string_view name, std::string_view text) {
  Type type;
  if (const auto symbol = sdfg.symbols.find(name); symbol != sdfg.symbols.end())
    type = symbol->second;
  else if (const Data* data = sdfg.arrays.get(name); data && data->is_scalar())
    type = data->dtype;
  else
    return Diagnostic{std::string(name), "the program has no symbol and no scalar of this name",
                      suggestion(sdfg, name)};
  NdArray value = NdArray::zeros(type, {});
  if (!store_as(type.base(), text, value))
    return Diagnostic{std::string(name), "expected a value of type " + type.text() + ", found '" +
                                             std::string(text) + "'"};
  return value;
}

}  // namespace sdfg
