// Functions that tasklets may call, with DaCe's meaning. Built-ins rather than <cmath>, which
// takes longer to compile than most programs.
#pragma once

#include "sdfg_runtime.h"

namespace sdfg {

/// A short vector as a value; arithmetic goes element by element.
#if !defined(__CUDACC__)
template <class T, int n>
using vec __attribute__((vector_size(n * sizeof(T)))) = T;
#else
template <class T, int n>
struct alignas(n * sizeof(T)) vec {
  T at[n];

  vec() = default;
  SDFG_BOTH vec(T all) {
    for (int i = 0; i < n; ++i) at[i] = all;
  }
  SDFG_BOTH T& operator[](int i) { return at[i]; }
  SDFG_BOTH const T& operator[](int i) const { return at[i]; }
#define SDFG_VECTOR_OPERATOR(op)                                                     \
  SDFG_BOTH friend vec operator op(vec a, const vec& b) {                            \
    for (int i = 0; i < n; ++i) a.at[i] = a.at[i] op b.at[i];                        \
    return a;                                                                        \
  }                                                                                  \
  SDFG_BOTH vec& operator op##=(const vec& b) { return *this = *this op b; }
  SDFG_VECTOR_OPERATOR(+) SDFG_VECTOR_OPERATOR(-)
  SDFG_VECTOR_OPERATOR(*) SDFG_VECTOR_OPERATOR(/)
#undef SDFG_VECTOR_OPERATOR
  SDFG_BOTH friend vec operator-(const vec& a) { return vec(T(0)) - a; }
};
#endif

/// A vector whose elements lie among others of an array.
template <class V, class T>
SDFG_BOTH V load_vector(const T* from) {
  V vector;
  memcpy(&vector, from, sizeof vector);
  return vector;
}
template <class V, class T>
SDFG_BOTH void store_vector(T* to, const V& vector) {
  memcpy(to, &vector, sizeof vector);
}

template <class T>
inline constexpr bool is_float = false;
template <>
inline constexpr bool is_float<float> = true;
template <>
inline constexpr bool is_float<double> = true;
template <class T>
inline constexpr bool is_integer = !is_float<T> && __is_trivially_constructible(T) &&
                                   requires(T t) { t % t; };

/// What numbers are summed up in: wider than what they are stored in where that is narrow.
template <class T>
struct Sums {
  using type = T;
};
template <class T>
using SumOf = typename Sums<T>::type;

/// What a variable holds that is made with the value; for its type alone.
template <class T>
SDFG_BOTH T as_value(const T&);

/// The value as what the first argument is.
template <class T, class V>
SDFG_BOTH inline T like(const T&, V value) {
  return T(value);
}

// A float stays a float; everything else is a double.
#define SDFG_MATH_1(name)                                                      \
  SDFG_BOTH inline float name(float x) { return SDFG_LIBM(name##f)(x); }       \
  SDFG_BOTH inline double name(double x) { return SDFG_LIBM(name)(x); }        \
  template <class T>                                                           \
    requires is_integer<T>                                                     \
  SDFG_BOTH inline double name(T x) {                                          \
    return SDFG_LIBM(name)(double(x));                                         \
  }
#define SDFG_MATH_2(name)                                                      \
  SDFG_BOTH inline float name(float x, float y) { return SDFG_LIBM(name##f)(x, y); } \
  SDFG_BOTH inline double name(double x, double y) { return SDFG_LIBM(name)(x, y); } \
  template <class A, class B>                                                  \
    requires(is_float<A> || is_integer<A>) && (is_float<B> || is_integer<B>)   \
  SDFG_BOTH inline double name(A x, B y) {                                     \
    return SDFG_LIBM(name)(double(x), double(y));                              \
  }
SDFG_MATH_1(sin) SDFG_MATH_1(cos) SDFG_MATH_1(tan) SDFG_MATH_1(asin) SDFG_MATH_1(acos)
SDFG_MATH_1(atan) SDFG_MATH_1(sinh) SDFG_MATH_1(cosh) SDFG_MATH_1(tanh) SDFG_MATH_1(asinh)
SDFG_MATH_1(acosh) SDFG_MATH_1(atanh) SDFG_MATH_1(exp) SDFG_MATH_1(exp2) SDFG_MATH_1(expm1)
SDFG_MATH_1(log) SDFG_MATH_1(log2) SDFG_MATH_1(log10) SDFG_MATH_1(log1p) SDFG_MATH_1(sqrt)
SDFG_MATH_1(cbrt) SDFG_MATH_1(ceil) SDFG_MATH_1(floor) SDFG_MATH_1(trunc) SDFG_MATH_1(rint)
SDFG_MATH_1(round) SDFG_MATH_1(erf) SDFG_MATH_1(erfc) SDFG_MATH_1(tgamma) SDFG_MATH_1(lgamma)
SDFG_MATH_1(fabs)
SDFG_MATH_2(atan2) SDFG_MATH_2(fmod) SDFG_MATH_2(hypot) SDFG_MATH_2(copysign)
SDFG_MATH_2(fmin) SDFG_MATH_2(fmax) SDFG_MATH_2(remainder) SDFG_MATH_2(nextafter)
#undef SDFG_MATH_1
#undef SDFG_MATH_2

SDFG_BOTH inline float abs(float x) { return SDFG_LIBM(fabsf)(x); }
SDFG_BOTH inline double abs(double x) { return SDFG_LIBM(fabs)(x); }
template <class T>
  requires is_integer<T>
SDFG_BOTH constexpr auto abs(T x) {
  if constexpr (T(-1) < T(0))
    return x < T(0) ? -x : +x;
  else
    return x;
}

/// The parts of what DaCe's np_modf and np_frexp give; `frexp` alone is Fortran's EXPONENT.
template <class T>
  requires is_float<T>
SDFG_BOTH inline T modf_fraction(T x) {
  return copysign(__builtin_isinf(x) ? T(0) : x - trunc(x), x);
}
SDFG_BOTH inline int frexp(float x) {
  int exponent = 0;
  SDFG_LIBM(frexpf)(x, &exponent);
  return exponent;
}
SDFG_BOTH inline int frexp(double x) {
  int exponent = 0;
  SDFG_LIBM(frexp)(x, &exponent);
  return exponent;
}
SDFG_BOTH inline float frexp_mantissa(float x) {
  int exponent = 0;
  return SDFG_LIBM(frexpf)(x, &exponent);
}
SDFG_BOTH inline double frexp_mantissa(double x) {
  int exponent = 0;
  return SDFG_LIBM(frexp)(x, &exponent);
}

/// A power with a literal exponent: the product from left to right, in T.
template <class T>
SDFG_BOTH constexpr T ipow(T x, unsigned n) {
  T result = x;
  for (unsigned i = 1; i < n; ++i) result *= x;
  return result;
}
/// The exponents 2 and -1 are one operation each, as compilers make of them where they see the
/// exponent: results do not depend on whether they do.
SDFG_BOTH inline float pow(float x, float y) {
  return y == 2 ? x * x : y == -1 ? 1 / x : SDFG_LIBM(powf)(x, y);
}
SDFG_BOTH inline double pow(double x, double y) {
  return y == 2 ? x * x : y == -1 ? 1 / x : SDFG_LIBM(pow)(x, y);
}
/// In subsets and sizes: an integer of integers. A negative exponent gives 0.
template <class A, class B>
SDFG_BOTH inline auto index_pow(A x, B y) {
  if constexpr (is_integer<A> && is_integer<B>) {
    A result = y < B(0) ? A(0) : A(1);
    for (B i = 0; i < y; ++i) result *= x;
    return result;
  } else {
    return pow(double(x), double(y));
  }
}
/// In code: two int or two unsigned give one, as in DaCe; all else is a double.
template <class A, class B>
  requires(is_float<A> || is_integer<A>) && (is_float<B> || is_integer<B>)
SDFG_BOTH inline auto pow(A x, B y) {
  if constexpr (__is_same(A, B) && (__is_same(A, int) || __is_same(A, unsigned)))
    return index_pow(x, y);
  else
    return pow(double(x), double(y));
}
/// C's pow, which integers reach as doubles, too.
template <class A, class B>
SDFG_BOTH inline auto c_pow(A x, B y) {
  if constexpr (is_integer<A> && is_integer<B>)
    return pow(double(x), double(y));
  else
    return pow(x, y);
}
/// NumPy's float_power.
SDFG_BOTH inline double float_pow(double x, double y) { return pow(x, y); }
/// A power with the exponent 0.5: of an integer, it is cut to its type.
template <class T>
SDFG_BOTH inline auto square_root(T x) {
  if constexpr (is_integer<T>)
    return T(sqrt(x));
  else
    return sqrt(x);
}

template <class T>
SDFG_BOTH constexpr T reciprocal(T x) {
  return T(1) / x;
}
template <class T>
SDFG_BOTH constexpr int sgn(T x) {
  return (T(0) < x) - (x < T(0));
}
template <class T>
SDFG_BOTH constexpr T sign(T x) {
  return T((T(0) < x) - (x < T(0)));
}
template <class T>
SDFG_BOTH constexpr T sign_numpy_2(T x) {
  return sign(x);
}
template <class T>
SDFG_BOTH constexpr T heaviside(T x, T at_zero) {
  return x < T(0) ? T(0) : x > T(0) ? T(1) : at_zero;
}
template <class T>
SDFG_BOTH constexpr T heaviside(T x) {
  return T(x > T(0));
}
/// Rounds down to an int, the reach of 32 bits whatever the argument.
template <class T>
SDFG_BOTH inline auto ifloor(T x) {
  if constexpr (is_integer<T>)
    return x;
  else
    return int(floor(x));
}
template <class T>
SDFG_BOTH inline int iround(T x) {
  return int(round(x));
}
/// Integers: as C divides; otherwise rounds down.
template <class A, class B>
SDFG_BOTH inline auto quotient(A a, B b) {
  if constexpr (is_integer<A> && is_integer<B>)
    return a / b;
  else
    return ifloor(a / b);
}
/// DaCe's int_ceil, which rounds up where a + b is positive.
template <class A, class B>
SDFG_BOTH constexpr auto int_ceil(A a, B b) {
  return (a + b - 1) / b;
}
/// Integers: C's remainder; otherwise with the sign of the divisor.
template <class A, class B>
SDFG_BOTH inline auto remainder_of(A a, B b) {
  if constexpr ((is_integer<A> || __is_same(A, bool)) && (is_integer<B> || __is_same(B, bool))) {
    return a % b;
  } else {
    using T = decltype(a + b);
    const T r = fmod(T(a), T(b));
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
}
/// NumPy's and Python's integer division and remainder, rounding towards minus infinity.
template <class T>
SDFG_BOTH inline T py_floor(T a, T b) {
  if constexpr (is_integer<T>) {
    const T q = a / b;
    return T(q - ((a % b != 0) & ((a < 0) != (b < 0))));
  } else {
    return floor(a / b);
  }
}
template <class T>
SDFG_BOTH inline T py_mod(T a, T b) {
  return a - py_floor(a, b) * b;
}
template <class T>
SDFG_BOTH inline T cpp_mod(T a, T b) {
  if constexpr (is_integer<T>)
    return a % b;
  else
    return fmod(a, b);
}
template <class T>
SDFG_BOTH constexpr T gcd(T a, T b) {
  while (b != 0) {
    const T rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}
template <class T>
SDFG_BOTH constexpr T lcm(T a, T b) {
  return a == 0 || b == 0 ? T(0) : abs(a) / gcd(a, b) * abs(b);
}
template <class T>
SDFG_BOTH constexpr bool isfinite(T x) {
  return x - x == x - x;
}
template <class T>
SDFG_BOTH constexpr bool isinf(T x) {
  return x == x && x - x != x - x;
}
template <class T>
SDFG_BOTH constexpr bool isnan(T x) {
  return x != x;
}
template <class T>
SDFG_BOTH inline bool signbit(T x) {
  return copysign(T(1), x) < T(0);
}
template <class T>
SDFG_BOTH inline T deg2rad(T x) {
  return x * 3.14159265358979323846 / T(180);
}
template <class T>
SDFG_BOTH inline T rad2deg(T x) {
  return x * T(180) / 3.14159265358979323846;
}
template <class T>
SDFG_BOTH constexpr T conj(T x) {
  return x;
}

}  // namespace sdfg
