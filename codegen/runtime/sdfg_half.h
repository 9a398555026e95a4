// Numbers of 16 bits as they lie in memory: IEEE binary16 and the upper half of a float. Arithmetic
// is that of float; what is stored is rounded to nearest even, as DaCe's C++ does on CPUs.
#pragma once

#include "sdfg_math.h"

namespace sdfg {

struct float16 {
  uint16_t bits;  // without an initializer: blocks of threads can share them

  float16() = default;
  template <class T>
    requires requires(T value) { float(value); }
  SDFG_BOTH constexpr float16(T value) : bits(rounded(float(value))) {}
  SDFG_BOTH constexpr operator float() const { return widened(bits); }

  SDFG_BOTH static constexpr uint16_t rounded(float value) {
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
      uint16_t result;
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(value));
      return result;
    }
#elif defined(__AMDGCN__) || (defined(__F16C__) && defined(__FLT16_MAX__))
    if (!__builtin_is_constant_evaluated())
      return __builtin_bit_cast(uint16_t, static_cast<_Float16>(value));
#endif
    const uint32_t all = __builtin_bit_cast(uint32_t, value), magnitude = all & 0x7fffffff;
    const uint32_t sign = all >> 16 & 0x8000;
    if (magnitude > 0x7f800000) return uint16_t(sign | 0x7e00);   // NaN
    if (magnitude >= 0x477ff000) return uint16_t(sign | 0x7c00);  // infinite, or rounded to that
    if (magnitude >= 0x38800000)
      return uint16_t(sign | (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13);
    // Below the smallest normal number: the sum with 0.5 is rounded at the bit that counts.
    const float sum = __builtin_bit_cast(float, magnitude) + 0.5f;
    return uint16_t(sign | (__builtin_bit_cast(uint32_t, sum) - 0x3f000000));
  }
  SDFG_BOTH static constexpr float widened(uint16_t half) {
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
      float result;
      asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(half));
      return result;
    }
#elif defined(__AMDGCN__) || (defined(__F16C__) && defined(__FLT16_MAX__))
    if (!__builtin_is_constant_evaluated()) return float(__builtin_bit_cast(_Float16, half));
#endif
    const uint32_t sign = uint32_t(half & 0x8000) << 16, rest = half & 0x7fff;
    if (rest >= 0x7c00)
      return __builtin_bit_cast(float, sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest >= 0x400) return __builtin_bit_cast(float, sign | ((rest << 13) + 0x38000000));
    const float tiny = float(rest) * 0x1p-24f;
    return sign ? -tiny : tiny;
  }
};

struct bfloat16 {
  uint16_t bits;

  bfloat16() = default;
  template <class T>
    requires requires(T value) { float(value); }
  SDFG_BOTH constexpr bfloat16(T value) : bits(rounded(float(value))) {}
  SDFG_BOTH constexpr operator float() const {
    return __builtin_bit_cast(float, uint32_t(bits) << 16);
  }

  SDFG_BOTH static constexpr uint16_t rounded(float value) {
    const uint32_t all = __builtin_bit_cast(uint32_t, value);
    if ((all & 0x7fffffff) > 0x7f800000) return uint16_t(all >> 16 | 0x40);  // NaN
    return uint16_t((all + 0x7fff + (all >> 16 & 1)) >> 16);
  }
};

template <class T>
inline constexpr bool is_half = __is_same(T, float16) || __is_same(T, bfloat16);

#define SDFG_HALF_ASSIGN(op)                                         \
  template <class H, class T>                                        \
    requires is_half<H>                                              \
  SDFG_BOTH constexpr H& operator op##=(H& a, const T& b) {          \
    return a = H(float(a) op float(b));                              \
  }
SDFG_HALF_ASSIGN(+) SDFG_HALF_ASSIGN(-) SDFG_HALF_ASSIGN(*) SDFG_HALF_ASSIGN(/)
#undef SDFG_HALF_ASSIGN

template <class T>
  requires is_half<T>
struct Sums<T> {
  using type = float;
};

template <class T>
SDFG_BOTH constexpr auto as_float(T value) {
  if constexpr (is_half<T>)
    return float(value);
  else
    return value;
}
template <class... All>
  requires(is_half<All> || ...)
SDFG_BOTH constexpr auto min(All... all) {
  return sdfg::min(as_float(all)...);
}
template <class... All>
  requires(is_half<All> || ...)
SDFG_BOTH constexpr auto max(All... all) {
  return sdfg::max(as_float(all)...);
}

}  // namespace sdfg
