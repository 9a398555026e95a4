#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ir/expr.h"
#include "ir/type.h"

namespace sdfg::interpreter {

/// One number or truth value. Which member counts follows from the expression's type, which is
/// known before anything runs: integers of all widths and bool are held in `i` (narrow ones sign-
/// or zero-extended, uint64 as its bits), half precision in `f32`, already rounded. A structure is
/// the address of its members (record.h).
union Number {
  std::int64_t i;
  float f32;
  double f64;
  std::complex<float> c64;
  std::complex<double> c128;
  std::byte* record;

  Number() : i(0) {}
  explicit Number(std::int64_t value) : i(value) {}
};

using Unary = Number (*)(Number);
using Binary = Number (*)(Number, Number);

template <class T>
T get(Number s) {
  if constexpr (std::is_same_v<T, bool>) return s.i != 0;
  else if constexpr (std::is_integral_v<T>) return T(s.i);
  else if constexpr (std::is_same_v<T, float>) return s.f32;
  else if constexpr (std::is_same_v<T, double>) return s.f64;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return s.c64;
  else return s.c128;
}
template <class T>
Number number_of(T value) {
  Number s;
  if constexpr (std::is_integral_v<T>) s.i = std::int64_t(value);
  else if constexpr (std::is_same_v<T, float>) s.f32 = value;
  else if constexpr (std::is_same_v<T, double>) s.f64 = value;
  else if constexpr (std::is_same_v<T, std::complex<float>>) s.c64 = value;
  else s.c128 = value;
  return s;
}

/// Calls f.template operator()<T>() with the C++ type that holds values of this type.
template <class F>
auto with_type(BaseType type, F&& f) {
  switch (type) {
    case BaseType::Bool: return f.template operator()<bool>();
    case BaseType::Int8: return f.template operator()<std::int8_t>();
    case BaseType::Int16: return f.template operator()<std::int16_t>();
    case BaseType::Int32: return f.template operator()<std::int32_t>();
    case BaseType::Int64: return f.template operator()<std::int64_t>();
    case BaseType::UInt8: return f.template operator()<std::uint8_t>();
    case BaseType::UInt16: return f.template operator()<std::uint16_t>();
    case BaseType::UInt32: return f.template operator()<std::uint32_t>();
    case BaseType::UInt64: return f.template operator()<std::uint64_t>();
    case BaseType::Float16:
    case BaseType::BFloat16:
    case BaseType::Float32: return f.template operator()<float>();
    case BaseType::Complex64: return f.template operator()<std::complex<float>>();
    case BaseType::Complex128: return f.template operator()<std::complex<double>>();
    default: return f.template operator()<double>();
  }
}

/// Types whose values we can compute with: all scalars but the eight-bit floats.
bool is_supported(BaseType type);

// ---- C++'s rules.
/// As promoted_in_cpp and common_type_in_cpp. They throw Stop for structures, as conversion() does:
/// those have no arithmetic.
BaseType promoted(BaseType type);
BaseType common_type(BaseType a, BaseType b);

/// A C++ cast. Floats outside an integer's range become what x86 makes of them.
Number convert(Number value, BaseType from, BaseType to);
/// The cast as a function; null when there is nothing to do.
Unary conversion(BaseType from, BaseType to);
bool is_true(Number value, BaseType type);

/// Arithmetic, comparison (giving bool) or bit operation on two values of one promoted type, with
/// C++'s meaning: integers wrap around, `/` and `%` truncate. Null when C++ has no such operator.
/// Dividing an integer by zero throws Stop.
Binary binary_operator(Op op, BaseType type);
Unary unary_operator(Op op, BaseType type);

// ---- Memory.
using Load = Number (*)(const std::byte*);
using Store = void (*)(std::byte*, Number);
Load loader(BaseType type);
Store storer(BaseType type);

}  // namespace sdfg::interpreter
