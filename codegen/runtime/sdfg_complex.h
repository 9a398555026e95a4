// Complex numbers in tasklets: std::complex, or what stands for it in programs that have a GPU.
// Python lets them meet integers and other floats, std::complex not.
#pragma once

#include "sdfg_math.h"

#if defined(SDFG_GPU_PROGRAM)
#include "sdfg_gpu_complex.h"
#else
#include <complex>
#endif

namespace sdfg {

#if !defined(SDFG_GPU_PROGRAM)
template <class T>
using complex = std::complex<T>;
#endif
using complex64 = complex<float>;
using complex128 = complex<double>;

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<complex<T>> = true;
template <class T>
concept Real = is_float<T> || is_integer<T>;

#if !defined(SDFG_GPU_PROGRAM)
#define SDFG_COMPLEX_1(name)                       \
  template <class T>                               \
  inline auto name(const std::complex<T>& x) {     \
    return std::name(x);                           \
  }
SDFG_COMPLEX_1(sin) SDFG_COMPLEX_1(cos) SDFG_COMPLEX_1(tan) SDFG_COMPLEX_1(asin)
SDFG_COMPLEX_1(acos) SDFG_COMPLEX_1(atan) SDFG_COMPLEX_1(sinh) SDFG_COMPLEX_1(cosh)
SDFG_COMPLEX_1(tanh) SDFG_COMPLEX_1(asinh) SDFG_COMPLEX_1(acosh) SDFG_COMPLEX_1(atanh)
SDFG_COMPLEX_1(exp) SDFG_COMPLEX_1(log) SDFG_COMPLEX_1(log10) SDFG_COMPLEX_1(sqrt)
SDFG_COMPLEX_1(abs) SDFG_COMPLEX_1(conj)
#undef SDFG_COMPLEX_1
template <class T, class B>
inline auto pow(const std::complex<T>& x, B y) {
  if constexpr (is_integer<B>) {
    return std::pow(x, T(y));
  } else if constexpr (is_float<B> && !__is_same(T, B)) {
    using W = decltype(T() + y);
    return std::pow(std::complex<W>(x), std::complex<W>(y));
  } else {
    return std::pow(x, y);
  }
}
template <Real A, class T>
inline auto pow(A x, const std::complex<T>& y) {
  using W = decltype(T() + x * T(0));
  return std::pow(std::complex<W>(x), std::complex<W>(y));
}
#endif
// What std::complex leaves out and NumPy has.
template <class T>
SDFG_BOTH inline complex<T> exp2(const complex<T>& x) {
  return sdfg::exp(x * sdfg::log(T(2)));
}
template <class T>
SDFG_BOTH inline complex<T> log2(const complex<T>& x) {
  return {sdfg::log2(sdfg::abs(x)), sdfg::atan2(x.imag(), x.real()) / sdfg::log(T(2))};
}
template <class T>
SDFG_BOTH inline complex<T> expm1(const complex<T>& x) {
  return sdfg::exp(x) - T(1);
}
template <class T>
SDFG_BOTH inline complex<T> log1p(const complex<T>& x) {
  return sdfg::log(x + T(1));
}
template <class A, class B>
  requires(is_complex<A> || is_complex<B>)
SDFG_BOTH inline auto c_pow(A x, B y) {
  return sdfg::pow(x, y);
}
template <class A, class B>
  requires(is_complex<A> || is_complex<B>)
SDFG_BOTH inline complex128 float_pow(const A& x, const B& y) {
  return sdfg::pow(complex128(x), complex128(y));
}
template <class T>
SDFG_BOTH inline complex<T> round(const complex<T>& x) {
  return {round(x.real()), round(x.imag())};
}
template <class T>
SDFG_BOTH inline complex<T> reciprocal(const complex<T>& x) {
  return T(1) / x;
}
template <class T>
SDFG_BOTH inline T real(const complex<T>& x) {
  return x.real();
}
template <class T>
SDFG_BOTH inline T imag(const complex<T>& x) {
  return x.imag();
}
template <Real T>
SDFG_BOTH inline T real(T x) {
  return x;
}
template <Real T>
SDFG_BOTH inline T imag(T) {
  return T(0);
}
/// Of the real part, or where that is 0 of the other.
template <class T>
SDFG_BOTH inline complex<T> sign(const complex<T>& x) {
  return complex<T>(sign(x.real() != T(0) ? x.real() : x.imag()));
}
/// NumPy 2's, as DaCe has it: 0 unless both parts are something else.
template <class T>
SDFG_BOTH inline complex<T> sign_numpy_2(const complex<T>& x) {
  return x.real() != T(0) && x.imag() != T(0) ? x / sdfg::abs(x) : complex<T>(T(0));
}
template <class T>
SDFG_BOTH inline bool isfinite(const complex<T>& x) {
  return __builtin_isfinite(x.real()) && __builtin_isfinite(x.imag());
}
template <class T>
SDFG_BOTH inline bool isnan(const complex<T>& x) {
  return __builtin_isnan(x.real()) || __builtin_isnan(x.imag());
}

}  // namespace sdfg

// Operators for mixed operands that std::complex leaves out. They take part only where the types
// differ, and convert nothing by themselves, so they never compete with the standard ones.
#define SDFG_COMPLEX_OPERATOR(op)                                                   \
  template <class T, sdfg::Real R>                                                  \
    requires(!__is_same(T, R))                                                      \
  SDFG_BOTH inline auto operator op(const sdfg::complex<T>& a, R b) {               \
    using W = decltype(T() + R() * T(0));                                           \
    return sdfg::complex<W>(a) op W(b);                                             \
  }                                                                                 \
  template <sdfg::Real R, class T>                                                  \
    requires(!__is_same(T, R))                                                      \
  SDFG_BOTH inline auto operator op(R a, const sdfg::complex<T>& b) {               \
    using W = decltype(T() + R() * T(0));                                           \
    return W(a) op sdfg::complex<W>(b);                                             \
  }                                                                                 \
  template <class A, class B>                                                        \
    requires(sdfg::is_complex<A> && sdfg::is_complex<B> && !__is_same(A, B))        \
  SDFG_BOTH inline auto operator op(const A& a, const B& b) {                       \
    return sdfg::complex128(a) op sdfg::complex128(b);                              \
  }
SDFG_COMPLEX_OPERATOR(+)
SDFG_COMPLEX_OPERATOR(-)
SDFG_COMPLEX_OPERATOR(*)
SDFG_COMPLEX_OPERATOR(/)
SDFG_COMPLEX_OPERATOR(==)
SDFG_COMPLEX_OPERATOR(!=)
#undef SDFG_COMPLEX_OPERATOR
