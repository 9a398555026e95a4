#include "codegen/interpreter/value.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "codegen/interpreter/machine.h"
#include "ir/analysis/expression_types.h"

namespace sdfg::interpreter {
namespace {

template <class T>
constexpr bool is_complex_v = false;
template <class T>
constexpr bool is_complex_v<std::complex<T>> = true;

/// What x86's conversion gives: the nearest integer towards zero, or the smallest value of the
/// register's width when that does not fit. Narrow and unsigned types take the low bits.
template <class T>
T integer_from(double value) {
  using Register = std::conditional_t<(sizeof(T) < 4 || std::is_same_v<T, std::int32_t>),
                                      std::int32_t, std::int64_t>;
  constexpr double limit = sizeof(Register) == 4 ? 0x1p31 : 0x1p63;
  if constexpr (std::is_same_v<T, std::uint64_t>)
    if (value >= 0x1p63 && value < 0x1p64)
      return T(std::int64_t(value - 0x1p63)) ^ (T(1) << 63);
  if (value > -limit - 1 && value < limit) return T(Register(value));
  return T(std::numeric_limits<Register>::min());
}

template <class To, class From>
To cast(From value) {
  if constexpr (is_complex_v<From>) {
    if constexpr (is_complex_v<To>)
      return To(typename To::value_type(value.real()), typename To::value_type(value.imag()));
    else
      return cast<To>(value.real());
  } else if constexpr (is_complex_v<To>) {
    return To(typename To::value_type(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return integer_from<To>(value);
  } else {
    return To(value);
  }
}

// ---- Half precision: the bits of a float, rounded to nearest even.

std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = std::uint16_t(bits >> 16 & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return std::uint16_t(sign | 0x7e00);   // NaN
  if (magnitude >= 0x477ff000) return std::uint16_t(sign | 0x7c00);  // too large, or infinite
  if (magnitude < 0x38800000) {
    // Below the smallest normal number: adding 0.5 makes the hardware round at the right bit.
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    return std::uint16_t(sign | (std::bit_cast<std::uint32_t>(rounded) - 0x3f000000));
  }
  const std::uint32_t odd = magnitude >> 13 & 1;
  return std::uint16_t(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
}

float from_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t(half & 0x8000) << 16, rest = half & 0x7fff;
  if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  if (rest < 0x400) {
    const float tiny = float(rest) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(tiny));
  }
  return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000));
}

std::uint16_t to_bfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return std::uint16_t(bits >> 16 | 0x40);
  return std::uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float from_bfloat(std::uint16_t value) {
  return std::bit_cast<float>(std::uint32_t(value) << 16);
}

float rounded_to(BaseType type, float value) {
  if (type == BaseType::Float16) return from_half(to_half(value));
  if (type == BaseType::BFloat16) return from_bfloat(to_bfloat(value));
  return value;
}

bool is_half(BaseType type) { return type == BaseType::Float16 || type == BaseType::BFloat16; }

std::uint16_t bits_at(const std::byte* at) {
  std::uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
void put_bits(std::byte* at, std::uint16_t value) { std::memcpy(at, &value, sizeof value); }

template <BaseType Half>
Number round_half(Number value) {
  return number_of(rounded_to(Half, value.f32));
}

// ---- Operators.

template <class T>
[[noreturn]] T divided_by_zero() {
  throw Stop("an integer is divided by zero");
}

/// Integers through unsigned, so that they wrap around.
template <class T, class F>
T wrapping(F f, T a, T b) {
  using U = std::make_unsigned_t<T>;
  return T(f(U(a), U(b)));
}

template <Op op, class T>
T arithmetic(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    constexpr unsigned shift_mask = sizeof(T) * 8 - 1;
    if constexpr (op == Op::Add) return wrapping([](auto x, auto y) { return x + y; }, a, b);
    if constexpr (op == Op::Sub) return wrapping([](auto x, auto y) { return x - y; }, a, b);
    if constexpr (op == Op::Mul) return wrapping([](auto x, auto y) { return x * y; }, a, b);
    if constexpr (op == Op::Div) {
      if (b == 0) return divided_by_zero<T>();
      if constexpr (std::is_signed_v<T>)
        if (b == -1) return arithmetic<Op::Sub, T>(0, a);
      return T(a / b);
    }
    if constexpr (op == Op::Mod) {
      if (b == 0) return divided_by_zero<T>();
      if constexpr (std::is_signed_v<T>)
        if (b == -1) return 0;
      return T(a % b);
    }
    if constexpr (op == Op::BitAnd) return a & b;
    if constexpr (op == Op::BitOr) return a | b;
    if constexpr (op == Op::BitXor) return a ^ b;
    if constexpr (op == Op::LeftShift)
      return T(std::make_unsigned_t<T>(a) << (unsigned(b) & shift_mask));
    if constexpr (op == Op::RightShift) return a >> (unsigned(b) & shift_mask);
  } else {
    if constexpr (op == Op::Add) return a + b;
    if constexpr (op == Op::Sub) return a - b;
    if constexpr (op == Op::Mul) return a * b;
    if constexpr (op == Op::Div) return a / b;
    if constexpr (op == Op::Mod) {  // Python's, with the sign of the divisor
      const T r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
  }
}

template <Op op, class T>
bool compared(T a, T b) {
  if constexpr (op == Op::Eq) return a == b;
  if constexpr (op == Op::Ne) return a != b;
  if constexpr (!is_complex_v<T>) {
    if constexpr (op == Op::Lt) return a < b;
    if constexpr (op == Op::Le) return a <= b;
    if constexpr (op == Op::Gt) return a > b;
    if constexpr (op == Op::Ge) return a >= b;
  }
}

constexpr bool works_on_bits(Op op) {
  return op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor || op == Op::LeftShift ||
         op == Op::RightShift;
}

template <Op op>
Binary arithmetic_on(BaseType type) {
  return with_type(type, []<class T>() -> Binary {
    // Arithmetic happens on promoted types only.
    if constexpr (sizeof(T) < 4 || (works_on_bits(op) && !std::is_integral_v<T>) ||
                  (op == Op::Mod && is_complex_v<T>))
      return nullptr;
    else
      return [](Number a, Number b) { return number_of(arithmetic<op, T>(get<T>(a), get<T>(b))); };
  });
}

template <Op op>
Binary comparison_on(BaseType type) {
  return with_type(type, []<class T>() -> Binary {
    if constexpr (sizeof(T) < 4 || (is_complex_v<T> && op != Op::Eq && op != Op::Ne))
      return nullptr;
    else
      return [](Number a, Number b) { return number_of(compared<op, T>(get<T>(a), get<T>(b))); };
  });
}

}  // namespace

bool is_supported(BaseType type) {
  return type >= BaseType::Bool && type <= BaseType::Complex128 &&
         type != BaseType::Float8E4M3 && type != BaseType::Float8E5M2;
}

BaseType promoted(BaseType type) {
  if (type == BaseType::Struct) throw Stop("C++ has no arithmetic on structures");
  return promoted_in_cpp(type);
}

BaseType common_type(BaseType a, BaseType b) {
  return common_type_in_cpp(promoted(a), promoted(b));
}

Unary conversion(BaseType from, BaseType to) {
  if (from == to) return nullptr;
  if (from == BaseType::Struct || to == BaseType::Struct)
    throw Stop("a structure and a number stand for one another");
  if (is_half(to)) {
    if (promoted(from) == BaseType::Float32)
      return to == BaseType::Float16 ? round_half<BaseType::Float16>
                                     : round_half<BaseType::BFloat16>;
    return with_type(from, [&]<class From>() -> Unary {
      if (to == BaseType::Float16)
        return [](Number s) {
          return number_of(rounded_to(BaseType::Float16, cast<float>(get<From>(s))));
        };
      return [](Number s) {
        return number_of(rounded_to(BaseType::BFloat16, cast<float>(get<From>(s))));
      };
    });
  }
  return with_type(from, [&]<class From>() -> Unary {
    return with_type(to, []<class To>() -> Unary {
      if constexpr (std::is_same_v<From, To>)
        return nullptr;
      else
        return [](Number s) { return number_of(cast<To>(get<From>(s))); };
    });
  });
}

Number convert(Number value, BaseType from, BaseType to) {
  const Unary f = conversion(from, to);
  return f ? f(value) : value;
}

bool is_true(Number value, BaseType type) { return convert(value, type, BaseType::Bool).i != 0; }

Binary binary_operator(Op op, BaseType type) {
  switch (op) {
    case Op::Add: return arithmetic_on<Op::Add>(type);
    case Op::Sub: return arithmetic_on<Op::Sub>(type);
    case Op::Mul: return arithmetic_on<Op::Mul>(type);
    case Op::Div: return arithmetic_on<Op::Div>(type);
    case Op::Mod: return arithmetic_on<Op::Mod>(type);
    case Op::BitAnd: return arithmetic_on<Op::BitAnd>(type);
    case Op::BitOr: return arithmetic_on<Op::BitOr>(type);
    case Op::BitXor: return arithmetic_on<Op::BitXor>(type);
    case Op::LeftShift: return arithmetic_on<Op::LeftShift>(type);
    case Op::RightShift: return arithmetic_on<Op::RightShift>(type);
    case Op::Eq: return comparison_on<Op::Eq>(type);
    case Op::Ne: return comparison_on<Op::Ne>(type);
    case Op::Lt: return comparison_on<Op::Lt>(type);
    case Op::Le: return comparison_on<Op::Le>(type);
    case Op::Gt: return comparison_on<Op::Gt>(type);
    case Op::Ge: return comparison_on<Op::Ge>(type);
    default: return nullptr;
  }
}

Unary unary_operator(Op op, BaseType type) {
  return with_type(type, [&]<class T>() -> Unary {
    if constexpr (sizeof(T) < 4) {
      return nullptr;
    } else if (op == Op::Neg) {
      return [](Number s) {
        if constexpr (std::is_integral_v<T>)
          return number_of(arithmetic<Op::Sub, T>(0, get<T>(s)));
        else
          return number_of(T(-get<T>(s)));
      };
    } else if (op == Op::Invert) {
      if constexpr (std::is_integral_v<T>)
        return [](Number s) { return number_of(T(~get<T>(s))); };
    }
    return nullptr;
  });
}

Load loader(BaseType type) {
  if (type == BaseType::Struct)
    return [](const std::byte* at) {
      Number value;
      value.record = const_cast<std::byte*>(at);
      return value;
    };
  if (is_half(type)) {
    if (type == BaseType::Float16)
      return [](const std::byte* at) { return number_of(from_half(bits_at(at))); };
    return [](const std::byte* at) { return number_of(from_bfloat(bits_at(at))); };
  }
  return with_type(type, []<class T>() -> Load {
    return [](const std::byte* at) {
      if constexpr (std::is_same_v<T, bool>) {
        return number_of(*at != std::byte{0});
      } else {
        T value;
        std::memcpy(&value, at, sizeof value);
        return number_of(value);
      }
    };
  });
}

Store storer(BaseType type) {
  if (is_half(type)) {
    if (type == BaseType::Float16)
      return [](std::byte* at, Number s) { put_bits(at, to_half(s.f32)); };
    return [](std::byte* at, Number s) { put_bits(at, to_bfloat(s.f32)); };
  }
  return with_type(type, []<class T>() -> Store {
    return [](std::byte* at, Number s) {
      const T value = get<T>(s);
      std::memcpy(at, &value, sizeof value);
    };
  });
}

}  // namespace sdfg::interpreter
