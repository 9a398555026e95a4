#include "tools/common/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "codegen/interpreter/value.h"

namespace sdfg {
namespace {

/// One element as a complex number of doubles; 64-bit integers lose nothing that matters for the
/// size of a difference. Equality is decided on the bytes.
std::complex<double> number_at(const std::byte* at, BaseType type) {
  const auto load = [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (type) {
    case BaseType::Bool: return double(load(std::uint8_t{}) != 0);
    case BaseType::Int8: return double(load(std::int8_t{}));
    case BaseType::Int16: return double(load(std::int16_t{}));
    case BaseType::Int32: return double(load(std::int32_t{}));
    case BaseType::Int64: return double(load(std::int64_t{}));
    case BaseType::UInt8: return double(load(std::uint8_t{}));
    case BaseType::UInt16: return double(load(std::uint16_t{}));
    case BaseType::UInt32: return double(load(std::uint32_t{}));
    case BaseType::UInt64: return double(load(std::uint64_t{}));
    case BaseType::Float32: return double(load(float{}));
    case BaseType::Float64: return load(double{});
    case BaseType::Complex64: return std::complex<double>(load(std::complex<float>{}));
    case BaseType::Complex128: return load(std::complex<double>{});
    case BaseType::BFloat16:
    case BaseType::Float16: return double(interpreter::loader(type)(at).f32);
    default: return std::numeric_limits<double>::infinity();  // no number: no tolerance either
  }
}

/// Both parts NaN in the same places, or the same value (so that -0 equals 0 only bit for bit).
bool same_kind_of_nan(std::complex<double> a, std::complex<double> b) {
  const auto same = [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) || x == y;
  };
  return same(a.real(), b.real()) && same(a.imag(), b.imag()) &&
         (std::isnan(a.real()) || std::isnan(a.imag()));
}

bool is_finite(std::complex<double> x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

void compare_element(OutputDifference& difference, const std::byte* computed,
                     const std::byte* recorded, Type type) {
  ++difference.elements;
  const auto size = std::size_t(*type.bytes());
  if (std::memcmp(computed, recorded, size) == 0) return;
  const std::complex<double> a = number_at(computed, type.base()),
                             b = number_at(recorded, type.base());
  if (same_kind_of_nan(a, b)) return;
  ++difference.unequal;
  if (!is_finite(a) || !is_finite(b)) {
    ++difference.nonfinite;
    return;
  }
  const double absolute = std::abs(a - b);
  const double relative = absolute == 0 ? 0
                          : std::abs(b) == 0
                              ? std::numeric_limits<double>::infinity()
                              : absolute / std::abs(b);
  difference.largest_absolute = std::max(difference.largest_absolute, absolute);
  difference.largest_relative = std::max(difference.largest_relative, relative);
  difference.error = std::max(difference.error, std::min(absolute, relative));
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Result<OutputDifference> compare(const std::string& name, const NdArray& computed,
                                 const NdArray& recorded, const NdArray* arbitrary) {
  const std::string place = "output '" + name + "'";
  if (!(computed.type == recorded.type))
    return Diagnostic{place, "has the type " + computed.type.text() + ", recorded is " +
                                 recorded.type.text()};
  if (computed.count() != recorded.count() ||
      (computed.shape != recorded.shape && !computed.shape.empty() && !recorded.shape.empty()))
    return Diagnostic{place, "has the shape " + shape_text(computed.shape) + ", recorded is " +
                                 shape_text(recorded.shape)};
  OutputDifference difference{.name = name};
  const auto size = std::size_t(computed.type.bytes().value_or(0));
  std::vector<std::int64_t> index(recorded.shape.size(), 0);
  for (std::size_t n = recorded.count(); n > 0; --n) {
    std::int64_t a = 0, b = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (d < computed.strides.size()) a += index[d] * computed.strides[d];
      b += index[d] * recorded.strides[d];
    }
    const bool any = arbitrary && arbitrary->bytes[std::size_t(b)] != std::byte{0};
    if (!any)
      compare_element(difference, computed.bytes.data() + std::size_t(a) * size,
                      recorded.bytes.data() + std::size_t(b) * size, recorded.type);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < recorded.shape[d]) break;
      index[d] = 0;
    }
  }
  return difference;
}

}  // namespace

