#include "tools/common/arguments.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "ir/analysis/signature.h"
#include "ir/walk.h"
#include "support/hash.h"
#include "tools/common/conditions.h"

namespace sdfg {
namespace {

/// Numbers that depend on the seed, the argument's name and the position alone, so that another
/// argument more or less changes nothing.
class Numbers {
 public:
  Numbers(std::uint64_t seed, std::string_view name)
      : seed_(Hasher().add(seed).add(name).value()) {}
  std::uint64_t next() { return Hasher().add(seed_).add(count_++).value(); }
  double real() { return 0.5 + double(next() >> 11) * 0x1p-53; }
  std::int64_t below(std::int64_t bound) { return std::int64_t(next() % std::uint64_t(bound)); }

 private:
  std::uint64_t seed_, count_ = 0;
};

void fill(NdArray& array, Numbers& numbers, std::int64_t size) {
  const std::int64_t bound = std::max<std::int64_t>(size / 2, 1);
  std::byte* at = array.bytes.data();
  const auto put = [&](auto value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  };
  for (std::size_t n = array.count(); n > 0; --n) switch (array.type.base()) {
      case BaseType::Bool: put(std::uint8_t(numbers.next() >> 63)); break;
      case BaseType::Int8:
      case BaseType::UInt8: put(std::int8_t(numbers.below(bound))); break;
      case BaseType::Int16:
      case BaseType::UInt16: put(std::int16_t(numbers.below(bound))); break;
      case BaseType::Int32:
      case BaseType::UInt32: put(std::int32_t(numbers.below(bound))); break;
      case BaseType::Int64:
      case BaseType::UInt64: put(numbers.below(bound)); break;
      case BaseType::Float16: put(std::uint16_t(0x3800 + numbers.below(0x400))); break;
      case BaseType::BFloat16: put(std::uint16_t(0x3f00 + numbers.below(0x80))); break;
      case BaseType::Float32: put(float(numbers.real())); break;
      case BaseType::Float64: put(numbers.real()); break;
      case BaseType::Complex64: {
        const double re = numbers.real();
        put(std::complex<float>(float(re), float(numbers.real())));
        break;
      }
      case BaseType::Complex128: {
        const double re = numbers.real();
        put(std::complex<double>(re, numbers.real()));
        break;
      }
      default: return;
    }
}

NdArray whole_number(Type type, std::int64_t value) {
  if (!type.is_integer() && !type.is_bool() && !type.is_float()) type = BaseType::Int64;
  NdArray array = NdArray::zeros(type, {});
  if (type == Type(BaseType::Float64)) {
    const double number = double(value);
    std::memcpy(array.bytes.data(), &number, sizeof number);
  } else if (type == Type(BaseType::Float32)) {
    const float number = float(value);
    std::memcpy(array.bytes.data(), &number, sizeof number);
  } else {
    std::memcpy(array.bytes.data(), &value, array.bytes.size());  // little endian
  }
  return array;
}

std::optional<std::int64_t> whole_number_of(const NdArray& array) {
  if (array.count() != 1 || !array.type.is_integer()) return std::nullopt;
  std::int64_t value = 0;
  std::memcpy(&value, array.bytes.data(), std::min<std::size_t>(array.bytes.size(), 8));
  return value;
}

/// Symbols that stand alone as an extent of a given array.
std::map<std::string, std::int64_t> given_extents(const Sdfg& sdfg, const NamedArrays& given) {
  std::map<std::string, std::int64_t> extents;
  for (const auto& [name, array] : given) {
    const Data* data = sdfg.arrays.get(name);
    if (!data || data->shape.size() != array.shape.size()) continue;
    for (std::size_t d = 0; d < array.shape.size(); ++d)
      if (data->shape[d].is(Op::Symbol)) extents.emplace(data->shape[d].name(), array.shape[d]);
  }
  return extents;
}

using Values = ByName<std::int64_t>;

/// Symbols that say where extents of containers and ranges of maps begin, and where they end.
struct Borders {
  SymbolSet begins, ends;

  explicit Borders(const Sdfg& sdfg) {
    for (const auto& [name, data] : sdfg.arrays)
      for (const Expr& extent : data.shape) add(extent, ends, begins);
    for_each_state(sdfg, [&](const State& state) {
      for (NodeId n : state.nodes_of<MapEntry>())
        for (const Range& range : state.get<MapEntry>(n).ranges) {
          add(range.begin, begins, ends);
          add(range.end, ends, begins);
        }
    });
  }

  std::int64_t value(const std::string& symbol, std::int64_t size) const {
    if (!begins.contains(symbol)) return size;
    return ends.contains(symbol) ? size / 2 : 0;
  }

