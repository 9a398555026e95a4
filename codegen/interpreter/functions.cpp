#include "codegen/interpreter/functions.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>
#include <numeric>

namespace sdfg::interpreter {
namespace {

template <class T>
constexpr bool is_complex_v = false;
template <class T>
constexpr bool is_complex_v<std::complex<T>> = true;

/// As the generated code's `pow` (runtime/sdfg_math.h).
template <class T>
T real_power(T x, T y) {
  return y == 2 ? x * x : y == -1 ? 1 / x : std::pow(x, y);
}

bool is_integral(BaseType t) { return t >= BaseType::Bool && t <= BaseType::UInt64; }
bool is_complex(BaseType t) { return t == BaseType::Complex64 || t == BaseType::Complex128; }

template <class R>
constexpr BaseType base_type = std::is_same_v<R, bool>            ? BaseType::Bool
                               : std::is_same_v<R, int>           ? BaseType::Int32
                               : std::is_same_v<R, unsigned>      ? BaseType::UInt32
                               : std::is_same_v<R, std::int64_t>  ? BaseType::Int64
                               : std::is_same_v<R, std::uint64_t> ? BaseType::UInt64
                               : std::is_same_v<R, float>         ? BaseType::Float32
                               : std::is_same_v<R, double>        ? BaseType::Float64
                               : std::is_same_v<R, std::complex<float>> ? BaseType::Complex64
                                                                        : BaseType::Complex128;

/// F, a stateless function object, on arguments of type T, if it takes them.
template <class F, class T>
std::optional<Function> unary_on() {
  if constexpr (std::invocable<F, T>) {
    using R = std::invoke_result_t<F, T>;
    return Function{base_type<T>, base_type<R>, [](Number a) { return number_of(F{}(get<T>(a))); }};
  }
  return std::nullopt;
}
template <class F, class T>
std::optional<Function> binary_on() {
  if constexpr (std::invocable<F, T, T>) {
    using R = std::invoke_result_t<F, T, T>;
    return Function{base_type<T>, base_type<R>, nullptr,
                    [](Number a, Number b) { return number_of(F{}(get<T>(a), get<T>(b))); }};
  }
  return std::nullopt;
}

/// Calls f with the type of arguments as C++ passes it: promoted, in full.
template <class F>
auto with_promoted(BaseType type, F&& f) {
  switch (promoted(type)) {
    case BaseType::Int32: return f.template operator()<int>();
    case BaseType::UInt32: return f.template operator()<unsigned>();
    case BaseType::Int64: return f.template operator()<std::int64_t>();
    case BaseType::UInt64: return f.template operator()<std::uint64_t>();
    case BaseType::Float32: return f.template operator()<float>();
    case BaseType::Complex64: return f.template operator()<std::complex<float>>();
    case BaseType::Complex128: return f.template operator()<std::complex<double>>();
    default: return f.template operator()<double>();
  }
}

using Finder = std::optional<Function> (*)(BaseType);
struct Entry {
  std::string_view name;
  Finder find;
  /// A function of real analysis: defined on floats; integers go in as double.
  bool on_floats = true;
};

template <class F>
constexpr Entry unary(std::string_view name, F, bool on_floats = true) {
  return {name,
          [](BaseType t) { return with_promoted(t, []<class T>() { return unary_on<F, T>(); }); },
          on_floats};
}
template <class F>
constexpr Entry binary(std::string_view name, F, bool on_floats = true) {
  return {name,
          [](BaseType t) { return with_promoted(t, []<class T>() { return binary_on<F, T>(); }); },
          on_floats};
}

template <class T>
concept Real = std::floating_point<T>;
template <class T>
concept Integer = std::integral<T>;

// Functions of real (and complex) numbers.
constexpr Entry unary_functions[] = {
    unary("sin", []<class T>(T x) { return std::sin(x); }),
    unary("cos", []<class T>(T x) { return std::cos(x); }),
    unary("tan", []<class T>(T x) { return std::tan(x); }),
    unary("asin", []<class T>(T x) { return std::asin(x); }),
    unary("acos", []<class T>(T x) { return std::acos(x); }),
    unary("atan", []<class T>(T x) { return std::atan(x); }),
    unary("sinh", []<class T>(T x) { return std::sinh(x); }),
    unary("cosh", []<class T>(T x) { return std::cosh(x); }),
    unary("tanh", []<class T>(T x) { return std::tanh(x); }),
    unary("asinh", []<class T>(T x) { return std::asinh(x); }),
    unary("acosh", []<class T>(T x) { return std::acosh(x); }),
    unary("atanh", []<class T>(T x) { return std::atanh(x); }),
    unary("exp", []<class T>(T x) { return std::exp(x); }),
    unary("log", []<class T>(T x) { return std::log(x); }),
    unary("log10", []<class T>(T x) { return std::log10(x); }),
    unary("sqrt", []<class T>(T x) { return std::sqrt(x); }),
    unary("exp2", []<class T>(T x) {
      if constexpr (is_complex_v<T>) return std::exp(x * std::log(typename T::value_type(2)));
      else return std::exp2(x);
    }),
    unary("expm1", []<class T>(T x) {
      if constexpr (is_complex_v<T>) return std::exp(x) - typename T::value_type(1);
      else return std::expm1(x);
    }),
    unary("log1p", []<class T>(T x) {
      if constexpr (is_complex_v<T>) return std::log(x + typename T::value_type(1));
      else return std::log1p(x);
    }),
    unary("log2", []<class T>(T x) {
      if constexpr (is_complex_v<T>)
        return T(std::log2(std::abs(x)), std::arg(x) / std::log(typename T::value_type(2)));
      else return std::log2(x);
    }),
    unary("cbrt", []<Real T>(T x) { return std::cbrt(x); }),
    unary("lgamma", []<Real T>(T x) { return std::lgamma(x); }),
    unary("tgamma", []<Real T>(T x) { return std::tgamma(x); }),
    unary("gamma", []<Real T>(T x) { return std::tgamma(x); }),
    unary("ceil", []<Real T>(T x) { return std::ceil(x); }),
    unary("floor", []<Real T>(T x) { return std::floor(x); }),
    unary("trunc", []<Real T>(T x) { return std::trunc(x); }),
    unary("erf", []<Real T>(T x) { return std::erf(x); }),
    unary("erfc", []<Real T>(T x) { return std::erfc(x); }),
    unary("nearbyint", []<Real T>(T x) { return std::nearbyint(x); }),
    unary("rint", []<Real T>(T x) { return std::rint(x); }),
    unary("round", []<class T>(T x) {
      if constexpr (is_complex_v<T>) return T(std::round(x.real()), std::round(x.imag()));
      else return std::round(x);
    }),
    unary("ROUND", []<Real T>(T x) { return std::round(x); }),
    unary("modf_fraction", []<Real T>(T x) {
      T whole;
      return std::modf(x, &whole);
    }),
    unary("frexp", []<Real T>(T x) {
      int exponent = 0;
      std::frexp(x, &exponent);
      return exponent;
    }),
    unary("frexp_mantissa", []<Real T>(T x) {
      int exponent = 0;
      return std::frexp(x, &exponent);
    }),
    unary("fabs", []<Real T>(T x) { return std::fabs(x); }),
    unary("isfinite", []<Real T>(T x) { return std::isfinite(x); }),
    unary("isinf", []<Real T>(T x) { return std::isinf(x); }),
    unary("isnan", []<Real T>(T x) { return std::isnan(x); }),
    unary("signbit", []<Real T>(T x) { return std::signbit(x); }),
    unary("deg2rad", []<Real T>(T x) { return T(x * std::numbers::pi / T(180)); }),
    unary("rad2deg", []<Real T>(T x) { return T(x * T(180) / std::numbers::pi); }),

    // On all numbers.
    unary("abs", []<class T>(T x) {
      if constexpr (std::is_unsigned_v<T>) return x;
      else if constexpr (std::is_integral_v<T>)
        return x < 0 ? T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(x)) : x;
      else return std::abs(x);
    }, false),
    unary("reciprocal", []<class T>(T x) {
      if constexpr (std::is_integral_v<T>) return x == 0 ? T(0) : T(T(1) / x);
      else return T(1) / x;
    }, false),
    unary("ifloor", []<class T>(T x) requires (!is_complex_v<T>) {
      if constexpr (std::is_integral_v<T>) return x;
      else
        return int(
            get<std::int32_t>(convert(number_of(std::floor(x)), base_type<T>, BaseType::Int32)));
    }, false),
    unary("sign", []<class T>(T x) {
      if constexpr (!is_complex_v<T>) return T((T(0) < x) - (x < T(0)));
      else {
        const auto part = x.real() != 0 ? x.real() : x.imag();
        return T((0 < part) - (part < 0));
      }
    }, false),
    // NumPy 2's, of complex numbers as DaCe has it: 0 unless both parts are something else.
    unary("sign_numpy_2", []<class T>(T x) {
      if constexpr (!is_complex_v<T>) return T((T(0) < x) - (x < T(0)));
      else return x.real() != 0 && x.imag() != 0 ? x / std::abs(x) : T(0);
    }, false),
    unary("sgn", []<class T>(T x) requires (!is_complex_v<T>) {
      return int((T(0) < x) - (x < T(0)));
    }, false),
    unary("heaviside", []<class T>(T x) requires (!is_complex_v<T>) {
      return T(x > 0 ? 1 : 0);
    }, false),
    unary("conj", []<class T>(T x) {
      if constexpr (is_complex_v<T>) return std::conj(x); else return x;
    }, false),
    unary("conjugate", []<class T>(T x) {
      if constexpr (is_complex_v<T>) return std::conj(x); else return x;
    }, false),
    unary("real", []<class T>(T x) {
      if constexpr (is_complex_v<T>) return x.real(); else return x;
    }, false),
    unary("imag", []<class T>(T x) {
      if constexpr (is_complex_v<T>) return x.imag(); else return T(0);
    }, false),
    unary("angle", []<class T>(T x) { return std::arg(x); }, false),
    unary("arg", []<class T>(T x) { return std::arg(x); }, false),
    unary("bitwise_invert", []<Integer T>(T x) { return T(~x); }, false),
    unary("square", []<class T>(T x) { return T(x * x); }, false),
};

template <class T>
T floored_quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(a));
      return T(a / b - (a % b != 0 && (a % b < 0) != (b < 0)));
    } else {
      return a / b;
    }
  } else {
    return std::floor(a / b);
  }
}