bool RunReport::bit_for_bit() const {
  return std::ranges::all_of(outputs, [](const OutputDifference& o) { return o.unequal == 0; });
}

bool RunReport::within(double tolerance) const {
  return std::ranges::all_of(outputs, [&](const OutputDifference& o) {
    return o.nonfinite == 0 && (o.unequal == 0 || o.error <= tolerance);
  });
}

double RunReport::largest_error() const {
  double largest = 0;
  for (const OutputDifference& o : outputs)
    largest = std::max(largest, o.nonfinite ? std::numeric_limits<double>::infinity() : o.error);
  return largest;
}

Backend interpreter_backend(const InterpreterOptions& options) {
  return [options](const Sdfg& sdfg, NamedArrays arguments) -> Result<Executed> {
    SDFG_TRY(Execution execution, interpret(sdfg, std::move(arguments), options));
    return Executed{std::move(execution.arguments), std::move(execution.warnings),
                    std::move(execution.arbitrary), std::move(execution.counts), execution.steps};
  };
}

Result<RunReport> run_and_compare(const Sdfg& sdfg, const NamedArrays& recorded,
                                  const Backend& backend) {
  NamedArrays arguments, expected;
  for (const auto& [name, array] : recorded) {
    if (name.starts_with("in:")) arguments.emplace(name.substr(3), array);
    if (name.starts_with("out:")) expected.emplace(name.substr(4), array);
  }
  const bool has_results = std::ranges::any_of(sdfg.arrays, [](const auto& named) {
    return !named.second.transient && !named.second.is_scalar();
  });
  if (expected.empty() && has_results)
    return Diagnostic{"", "the data has no recorded output to compare with",
                      "outputs are entries named 'out:NAME', inputs 'in:NAME'"};
  SDFG_TRY(Executed executed, backend(sdfg, std::move(arguments)));
  SDFG_TRY(RunReport report, compare_arguments(executed.arguments, expected));
  report.warnings = std::move(executed.warnings);
  report.counts = std::move(executed.counts);
  return report;
}

Result<NamedArrays> run_and_record(const Sdfg& sdfg, const NamedArrays& recorded,
                                   const Backend& backend) {
  NamedArrays arguments, all;
  for (const auto& [name, array] : recorded)
    if (name.starts_with("in:")) {
      arguments.emplace(name.substr(3), array);
      all.emplace(name, array);
    }
  SDFG_TRY(Executed executed, backend(sdfg, std::move(arguments)));
  for (auto& [name, array] : executed.arguments)
    if (!array.shape.empty()) all.emplace("out:" + name, std::move(array));
  return all;
}

Result<RunReport> compare_arguments(const NamedArrays& computed, const NamedArrays& expected,
                                    const NamedArrays& arbitrary) {
  RunReport report;
  for (const auto& [name, array] : expected) {
    const auto found = computed.find(name);
    if (found == computed.end())
      return Diagnostic{"output '" + name + "'", "is recorded, but no argument of the program"};
    const auto flags = arbitrary.find(name);
    const NdArray* any_value = flags == arbitrary.end() ? nullptr : &flags->second;
    SDFG_TRY(OutputDifference difference, compare(name, found->second, array, any_value));
    report.outputs.push_back(std::move(difference));
  }
  return report;
}

std::string to_text(const RunReport& report) {
  if (report.outputs.empty()) return "nothing to compare: none of the arguments is an array\n";
  std::size_t width = 6;
  for (const OutputDifference& o : report.outputs) width = std::max(width, o.name.size());
  std::string text = fmt::format("{:<{}}  {:>10}  {:>10}  {:>12}  {:>12}\n", "output", width,
                                 "elements", "unequal", "absolute", "relative");
  for (const OutputDifference& o : report.outputs) {
    text += fmt::format("{:<{}}  {:>10}  {:>10}  {:>12.3g}  {:>12.3g}", o.name, width, o.elements,
                        o.unequal, o.largest_absolute, o.largest_relative);
    if (o.nonfinite) text += fmt::format("  {} infinite or NaN on one side", o.nonfinite);
    text += '\n';
  }
  return text;
}

}  // namespace sdfg
