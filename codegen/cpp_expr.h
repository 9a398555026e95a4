#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ir/expr.h"
#include "ir/type.h"

namespace sdfg {

/// A name made fit for C++: keywords and names that the generated code needs get a trailing
/// underscore, as do these with underscores behind them; dots become underscores.
std::string cpp_name(std::string_view name);
/// The same of a function, where C has none that could be taken for it.
std::string cpp_function_name(std::string_view name);
/// "double", "sdfg::complex64", "int64_t", "Name*"; nothing for types that C++ has no name for
/// here (8- and 16-bit floats, undefined types).
std::optional<std::string> cpp_type(const Type& type);
/// Of "int64_t" and its like, which gt4py.cartesian writes as conversions; nothing for other names.
std::optional<Type> integer_of_cpp(std::string_view name);

/// The number that an exponent is: a literal with its sign, or a quotient of literals that 15
/// digits give exactly. As in DaCe, other quotients are code: 1/3 is 0.
std::optional<double> literal_exponent(const Expr& exponent);

/// Prints expressions as C++. Two readings of the same tree:
/// - symbolic: integer arithmetic of subsets, ranges and sizes; `//` and `%` round down, a
///   division is exact;
/// - code: tasklets and conditions, where operators mean what DaCe's generated code does with them
///   (integer `/` truncates, min and max prefer the second operand, powers are products).
class CppExpr {
 public:
  /// How a name is spelled; unset: cpp_name.
  std::function<std::string(const std::string&)> name;
  /// Overrides whole expressions (array accesses, calls); nothing: print as usual.
  std::function<std::optional<std::string>(const Expr&)> override;
  bool symbolic = false;

  std::string print(const Expr& expr) const { return print(expr, 0); }
  /// The same, with parentheses around anything but names, literals, calls and subscripts.
  std::string operand(const Expr& expr) const { return print(expr, 13); }
  /// What could not be printed; empty when all went well.
  mutable std::string problem;
  /// Functions were called that are not the runtime's.
  mutable SymbolSet called;

 private:
  std::string print(const Expr& expr, int context) const;
  std::string binary(const Expr& expr, std::string_view op, int precedence, int context) const;
  std::string add(const Expr& expr, int context) const;
  std::string multiply(const Expr& expr, int context) const;
  std::string fraction(const Expr& expr, int context) const;
  std::string power(const Expr& expr) const;
  std::string call(const Expr& expr) const;
  std::string call_of(std::string_view function, const Expr& expr) const;
  std::string give_up(const Expr& expr, std::string_view why) const;
};

/// The C++ literal of an integer: with a suffix when `int` is too small.
std::string cpp_integer(std::int64_t value);
/// A double literal of the value; infinities and NaN as builtins.
std::string cpp_float(double value);
/// A string literal with everything escaped that needs it.
std::string cpp_string(std::string_view text);

}  // namespace sdfg
