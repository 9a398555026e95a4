// Complex numbers for both sides of a program that has a GPU: compilers of device code know
// std::complex in parts only. Laid out as std::complex and C's, with the operators of that;
// formulas of W. Kahan ("Branch cuts for complex elementary functions") where the textbook's lose
// digits.
#pragma once

#include "sdfg_math.h"

namespace sdfg {

template <class T>
struct complex {
  T re, im;  // without initializers: blocks of threads can share them

  complex() = default;
  SDFG_BOTH constexpr complex(T r, T i = T(0)) : re(r), im(i) {}
  /// A float becomes a double by itself, a double a float when it is told to.
  template <class U>
  SDFG_BOTH constexpr explicit(sizeof(U) > sizeof(T)) complex(const complex<U>& z)
      : re(T(z.re)), im(T(z.im)) {}
  SDFG_BOTH constexpr T real() const { return re; }
  SDFG_BOTH constexpr T imag() const { return im; }

  SDFG_BOTH friend constexpr complex operator+(const complex& a, const complex& b) {
    return {a.re + b.re, a.im + b.im};
  }
  SDFG_BOTH friend constexpr complex operator-(const complex& a, const complex& b) {
    return {a.re - b.re, a.im - b.im};
  }
  SDFG_BOTH friend constexpr complex operator*(const complex& a, const complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  /// Scaled (R. L. Smith), so that squares neither overflow nor vanish.
  SDFG_BOTH friend constexpr complex operator/(const complex& a, const complex& b) {
    if ((b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im)) {
      const T ratio = b.im / b.re, scale = b.re + b.im * ratio;
      return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
    }
    const T ratio = b.re / b.im, scale = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
  }
  SDFG_BOTH friend constexpr complex operator*(const complex& a, T b) {
    return {a.re * b, a.im * b};
  }
  SDFG_BOTH friend constexpr complex operator*(T a, const complex& b) {
    return {a * b.re, a * b.im};
  }
  SDFG_BOTH friend constexpr complex operator/(const complex& a, T b) {
    return {a.re / b, a.im / b};
  }
  SDFG_BOTH friend constexpr complex operator+(const complex& a) { return a; }
  SDFG_BOTH friend constexpr complex operator-(const complex& a) { return {-a.re, -a.im}; }
  SDFG_BOTH friend constexpr bool operator==(const complex& a, const complex& b) {
    return a.re == b.re && a.im == b.im;
  }
#define SDFG_COMPLEX_ASSIGN(op)                                              \
  template <class B>                                                         \
  SDFG_BOTH constexpr complex& operator op##=(const B& b) {                  \
    return *this = complex(*this op b);                                      \
  }
  SDFG_COMPLEX_ASSIGN(+) SDFG_COMPLEX_ASSIGN(-) SDFG_COMPLEX_ASSIGN(*) SDFG_COMPLEX_ASSIGN(/)
#undef SDFG_COMPLEX_ASSIGN
};

template <class T>
SDFG_BOTH constexpr complex<T> conj(const complex<T>& z) {
  return {z.re, -z.im};
}
template <class T>
SDFG_BOTH inline T abs(const complex<T>& z) {
  return hypot(z.re, z.im);
}
template <class T>
SDFG_BOTH inline complex<T> exp(const complex<T>& z) {
  const T size = exp(z.re);
  if (z.im == T(0)) return {size, z.im};
  return {size * cos(z.im), size * sin(z.im)};
}
template <class T>
SDFG_BOTH inline complex<T> log(const complex<T>& z) {
  return {log(abs(z)), atan2(z.im, z.re)};
}
template <class T>
SDFG_BOTH inline complex<T> log10(const complex<T>& z) {
  return log(z) / T(2.302585092994046);
}
/// The root with a real part that is not negative.
template <class T>
SDFG_BOTH inline complex<T> sqrt(const complex<T>& z) {
  const T x = abs(z.re), y = abs(z.im);
  if (x == T(0) && y == T(0)) return {T(0), z.im};
  const T larger = sqrt((x + hypot(x, y)) / T(2)), smaller = y / (T(2) * larger);
  return z.re >= T(0) ? complex<T>(larger, copysign(smaller, z.im))
                      : complex<T>(smaller, copysign(larger, z.im));
}
template <class T, class B>
SDFG_BOTH inline complex<T> pow(const complex<T>& x, const B& y) {
  if (x == complex<T>()) return complex<T>(y) == complex<T>() ? T(1) : T(0);
  return exp(complex<T>(y) * log(x));
}
template <class T>
SDFG_BOTH inline complex<T> sinh(const complex<T>& z) {
  return {sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)};
}
template <class T>
SDFG_BOTH inline complex<T> cosh(const complex<T>& z) {
  return {cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)};
}
template <class T>
SDFG_BOTH inline complex<T> tanh(const complex<T>& z) {
  if (abs(z.re) > T(20)) return {copysign(T(1), z.re), T(0) * z.im};  // e^-40 is below all digits
  const T below = cosh(T(2) * z.re) + cos(T(2) * z.im);
  return {sinh(T(2) * z.re) / below, sin(T(2) * z.im) / below};
}
template <class T>
SDFG_BOTH inline complex<T> asin(const complex<T>& z) {
  const complex<T> below = sqrt(T(1) - z), above = sqrt(T(1) + z);
  return {atan2(z.re, (below * above).re), asinh((conj(below) * above).im)};
}
template <class T>
SDFG_BOTH inline complex<T> acos(const complex<T>& z) {
  const complex<T> below = sqrt(T(1) - z), above = sqrt(T(1) + z);
  return {T(2) * atan2(below.re, above.re), asinh((conj(above) * below).im)};
}
template <class T>
SDFG_BOTH inline complex<T> acosh(const complex<T>& z) {
  const complex<T> below = sqrt(z - T(1)), above = sqrt(z + T(1));
  return {asinh((conj(below) * above).re), T(2) * atan2(below.im, above.re)};
}
template <class T>
SDFG_BOTH inline complex<T> atanh(const complex<T>& z) {
  const T x = z.re, y = z.im;
  return {log1p(T(4) * x / ((T(1) - x) * (T(1) - x) + y * y)) / T(4),
          atan2(T(2) * y, (T(1) - x) * (T(1) + x) - y * y) / T(2)};
}
// Those of i z, turned back.
#define SDFG_COMPLEX_TURNED(name, other)                    \
  template <class T>                                        \
  SDFG_BOTH inline complex<T> name(const complex<T>& z) {   \
    const complex<T> turned = other(complex<T>{-z.im, z.re}); \
    return {turned.im, -turned.re};                         \
  }
SDFG_COMPLEX_TURNED(sin, sinh) SDFG_COMPLEX_TURNED(tan, tanh)
SDFG_COMPLEX_TURNED(asinh, asin) SDFG_COMPLEX_TURNED(atan, atanh)
#undef SDFG_COMPLEX_TURNED
template <class T>
SDFG_BOTH inline complex<T> cos(const complex<T>& z) {
  return cosh(complex<T>{-z.im, z.re});
}

}  // namespace sdfg
