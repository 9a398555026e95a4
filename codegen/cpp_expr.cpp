#include "codegen/cpp_expr.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "ir/analysis/expression_types.h"
#include "ir/expr_quotient.h"
#include "support/text.h"

namespace sdfg {

namespace {

// What C++ reserves, and what generated code uses by itself. Sorted.
constexpr auto reserved = std::to_array<std::string_view>({
    "EOF", "HUGE_VAL", "INFINITY", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_E", "M_LN10", "M_LN2",
    "M_LOG10E", "M_LOG2E", "M_PI", "M_PI_2", "M_PI_4", "M_SQRT1_2", "M_SQRT2", "NAN", "NULL",
    "RAND_MAX", "SDFG_BOTH", "SDFG_EXPORT", "SDFG_INLINE", "alignas", "alignof", "and",
    "and_eq", "asm", "assert", "auto", "bitand", "bitor", "blockDim", "blockIdx", "bool",
    "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await",
    "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval",
    "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "errno", "explicit", "export", "extern", "false", "float",
    "for", "friend", "goto", "gridDim", "if", "inline", "int", "int16_t", "int32_t", "int64_t",
    "int8_t", "linux", "long", "main", "mutable", "namespace", "new", "noexcept", "not",
    "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "return", "sdfg", "short", "signed", "size_t",
    "sizeof", "static", "static_assert", "static_cast", "std", "stderr", "stdin", "stdout",
    "struct", "switch", "template", "this", "threadIdx", "thread_local", "throw", "true", "try",
    "typedef", "typeid", "typename", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "union",
    "unix", "unsigned", "using", "virtual", "void", "volatile", "warpSize", "wchar_t", "while",
    "xor", "xor_eq",
});
static_assert(std::ranges::is_sorted(reserved));

/// Where the words of a letter begin. Most of these have another length than a name.
constexpr auto reserved_from = [] {
  std::array<std::uint8_t, 129> from{};
  for (std::size_t c = 0, at = 0; c < from.size(); from[c++] = std::uint8_t(at))
    while (at < reserved.size() && std::size_t(reserved[at][0]) < c) ++at;
  return from;
}();
bool is_reserved(std::string_view name) {
  if (name.empty() || static_cast<unsigned char>(name[0]) > 127) return false;
  const auto first = std::size_t(name[0]);
  const auto end = reserved.begin() + reserved_from[first + 1];
  return std::find(reserved.begin() + reserved_from[first], end, name) != end;
}

// Function names of tasklets and symbolic text: as written (without a leading module) and what
// they are in the runtime. Sorted by the first.
struct FunctionName {
  std::string_view python, cpp;
};
constexpr auto functions = std::to_array<FunctionName>({
    {"Abs", "sdfg::abs"},
    {"Max", "sdfg::max"},
    {"Min", "sdfg::min"},
    {"Mod_float", "sdfg::fmod"},
    {"Modulo", "sdfg::py_mod"},
    {"Modulo_float", "sdfg::py_mod"},
    {"ROUND", "sdfg::round"},
    {"abs", "sdfg::abs"},
    {"acos", "sdfg::acos"},
    {"acosh", "sdfg::acosh"},
    {"arccos", "sdfg::acos"},
    {"arcsin", "sdfg::asin"},
    {"arctan", "sdfg::atan"},
    {"asin", "sdfg::asin"},
    {"asinh", "sdfg::asinh"},
    {"atan", "sdfg::atan"},
    {"atan2", "sdfg::atan2"},
    {"atanh", "sdfg::atanh"},
    {"cbrt", "sdfg::cbrt"},
    {"ceil", "sdfg::ceil"},
    {"ceiling", "sdfg::ceil"},
    {"conj", "sdfg::conj"},
    {"copysign", "sdfg::copysign"},
    {"cos", "sdfg::cos"},
    {"cosh", "sdfg::cosh"},
    {"cpp_mod", "sdfg::cpp_mod"},
    {"deg2rad", "sdfg::deg2rad"},
    {"erf", "sdfg::erf"},
    {"erfc", "sdfg::erfc"},
    {"exp", "sdfg::exp"},
    {"exp2", "sdfg::exp2"},
    {"expm1", "sdfg::expm1"},
    {"fabs", "sdfg::fabs"},
    {"floor", "sdfg::floor"},
    {"fmax", "sdfg::fmax"},
    {"fmin", "sdfg::fmin"},
    {"fmod", "sdfg::fmod"},
    {"frexp", "sdfg::frexp"},
    {"frexp_mantissa", "sdfg::frexp_mantissa"},
    {"gamma", "sdfg::tgamma"},
    {"gcd", "sdfg::gcd"},
    {"heaviside", "sdfg::heaviside"},
    {"hypot", "sdfg::hypot"},
    {"ifloor", "sdfg::ifloor"},
    {"imag", "sdfg::imag"},
    {"int_ceil", "sdfg::int_ceil"},
    {"int_floor", "sdfg::quotient"},
    {"ipow", "sdfg::ipow"},
    {"iround", "sdfg::iround"},
    {"isfinite", "sdfg::isfinite"},
    {"isinf", "sdfg::isinf"},
    {"isnan", "sdfg::isnan"},
    {"lcm", "sdfg::lcm"},
    {"lgamma", "sdfg::lgamma"},
    {"log", "sdfg::log"},
    {"log10", "sdfg::log10"},
    {"log1p", "sdfg::log1p"},
    {"log2", "sdfg::log2"},
    {"max", "sdfg::max"},
    {"min", "sdfg::min"},
    {"modf_fraction", "sdfg::modf_fraction"},
    {"nextafter", "sdfg::nextafter"},
    {"np_float_pow", "sdfg::float_pow"},
    {"pow", "sdfg::pow"},
    {"py_floor", "sdfg::py_floor"},
    {"py_mod", "sdfg::py_mod"},
    {"rad2deg", "sdfg::rad2deg"},
    {"real", "sdfg::real"},
    {"reciprocal", "sdfg::reciprocal"},
    {"rint", "sdfg::rint"},
    {"round", "sdfg::round"},
    {"sgn", "sdfg::sgn"},
    {"sign", "sdfg::sign"},
    {"sign_numpy_2", "sdfg::sign_numpy_2"},
    {"signbit", "sdfg::signbit"},
    {"sin", "sdfg::sin"},
    {"sinh", "sdfg::sinh"},
    {"sqrt", "sdfg::sqrt"},
    {"tan", "sdfg::tan"},
    {"tanh", "sdfg::tanh"},
    {"tgamma", "sdfg::tgamma"},
    {"trunc", "sdfg::trunc"},
});
static_assert(std::ranges::is_sorted(functions, {}, &FunctionName::python));

/// DaCe's Python front end marks the names of structures that a tasklet makes.
std::string_view without_module(std::string_view name) {
  for (std::string_view module :
       {"dace.math.", "math.", "dace.", "numpy.", "np.", "cmath.", "__DACESTRUCT_"})
    if (name.starts_with(module)) return name.substr(module.size());
  return name;
}

// Precedences of C++, loosest first.
enum : int { ternary = 1, or_ = 2, and_ = 3, bits = 4, equality = 5, relation = 6, shift = 7,
             sum = 8, product = 9, unary = 10, postfix = 13 };

std::string wrap(std::string text, int precedence, int context) {
  return precedence < context ? "(" + text + ")" : text;
}

bool is_negative_term(const Expr& e) {
  if (e.is(Op::Integer)) return e.value() < 0 && e.value() != INT64_MIN;
  if (e.is(Op::Neg)) return true;
  return e.is(Op::Mul) && !e.args().empty() && e.arg(0).is(Op::Integer) && e.arg(0).value() < 0 &&
         e.arg(0).value() != INT64_MIN;
}
Expr negated(const Expr& e) {
  if (e.is(Op::Integer)) return Expr(-e.value());
  if (e.is(Op::Neg)) return e.arg(0);
  std::vector<Expr> factors(e.args().begin(), e.args().end());
  const std::int64_t value = -factors[0].value();
  if (value == 1)
    factors.erase(factors.begin());
  else
    factors[0] = Expr(value);
  return factors.size() == 1 ? factors[0] : Expr::make(Op::Mul, std::move(factors));
}

}  // namespace

std::string cpp_name(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (c == '.') c = '_';
  // `new` becomes `new_`, and `new_` something else than that.
  if (is_reserved(std::string_view(out).substr(0, out.find_last_not_of('_') + 1))) out += '_';
  return out;
}

std::string cpp_function_name(std::string_view name) {
  // They return nothing, as kernels do; `dim3` and `__syncthreads` are of GPUs.
  static constexpr std::string_view taken[] = {"__syncthreads", "abort",  "dim3",   "exit", "free",
                                               "perror",        "qsort",  "rewind", "srand",
                                               "sincos",        "sincosf"};
  std::string out = cpp_name(name);
  if (std::ranges::find(taken, out) != std::end(taken)) out += '_';
  return out;
}

std::optional<std::string> cpp_type(const Type& type) {
  switch (type.base()) {
    case BaseType::Bool: return "bool";
    case BaseType::Int8: return "int8_t";
    case BaseType::Int16: return "int16_t";
    case BaseType::Int32: return "int32_t";
    case BaseType::Int64: return "int64_t";
    case BaseType::UInt8: return "uint8_t";
    case BaseType::UInt16: return "uint16_t";
    case BaseType::UInt32: return "uint32_t";
    case BaseType::UInt64: return "uint64_t";
    case BaseType::BFloat16: return "sdfg::bfloat16";
    case BaseType::Float16: return "sdfg::float16";
    case BaseType::Float32: return "float";
    case BaseType::Float64: return "double";
    case BaseType::Complex64: return "sdfg::complex64";
    case BaseType::Complex128: return "sdfg::complex128";
    case BaseType::String: return "const char*";
    case BaseType::Pointer: {
      if (!type.element().known()) return "void*";
      const auto element = cpp_type(type.element());
      return element ? std::optional(*element + "*") : std::nullopt;
    }
    case BaseType::Opaque: return type.compound().name;
    case BaseType::Struct:
    case BaseType::Named: return cpp_name(type.compound().name);
    case BaseType::Vector: {
      if (type.compound().length == "1") return cpp_type(type.element());
      const auto element = cpp_type(type.element());
      if (!element) return std::nullopt;
      return "sdfg::vec<" + *element + ", " + type.compound().length + ">";
    }
    default: return std::nullopt;
  }
}

std::optional<Type> integer_of_cpp(std::string_view name) {
  if (!name.ends_with("_t")) return std::nullopt;
  const auto type = Type::scalar_from_text(name.substr(0, name.size() - 2));
  return type && type->is_integer() ? type : std::nullopt;
}

std::string cpp_integer(std::int64_t value) {
  if (value == INT64_MIN) return "(-INT64_C(9223372036854775807) - 1)";
  std::string text = std::to_string(value);
  if (value > INT32_MAX || value < -std::int64_t(INT32_MAX)) text = "INT64_C(" + text + ")";
  return text;
}

std::string cpp_float(double value) {
  if (std::isnan(value)) return "__builtin_nan(\"\")";
  if (std::isinf(value)) return value > 0 ? "__builtin_inf()" : "-__builtin_inf()";
  return python_float(value);
}

std::string cpp_string(std::string_view text) {
  static constexpr std::string_view digits = "01234567";
  std::string out = "\"";
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20 || u >= 0x7f) {
      out += '\\';
      out += digits[u >> 6];
      out += digits[u >> 3 & 7];
      out += digits[u & 7];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string CppExpr::give_up(const Expr& expr, std::string_view why) const {
  if (problem.empty()) problem = std::string(why) + ": `" + print_python(expr) + "`";
  return "0";
}

std::string CppExpr::binary(const Expr& expr, std::string_view op, int precedence,
                            int context) const {
  // Left-associative. Operands of bit operations and nested comparisons get parentheses that the
  // grammar does not need, because compilers warn without them.
  const bool careful = precedence >= bits && precedence <= shift;
  std::string out;
  for (std::size_t i = 0; i < expr.args().size(); ++i) {
    if (i) out.append(" ").append(op).append(" ");
    int inner = careful ? (precedence == bits || precedence == shift ? unary : shift + 1)
                        : i ? precedence + 1 : precedence;
    if (precedence == or_) inner = bits;  // && inside || gets parentheses
    if (precedence == and_) inner = bits;
    out += print(expr.arg(i), inner);
  }
  return wrap(out, precedence, context);
}

std::string CppExpr::add(const Expr& expr, int context) const {
  if (!symbolic) return binary(expr, "+", sum, context);
  if (has_quotient(expr)) return fraction(expr, context);
  // Positive terms first: `N - 1` reads better than `-1 + N`.
  std::string out;
  for (const bool negative : {false, true})
    for (const Expr& term : expr.args()) {
      if (is_negative_term(term) != negative) continue;
      const Expr shown = negative ? negated(term) : term;
      if (out.empty())
        out = (negative ? "-" : "") + print(shown, negative ? unary : sum);
      else
        out += (negative ? " - " : " + ") + print(shown, sum + 1);
    }
  return wrap(out, sum, context);
}

std::string CppExpr::multiply(const Expr& expr, int context) const {
  if (!symbolic) return binary(expr, "*", product, context);
  if (is_negative_term(expr)) {
    const Expr positive = negated(expr);
    return wrap("-" + print(positive, unary), unary - 1, context);
  }
  if (has_quotient(expr)) return fraction(expr, context);
  return binary(expr, "*", product, context);
}

/// An exact division: the whole is an integer, its terms and factors need not be.
std::string CppExpr::fraction(const Expr& expr, int context) const {
  const Fraction f = over_one_denominator(expr);
  if (has_quotient(f.numerator) || has_quotient(f.denominator))
    return give_up(expr, "a division by zero");
  if (f.denominator.as_integer() == 1) return print(f.numerator, context);
  return wrap(print(f.numerator, product) + " / " + print(f.denominator, unary), product, context);
}

std::optional<double> literal_exponent(const Expr& e) {
  if (e.is(Op::Integer)) return double(e.value());
  if (e.is(Op::Float)) return e.number();
  if (e.is(Op::Neg) && !e.arg(0).is(Op::Div)) {
    const auto positive = literal_exponent(e.arg(0));
    return positive ? std::optional(-*positive) : std::nullopt;
  }
  if (!e.is(Op::Div)) return std::nullopt;
  const auto is_plain = [](const Expr& x) { return x.is(Op::Integer) || x.is(Op::Float); };
  if (!is_plain(e.arg(0)) || !is_plain(e.arg(1))) return std::nullopt;
  const double quotient = *literal_exponent(e.arg(0)) / *literal_exponent(e.arg(1));
  std::array<char, 40> text;
  char* const last = text.data() + text.size();
  const char* end =
      std::to_chars(text.data(), last, quotient, std::chars_format::general, 15).ptr;
  double read = 0;
  std::from_chars(text.data(), end, read);
  const bool is_kept = quotient > 0 && std::isfinite(quotient) && read == quotient;
  return is_kept ? std::optional(quotient) : std::nullopt;
}

std::string CppExpr::power(const Expr& expr) const {
  const Expr &base = expr.arg(0), &exponent = expr.arg(1);
  if (const auto n = exponent.as_integer()) {
    if (*n == 0) return "1";
    if (*n == 1) return print(base, postfix);
    const std::string text =
        "sdfg::ipow(" + print(base) + ", " + std::to_string(std::abs(*n)) + ")";
    return *n > 0 ? text : *n == -1 ? "sdfg::reciprocal(" + print(base) + ")"
                                    : "sdfg::reciprocal(" + text + ")";
  }
  const std::optional<double> literal = literal_exponent(exponent);
  // A literal that is whole counts as an integer, as in DaCe.
  if (literal && *literal == std::floor(*literal) && std::fabs(*literal) < 0x1p31)
    return power(Expr::make(Op::Pow, {base, Expr(std::int64_t(*literal))}));
  const std::string root =
      std::string(symbolic ? "sdfg::sqrt(" : "sdfg::square_root(") + print(base) + ")";
  if (literal == 0.5) return root;
  if (literal == -0.5) return "sdfg::reciprocal(" + root + ")";
  const std::string function = symbolic ? "sdfg::index_pow(" : "sdfg::pow(";
  const bool is_quotient = literal && exponent.is(Op::Div) && !symbolic;
  const Expr shown = is_quotient ? Expr::number(*literal) : exponent;
  return function + print(base) + ", " + print(shown) + ")";
}

std::string CppExpr::call_of(std::string_view function, const Expr& expr) const {
  std::string out(function);
  out += '(';
  for (std::size_t i = 0; i < expr.args().size(); ++i)
    out += (i ? ", " : "") + print(expr.arg(i));
  return out + ")";
}

std::string CppExpr::call(const Expr& expr) const {
  const std::string_view plain = without_module(expr.name());
  if (!expr.args().empty() && expr.arg(0).is(Op::Keyword)) {
    // A structure by its members' names: in any order, converted to the members' types, neither of
    // which {.member = value} allows.
    std::string out = "[&] { " + cpp_name(plain) + " structure_{}; ";
    for (const Expr& a : expr.args()) {
      if (!a.is(Op::Keyword)) return give_up(expr, "positional arguments after named ones");
      out += "structure_." + cpp_name(a.name()) + " = " + print(a.arg(0)) + "; ";
    }
    return out + "return structure_; }()";
  }
  // DaCe's decltype(x)(value) and decltype(x)(re, im), where x may be an element.
  if (const std::size_t count = expr.args().size();
      plain.empty() && (count == 2 || count == 3) && expr.arg(0).is(Op::Call) &&
      expr.arg(0).name() == "decltype" && expr.arg(0).args().size() == 1) {
    std::string value = print(expr.arg(1));
    if (count == 3) value = "sdfg::complex128(" + value + ", " + print(expr.arg(2)) + ")";
    return "sdfg::like(" + print(expr.arg(0).arg(0)) + ", " + value + ")";
  }
  // Conversions. Python's own float and int mean 32 bits in DaCe's generated code.
  if (plain == "float" || plain == "int" || plain == "bool" || plain == "double" ||
      integer_of_cpp(plain))
    return call_of(plain, expr);
  if (const auto type = Type::scalar_from_text(plain)) {
    const std::size_t count = expr.args().size();
    if (count == 1 || (count == 2 && type->is_complex()))
      if (const auto cpp = cpp_type(*type)) return call_of(*cpp, expr);
    return give_up(expr, "no such conversion");
  }
  if (plain == "AND" || plain == "OR") {
    const Expr plain_tree = Expr::make(plain == "AND" ? Op::And : Op::Or,
                                       {expr.args().begin(), expr.args().end()});
    return "(" + print(plain_tree) + ")";
  }
  if (plain == "IfExpr" && expr.args().size() == 3)
    return print(Expr::make(Op::Select, {expr.args().begin(), expr.args().end()}), postfix);
  if (expr.name() == "pow") return call_of("sdfg::c_pow", expr);
  if (const auto found = std::ranges::lower_bound(functions, plain, {}, &FunctionName::python);
      found != functions.end() && found->python == plain)
    return call_of(found->cpp, expr);
  if (plain.find('.') != std::string_view::npos) return give_up(expr, "unknown function");
  called.insert(std::string(plain));
  return call_of(name ? name(std::string(plain)) : cpp_name(plain), expr);
}

std::string CppExpr::print(const Expr& expr, int context) const {
  if (override)
    if (auto text = override(expr)) return *text;
  switch (expr.op()) {
    case Op::Integer:
      if (!symbolic && expr.value() > INT32_MAX && expr.value() <= UINT32_MAX)
        return std::to_string(expr.value()) + "u";  // as DaCe prints it
      return wrap(cpp_integer(expr.value()), expr.value() < 0 ? unary - 1 : postfix, context);
    case Op::Float: return wrap(cpp_float(expr.number()), expr.number() < 0 ? unary - 1 : postfix,
                                context);
    case Op::Imaginary: return "sdfg::complex128(0.0, " + cpp_float(expr.number()) + ")";
    case Op::String: return cpp_string(expr.name());
    case Op::True: return "true";
    case Op::False: return "false";
    case Op::None: return "nullptr";
    case Op::Opaque:
      if (!unsigned_literal(expr)) return give_up(expr, "no C++ for this");
      return "UINT64_C(" + expr.name() + ")";
    case Op::Constant:
      if (expr.name() == "pi") return "3.141592653589793";
      if (expr.name() == "E") return "2.718281828459045";
      if (expr.name() == "oo") return "__builtin_inf()";
      if (expr.name() == "nan") return "__builtin_nan(\"\")";
      return give_up(expr, "an undefined value");
    case Op::Symbol:
      if (!symbolic && expr.name() == "inf") return "__builtin_inf()";
      if (!symbolic && expr.name() == "nan") return "__builtin_nan(\"\")";
      return name ? name(expr.name()) : cpp_name(expr.name());
    case Op::Add: return add(expr, context);
    case Op::Mul: return multiply(expr, context);
    case Op::Sub: return binary(expr, "-", sum, context);
    case Op::Div: return binary(expr, "/", product, context);
    case Op::FloorDiv: return call_of(symbolic ? "sdfg::floor_div" : "sdfg::quotient", expr);
    case Op::CeilDiv: return call_of(symbolic ? "sdfg::ceil_div" : "sdfg::int_ceil", expr);
    case Op::Mod: return call_of(symbolic ? "sdfg::floor_mod" : "sdfg::remainder_of", expr);
    case Op::Min: return call_of("sdfg::min", expr);
    case Op::Max: return call_of("sdfg::max", expr);
    case Op::Pow:
      return symbolic && has_quotient(expr) ? fraction(expr, context) : power(expr);
    case Op::And: return binary(expr, "&&", and_, context);
    case Op::Or: return binary(expr, "||", or_, context);
    case Op::Neg: return wrap("-" + print(expr.arg(0), unary), unary - 1, context);
    case Op::Not: return wrap("!" + print(expr.arg(0), unary), unary, context);
    case Op::Invert: return wrap("~" + print(expr.arg(0), unary), unary, context);
    case Op::LeftShift: return binary(expr, "<<", shift, context);
    case Op::RightShift: return binary(expr, ">>", shift, context);
    case Op::BitAnd: return binary(expr, "&", bits, context);
    case Op::BitOr: return binary(expr, "|", bits, context);
    case Op::BitXor: return binary(expr, "^", bits, context);
    case Op::Eq:
    case Op::Is: return binary(expr, "==", equality, context);
    case Op::Ne:
    case Op::IsNot: return binary(expr, "!=", equality, context);
    case Op::Lt: return binary(expr, "<", relation, context);
    case Op::Le: return binary(expr, "<=", relation, context);
    case Op::Gt: return binary(expr, ">", relation, context);
    case Op::Ge: return binary(expr, ">=", relation, context);
    case Op::Select:
      return wrap(print(expr.arg(0), or_) + " ? " + print(expr.arg(1), or_) + " : " +
                      print(expr.arg(2), ternary),
                  ternary, context);
    case Op::Call: return call(expr);
    case Op::Attribute: {
      // Module constants, else a member of a structure.
      if (expr.arg(0).is_symbol("math") || expr.arg(0).is_symbol("numpy") ||
          expr.arg(0).is_symbol("np")) {
        if (expr.name() == "pi") return "3.141592653589793";
        if (expr.name() == "e") return "2.718281828459045";
        if (expr.name() == "inf") return "__builtin_inf()";
        if (expr.name() == "nan") return "__builtin_nan(\"\")";
      }
      if (expr.name() == "real" || expr.name() == "imag")
        return "sdfg::" + expr.name() + "(" + print(expr.arg(0)) + ")";
      return print(expr.arg(0), postfix) + "." + cpp_name(expr.name());
    }
    case Op::Subscript:
      if (expr.args().size() == 2 && !expr.arg(1).is(Op::Slice) && !expr.arg(1).is(Op::Tuple))
        return print(expr.arg(0), postfix) + "[" + print(expr.arg(1)) + "]";
      return give_up(expr, "an access to something whose shape is not known");
    case Op::MatMul: return give_up(expr, "no matrix product in a scalar expression");
    default: return give_up(expr, "no C++ for this");
  }
}

}  // namespace sdfg