constexpr Entry binary_functions[] = {
    binary("atan2", []<Real T>(T a, T b) { return std::atan2(a, b); }),
    binary("fmod", []<Real T>(T a, T b) { return std::fmod(a, b); }),
    binary("remainder", []<Real T>(T a, T b) { return std::remainder(a, b); }),
    binary("hypot", []<Real T>(T a, T b) { return std::hypot(a, b); }),
    binary("copysign", []<Real T>(T a, T b) { return std::copysign(a, b); }),
    binary("fmin", []<Real T>(T a, T b) { return std::fmin(a, b); }),
    binary("fmax", []<Real T>(T a, T b) { return std::fmax(a, b); }),
    binary("nextafter", []<Real T>(T a, T b) { return std::nextafter(a, b); }),
    binary("heaviside", []<class T>(T a, T b) requires (!is_complex_v<T>) {
      return a < 0 ? T(0) : a > 0 ? T(1) : b;
    }, false),
    binary("np_float_pow", []<class T>(T a, T b) {
      if constexpr (is_complex_v<T>)
        return std::pow(std::complex<double>(a), std::complex<double>(b));
      else
        return real_power(double(a), double(b));
    }, false),
    binary("py_floor", []<class T>(T a, T b) requires (!is_complex_v<T>) {
      return floored_quotient(a, b);
    }, false),
    binary("int_floor_ni", []<Integer T>(T a, T b) { return floored_quotient(a, b); }, false),
    binary("py_mod", []<class T>(T a, T b) requires (!is_complex_v<T>) {
      return T(a - floored_quotient(a, b) * b);
    }, false),
    binary("Modulo", []<class T>(T a, T b) requires (!is_complex_v<T>) {
      return T(a - floored_quotient(a, b) * b);
    }, false),
    binary("Modulo_float", []<Real T>(T a, T b) { return T(a - std::floor(a / b) * b); }),
    binary("cpp_mod", []<class T>(T a, T b) requires (!is_complex_v<T>) {
      if constexpr (std::is_integral_v<T>) return b == 0 ? T(0) : T(a % b);
      else return std::fmod(a, b);
    }, false),
    binary("gcd", []<Integer T>(T a, T b) { return T(std::gcd(a, b)); }, false),
    binary("lcm", []<Integer T>(T a, T b) { return T(std::lcm(a, b)); }, false),
};

