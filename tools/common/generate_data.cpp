#include <algorithm>
#include <cstring>

#include "ir/analysis/signature.h"
#include "tools/common/generate.h"
#include "tools/common/random.h"

namespace sdfg {
namespace {

using Sizes = ByName<std::int64_t>;

template <class T>
void fill(NdArray& array, Random& random) {
  T* values = reinterpret_cast<T*>(array.bytes.data());
  for (std::size_t i = 0; i < array.bytes.size() / sizeof(T); ++i) {
    if constexpr (std::is_floating_point_v<T>)
      values[i] = T(random.between(-64, 64)) / 8;
    else
      values[i] = T(random.below(4));
  }
}

/// Random values for every byte, so for padding, too.
Status fill_any(NdArray& array, Random& random) {
  switch (array.type.base()) {
    case BaseType::Float64:
      fill<double>(array, random);
      break;
    case BaseType::Float32:
      fill<float>(array, random);
      break;
    case BaseType::Int64:
      fill<std::int64_t>(array, random);
      break;
    case BaseType::Int32:
      fill<std::int32_t>(array, random);
      break;
    case BaseType::Bool:
      fill<bool>(array, random);
      break;
    default:
      return Diagnostic{"", "no random values of type " + array.type.text(), ""};
  }
  return Ok{};
}

Result<std::int64_t> size_of(const Expr& expr, const Sizes& sizes) {
  if (const auto value = evaluate(expr, sizes)) return *value;
  return Diagnostic{"", "the size '" + to_text(expr) + "' has no value", ""};
}

Result<NdArray> array_for(const Data& data, const Sizes& sizes) {
  NdArray array;
  array.type = data.dtype;
  const std::size_t bytes = std::size_t(data.dtype.bytes().value_or(8));
  if (data.is_scalar()) {
    array.bytes.resize(bytes);
    return array;
  }
  std::int64_t last = 0;
  bool is_empty = false;
  for (std::size_t d = 0; d < data.shape.size(); ++d) {
    SDFG_TRY(const std::int64_t extent, size_of(data.shape[d], sizes));
    const Array* described = data.as_array();
    if (!described) return Diagnostic{"", "no data for a " + data.json_type(), ""};
    SDFG_TRY(const std::int64_t stride, size_of(described->strides[d], sizes));
    array.shape.push_back(extent);
    array.strides.push_back(stride);
    last += (extent - 1) * stride;
    is_empty |= extent <= 0;
  }
  array.bytes.resize(is_empty ? 0 : std::size_t(last + 1) * bytes);
  return array;
}

}  // namespace

Result<NamedArrays> generate_data(const Sdfg& sdfg, std::uint64_t seed, bool any_sizes) {
  Random random(seed);
  SDFG_TRY(const std::vector<Argument> arguments, signature(sdfg));
  NamedArrays all;
  Sizes sizes;
  const auto add_symbol = [&](const std::string& name, const Type& type) {
    if (sizes.contains(name)) return;
    std::int64_t value = random.between(4, 9);
    // Mostly, what begins does so before what ends.
    if (any_sizes && (name == "a" || random.chance(40)))
      value = random.between(name[0] >= 'a' ? -3 : 0, 4);
    sizes[name] = value;
    NdArray scalar;
    scalar.type = type.known() ? type : Type(BaseType::Int64);
    scalar.bytes.resize(std::size_t(scalar.type.bytes().value_or(8)));
    std::memcpy(scalar.bytes.data(), &value, scalar.bytes.size());  // little endian
    all[name] = std::move(scalar);
  };
  for (const Argument& argument : arguments)
    if (!argument.data) add_symbol(argument.name, argument.type);
  // Symbols that only shapes mention.
  for (const std::string& name : free_symbols(sdfg))
    if (const auto found = sdfg.symbols.find(name); found != sdfg.symbols.end())
      add_symbol(name, found->second);
  for (const auto& [name, data] : sdfg.arrays) {
    if (data.transient) continue;
    Result<NdArray> array = array_for(data, sizes);
    if (!array) return Diagnostic{"container '" + name + "'", array.error().message, ""};
    if (const Status filled = fill_any(*array, random); !filled) return filled.error();
    all[name] = *std::move(array);
  }
  return all;
}

}  // namespace sdfg
