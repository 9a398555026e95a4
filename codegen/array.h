#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "ir/type.h"
#include "support/assert.h"
#include "support/by_name.h"
#include "support/result.h"

namespace sdfg {

/// Values of one container in NumPy's sense. Strides in elements, possibly not C order; an empty
/// shape is a scalar. `bytes` holds the whole strided extent; element (i0, …) starts at
/// sum(i_d * strides_d) * size of the type.
struct NdArray {
  Type type;
  std::vector<std::int64_t> shape, strides;
  std::vector<std::byte> bytes;

  std::size_t count() const;
  static NdArray zeros(Type type, std::vector<std::int64_t> shape);  ///< C order

  /// These elements in C order; as many as the shape has. T is one of the types of element_type.
  template <class T>
  static NdArray of(std::vector<std::int64_t> shape, const std::vector<T>& values);
  template <class T>
  static NdArray scalar(T value) {
    return of<T>({}, {value});
  }
  /// The elements in C order, for an array of that type.
  template <class T>
  std::vector<T> values() const;
};

/// The type of elements that C++ knows as T.
template <class T>
inline constexpr std::optional<BaseType> element_type = std::nullopt;
template <>
inline constexpr std::optional<BaseType> element_type<std::int8_t> = BaseType::Int8;
template <>
inline constexpr std::optional<BaseType> element_type<std::int16_t> = BaseType::Int16;
template <>
inline constexpr std::optional<BaseType> element_type<std::int32_t> = BaseType::Int32;
template <>
inline constexpr std::optional<BaseType> element_type<std::int64_t> = BaseType::Int64;
template <>
inline constexpr std::optional<BaseType> element_type<std::uint8_t> = BaseType::UInt8;
template <>
inline constexpr std::optional<BaseType> element_type<std::uint16_t> = BaseType::UInt16;
template <>
inline constexpr std::optional<BaseType> element_type<std::uint32_t> = BaseType::UInt32;
template <>
inline constexpr std::optional<BaseType> element_type<std::uint64_t> = BaseType::UInt64;
template <>
inline constexpr std::optional<BaseType> element_type<float> = BaseType::Float32;
template <>
inline constexpr std::optional<BaseType> element_type<double> = BaseType::Float64;
template <>
inline constexpr std::optional<BaseType> element_type<std::complex<float>> = BaseType::Complex64;
template <>
inline constexpr std::optional<BaseType> element_type<std::complex<double>> = BaseType::Complex128;

template <class T>
NdArray NdArray::of(std::vector<std::int64_t> shape, const std::vector<T>& values) {
  static_assert(element_type<T>.has_value(), "no container has elements of this type");
  NdArray array = zeros(*element_type<T>, std::move(shape));
  SDFG_ASSERT(values.size() == array.count())
      << values.size() << " values for " << array.count() << " elements";
  if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

template <class T>
std::vector<T> NdArray::values() const {
  static_assert(element_type<T>.has_value(), "no container has elements of this type");
  SDFG_ASSERT(type == Type(*element_type<T>)) << "the elements are " << type.text();
  std::vector<T> out;
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t n = count(); n > 0; --n) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) at += index[d] * strides[d];
    std::memcpy(&out.emplace_back(), bytes.data() + std::size_t(at) * sizeof(T), sizeof(T));
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return out;
}
using NamedArrays = ByName<NdArray>;

/// NumPy .npz (zip of .npy, stored or deflated) in and out. Fortran order becomes strides; integer,
/// float, complex and bool types of native endianness.
Result<NamedArrays> read_npz(const std::string& bytes);
std::string write_npz(const NamedArrays& arrays);

}  // namespace sdfg