std::optional<Function> find_in(std::span<const Entry> entries, std::string_view name,
                                bool typeless, BaseType argument, bool mixed = false) {
  for (const Entry& e : entries) {
    if (e.name != name) continue;
    const bool widened = e.on_floats && (is_integral(argument) || mixed);
    auto found = e.find(widened ? BaseType::Float64 : argument);
    // DaCe's math::f returns its argument's type, for integers too.
    if (found && widened && !mixed && typeless && found->result == BaseType::Float64)
      found->result_as = argument;
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Function> find_function(std::string_view name, bool typeless,
                                      std::span<const BaseType> arguments) {
  if (std::ranges::count(arguments, BaseType::Struct)) return std::nullopt;
  if (arguments.size() == 1) return find_in(unary_functions, name, typeless, arguments[0]);
  if (arguments.size() == 2) {
    // As with C++'s overloads, an integer beside a float makes both double.
    const BaseType common = common_type(arguments[0], arguments[1]);
    const bool mixed =
        common == BaseType::Float32 && (is_integral(arguments[0]) || is_integral(arguments[1]));
    return find_in(binary_functions, name, typeless, common, mixed);
  }
  return std::nullopt;
}

Number integer_power(Number base, std::int64_t exponent, Binary multiply) {
  Number result = base;
  for (std::int64_t i = 1; i < exponent; ++i) result = multiply(result, base);
  return result;
}

Function power_function(BaseType a, BaseType b) {
  if (a == BaseType::Int32 && b == BaseType::Int32)
    return {a, a, nullptr, [](Number x, Number y) {
              const std::int64_t n = y.i;
              if (n < 0) return Number(0);
              std::uint32_t result = 1;
              for (std::int64_t i = 0; i < n; ++i) result *= std::uint32_t(x.i);
              return number_of(std::int32_t(result));
            }};
  if (a == BaseType::UInt32 && b == BaseType::UInt32)
    return {a, a, nullptr, [](Number x, Number y) {
              std::uint32_t result = 1;
              for (std::int64_t i = 0; i < y.i; ++i) result *= std::uint32_t(x.i);
              return number_of(result);
            }};
  BaseType type = common_type(a, b);
  // As std::pow does it, a float with an integer is computed as double.
  if (is_integral(type) || (!is_complex(type) && (is_integral(a) || is_integral(b))))
    type = BaseType::Float64;
  switch (type) {
    case BaseType::Float32:
      return {type, type, nullptr,
              [](Number x, Number y) { return number_of(real_power(x.f32, y.f32)); }};
    case BaseType::Complex64:
      return {type, type, nullptr,
              [](Number x, Number y) { return number_of(std::pow(x.c64, y.c64)); }};
    case BaseType::Complex128:
      return {type, type, nullptr,
              [](Number x, Number y) { return number_of(std::pow(x.c128, y.c128)); }};
    default:
      return {BaseType::Float64, BaseType::Float64, nullptr,
              [](Number x, Number y) { return number_of(real_power(x.f64, y.f64)); }};
  }
}

}  // namespace sdfg::interpreter