 private:
  static void add(const Expr& sum, SymbolSet& here, SymbolSet& other) {
    const auto add_term = [&](const Expr& term) {
      const bool negative =
          term.is(Op::Mul) && term.arg(0).as_integer().value_or(0) < 0;
      collect_symbols(term, negative ? other : here);
    };
    if (sum.is(Op::Add)) std::ranges::for_each(sum.args(), add_term);
    else add_term(sum);
  }
};

/// Symbols that are not decided and no part of a shape, but alone a stride: what makes no two
/// elements of a container lie at the same place. Each container is row-major, but for a dimension
/// whose stride is 1; of containers that share a stride, the largest decides.
Values stride_values(const Sdfg& sdfg, const SymbolSet& decided, const Values& sizes) {
  SymbolSet extents;
  for (const auto& [name, data] : sdfg.arrays)
    for (const Expr& extent : data.shape) collect_symbols(extent, extents);
  Values strides;
  const auto row_major = [&](const Data& data) {
    const Array* array = data.as_array();
    if (!array || array->strides.size() != data.shape.size()) return;
    const auto is_open = [&](const Expr& stride) {
      return stride.is(Op::Symbol) && !decided.contains(stride.name()) &&
             !extents.contains(stride.name());
    };
    std::vector<std::size_t> order;
    for (std::size_t d = data.shape.size(); d-- > 0;) order.push_back(d);
    std::ranges::stable_partition(order, [&](std::size_t d) {
      const Expr& stride = array->strides[d];
      return !is_open(stride) && evaluate(stride, sizes) == 1;
    });
    std::int64_t behind = 1;  // so many elements from one to the next of this dimension
    for (const std::size_t d : order) {
      const Expr& stride = array->strides[d];
      if (is_open(stride)) {
        std::int64_t& value = strides[stride.name()];
        behind = value = std::max(value, behind);
      } else {
        behind = std::max(behind, evaluate(stride, sizes).value_or(behind));
      }
      behind *= std::max<std::int64_t>(evaluate(data.shape[d], sizes).value_or(1), 1);
    }
  };
  // Twice, for what a later container has raised.
  for (int round = 0; round < 2; ++round)
    for (const auto& [name, data] : sdfg.arrays) row_major(data);
  return strides;
}

Diagnostic contradiction(const Expr& broken, const Values& values) {
  std::string found;
  for (const std::string& symbol : free_symbols(broken))
    if (const auto at = values.find(symbol); at != values.end())
      found += (found.empty() ? "" : ", ") + symbol + " = " + std::to_string(at->second);
  return {{}, "the arguments contradict the assumption '" + to_text(broken) + "' (" + found + ")",
          "give values that keep to it with --set=NAME=VALUE or --run=DATA.npz"};
}

}  // namespace

Result<NamedArrays> make_arguments(const Sdfg& sdfg, const ArgumentOptions& options) {
  NamedArrays arguments = options.given;
  const auto extents = given_extents(sdfg, options.given);
  const Borders borders(sdfg);
  const auto value_of = [&](const std::string& name) {
    if (const auto at = options.constants.find(name); at != options.constants.end())
      return at->second;
    if (const auto at = extents.find(name); at != extents.end()) return at->second;
    return borders.value(name, options.size);
  };
  SymbolSet decided, open;  // of the integers, the others
  for (const auto& [name, array] : options.given) decided.insert(name);
  for (const auto& [name, value] : options.constants) decided.insert(name);
  const auto make = [&](const std::string& name, Type type) {
    if (!arguments.try_emplace(name, whole_number(type, value_of(name))).second) return;
    if (!decided.contains(name) && !extents.contains(name)) open.insert(name);
  };
  for (const std::string& name : free_symbols(sdfg)) {
    const auto declared = sdfg.symbols.find(name);
    make(name, declared == sdfg.symbols.end() ? Type(BaseType::Int64) : declared->second);
  }
  for (const auto& [name, data] : sdfg.arrays)
    if (!data.transient && data.is_scalar() && data.dtype.is_integer()) make(name, data.dtype);
  Values sizes;
  for (const auto& [name, array] : arguments)
    if (const auto value = whole_number_of(array)) sizes[name] = *value;
  decided.merge(keep_to(options.assume, open, 2 * options.size, sizes));
  for (const auto& [name, value] : stride_values(sdfg, decided, sizes)) sizes[name] = value;
  for (const auto& [name, value] : sizes)
    if (open.contains(name)) arguments.at(name) = whole_number(arguments.at(name).type, value);
  if (const Expr* broken = first_broken(options.assume, sizes))
    return contradiction(*broken, sizes);

  for (const auto& [name, data] : sdfg.arrays) {
    if (data.transient || arguments.contains(name) || data.is_stream() || data.is_structure())
      continue;
    std::vector<std::int64_t> shape;
    if (!data.is_scalar())
      for (const Expr& e : data.shape) {
        const auto extent = evaluate(e, sizes);
        if (!extent || *extent < 0)
          return Diagnostic{"data '" + name + "'", "its shape cannot be computed from the symbols",
                            "give the values of the symbols in '" + to_text(e) + "'"};
        shape.push_back(*extent);
      }
    if (!data.dtype.is_scalar())
      return Diagnostic{"data '" + name + "'", "no values are made for " + data.dtype.text()};
    NdArray array = NdArray::zeros(data.dtype, std::move(shape));
    Numbers numbers(options.seed, name);
    fill(array, numbers, options.size);
    arguments.emplace(name, std::move(array));
  }
  return arguments;
}

}  // namespace sdfg
