#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "codegen/interpreter/value.h"

namespace sdfg::interpreter {

/// A library function for given argument types, by C++'s overloads and DaCe's runtime: arguments
/// are converted to `argument`, then called with.
struct Function {
  BaseType argument, result;
  Unary unary = nullptr;
  Binary binary = nullptr;
  BaseType result_as = BaseType::Unknown;  ///< the result is converted to this, unless unknown
};

/// By the name in code without its module. `typeless`: called as `math.f`, which gives back the
/// argument's type, also for integers. Nothing when no such function takes these arguments.
std::optional<Function> find_function(std::string_view name, bool typeless,
                                      std::span<const BaseType> arguments);

/// base ** exponent for an integer literal > 0: the product from left to right.
Number integer_power(Number base, std::int64_t exponent, Binary multiply);
/// base ** exponent in general, as std::pow: integers as double, but two ints as int.
Function power_function(BaseType base, BaseType exponent);

}  // namespace sdfg::interpreter
