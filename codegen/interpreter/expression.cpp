#include "codegen/interpreter/expression.h"

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>

#include "codegen/cpp_expr.h"
#include "codegen/interpreter/functions.h"
#include "ir/analysis/expression_types.h"
#include "support/assert.h"

namespace sdfg::interpreter {
namespace {

Typed constant(BaseType type, Number value) {
  return {type, [value] { return value; }};
}

Eval converted(Typed value, BaseType to) {
  const Unary f = conversion(value.type, to);
  if (!f) return std::move(value.eval);
  return [f, eval = std::move(value.eval)] { return f(eval()); };
}

[[noreturn]] void unsupported(const Expr& expr) {
  throw Stop("the interpreter cannot evaluate '" + print_python(expr) + "'");
}

/// On a complex number and a real one, which stays real: its imaginary part is no zero that is
/// added or multiplied.
template <class T, class F>
Binary with_real(F, bool real_first) {
  using Real = typename T::value_type;
  if (real_first) return [](Number a, Number b) { return number_of(F()(get<Real>(a), get<T>(b))); };
  return [](Number a, Number b) { return number_of(F()(get<T>(a), get<Real>(b))); };
}
template <class T>
Binary with_real(Op op, bool real_first) {
  switch (op) {
    case Op::Add: return with_real<T>(std::plus<>(), real_first);
    case Op::Sub: return with_real<T>(std::minus<>(), real_first);
    case Op::Mul: return with_real<T>(std::multiplies<>(), real_first);
    case Op::Div: return with_real<T>(std::divides<>(), real_first);
    default: return nullptr;
  }
}

bool is_complex(BaseType type) {
  return type == BaseType::Complex64 || type == BaseType::Complex128;
}

Typed compile_binary(Op op, Typed a, Typed b) {
  // A shift has the type of its left operand, everything else the common type.
  const bool shift = op == Op::LeftShift || op == Op::RightShift;
  const BaseType type = shift ? promoted(a.type) : common_type(a.type, b.type);
  if (is_complex(type) && is_complex(a.type) != is_complex(b.type)) {
    const bool narrow = type == BaseType::Complex64, real_first = !is_complex(a.type);
    const Binary mixed = narrow ? with_real<std::complex<float>>(op, real_first)
                                : with_real<std::complex<double>>(op, real_first);
    const BaseType real = narrow ? BaseType::Float32 : BaseType::Float64;
    if (mixed)
      return {type, [mixed, a = converted(std::move(a), real_first ? real : type),
                     b = converted(std::move(b), real_first ? type : real)] {
                return mixed(a(), b());
              }};
  }
  const Binary f = binary_operator(op, type);
  if (!f) throw Stop("C++ has no such operator for " + Type(type).text());
  const bool comparison = op >= Op::Eq && op <= Op::Ge;
  return {comparison ? BaseType::Bool : type,
          [f, a = converted(std::move(a), type), b = converted(std::move(b), type)] {
            return f(a(), b());
          }};
}

/// min and max as DaCe's runtime has them: a < rest ? a : rest, so a NaN or a tie gives the rest.
Typed compile_extremum(Op op, Typed a, Typed rest) {
  const BaseType compare_as = common_type(a.type, rest.type);
  const BaseType type = a.type == rest.type ? a.type : compare_as;
  const Binary f = binary_operator(op == Op::Min ? Op::Lt : Op::Gt, compare_as);
  if (!f) throw Stop("min and max are not defined for " + Type(type).text());
  return {type, [f, a = converted(std::move(a), compare_as),
                 rest = converted(std::move(rest), compare_as)] {
            const Number x = a(), y = rest();
            return f(x, y).i ? x : y;
          }};
}

class Compiler {
 public:
  explicit Compiler(const Context& context) : context_(context) {}

  Typed compile(const Expr& e) const {
    switch (e.op()) {
      case Op::Integer: return constant(literal_type_in_cpp(e.value()), Number(e.value()));
      case Op::Float: return constant(BaseType::Float64, number_of(e.number()));
      case Op::Imaginary:
        return constant(BaseType::Complex128, number_of(std::complex<double>(0, e.number())));
      case Op::True: return constant(BaseType::Bool, Number(1));
      case Op::False: return constant(BaseType::Bool, Number(0));
      case Op::Opaque:
        if (const auto value = unsigned_literal(e))
          return constant(BaseType::UInt64, Number(std::int64_t(*value)));
        unsupported(e);
      case Op::Constant: return named_constant(e);
      case Op::Symbol:
      case Op::Attribute: return name(e);
      case Op::Add:
      case Op::Mul:
      case Op::Sub:
      case Op::Div:
      case Op::Mod:
      case Op::LeftShift:
      case Op::RightShift:
      case Op::BitAnd:
      case Op::BitOr:
      case Op::BitXor: return fold(e.op(), e.args());
      case Op::Eq:
      case Op::Ne:
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge: return compile_binary(e.op(), compile(e.arg(0)), compile(e.arg(1)));
      case Op::Min:
      case Op::Max: return extremum(e.op(), e.args());
      case Op::And:
      case Op::Or: return logical(e.op(), e.args());
      case Op::Not: return negation(compile(e.arg(0)));
      case Op::Neg:
      case Op::Invert: return unary(e);
      case Op::FloorDiv: return floor_division(compile(e.arg(0)), compile(e.arg(1)));
      case Op::CeilDiv: return ceil_division(compile(e.arg(0)), compile(e.arg(1)));
      case Op::Pow: return power(e.arg(0), e.arg(1));
      case Op::Is:
      case Op::IsNot: return identity(e);
      case Op::Select: return select(compile(e.arg(0)), compile(e.arg(1)), compile(e.arg(2)));
      case Op::Call: return call(e);
      case Op::Subscript: return subscript(e);
      case Op::Tuple:
        if (e.args().size() == 1) return compile(e.arg(0));
        [[fallthrough]];
      default: unsupported(e);
    }
  }

 private:
  Typed fold(Op op, std::span<const Expr> args) const {
    Typed result = compile(args[0]);
    for (std::size_t i = 1; i < args.size(); ++i)
      result = compile_binary(op, std::move(result), compile(args[i]));
    return result;
  }

  Typed extremum(Op op, std::span<const Expr> args) const {
    if (args.empty()) throw Stop("min and max need an argument");
    Typed result = compile(args.back());
    for (std::size_t i = args.size() - 1; i-- > 0;)
      result = compile_extremum(op, compile(args[i]), std::move(result));
    return result;
  }

  Typed logical(Op op, std::span<const Expr> args) const {
    std::vector<Eval> parts;
    for (const Expr& a : args) parts.push_back(converted(compile(a), BaseType::Bool));
    const bool stop_at = op == Op::Or;
    return {BaseType::Bool, [parts = std::move(parts), stop_at] {
              for (const Eval& part : parts)
                if ((part().i != 0) == stop_at) return Number(stop_at);
              return Number(!stop_at);
            }};
  }

  Typed negation(Typed value) const {
    return {BaseType::Bool, [f = converted(std::move(value), BaseType::Bool)] {
              return Number(f().i == 0);
            }};
  }

  Typed unary(const Expr& e) const {
    if (e.is(Op::Neg) && e.arg(0).is(Op::Integer))
      return constant(literal_type_in_cpp(-e.arg(0).value()), Number(-e.arg(0).value()));
    Typed value = compile(e.arg(0));
    const BaseType type = promoted(value.type);
    const Unary f = unary_operator(e.op(), type);
    if (!f) unsupported(e);
    return {type, [f, v = converted(std::move(value), type)] { return f(v()); }};
  }

  static bool integral(BaseType t) { return t >= BaseType::Bool && t <= BaseType::UInt64; }

  /// DaCe prints a // b as ifloor(a / b): integers truncate, floats are rounded down to an int.
  Typed floor_division(Typed a, Typed b) const {
    Typed quotient = compile_binary(Op::Div, std::move(a), std::move(b));
    if (integral(quotient.type)) return quotient;
    return apply("ifloor", false, std::move(quotient));
  }

  /// (a + b - 1) / b, as DaCe's int_ceil.
  Typed ceil_division(Typed a, Typed b) const {
    const Typed divisor = b;
    Typed sum = compile_binary(Op::Add, std::move(a), std::move(b));
    sum = compile_binary(Op::Sub, std::move(sum), constant(BaseType::Int32, Number(1)));
    return compile_binary(Op::Div, std::move(sum), divisor);
  }

  Typed power(const Expr& base, const Expr& exponent) const {
    Typed b = compile(base);
    if (const auto n = literal_exponent(exponent)) {
      const double magnitude = std::fabs(*n);
      if (*n == std::floor(*n) && magnitude < 0x1p31) {
        Typed result =
            magnitude == 0 ? constant(BaseType::Int32, Number(1))
                           : ipow(std::move(b),
                                  constant(BaseType::Int64, Number(std::int64_t(magnitude))));
        return *n < 0 ? apply("reciprocal", false, std::move(result)) : result;
      }
      if (magnitude == 0.5) {
        Typed root = apply("sqrt", true, std::move(b));
        return *n < 0 ? apply("reciprocal", false, std::move(root)) : root;
      }
      if (exponent.is(Op::Div))
        return call_pow(std::move(b), constant(BaseType::Float64, number_of(*n)));
    }
    return call_pow(std::move(b), compile(exponent));
  }

  /// DaCe's: multiplies values of the base's own type, from left to right, and at least one.
  Typed ipow(Typed base, Typed exponent) const {
    const BaseType own = base.type, type = promoted(own);
    Typed power{type, [multiply = binary_operator(Op::Mul, type),
                       b = converted(std::move(base), type),
                       n = converted(std::move(exponent), BaseType::Int64)] {
                  return integer_power(b(), n().i, multiply);
                }};
    // In narrow integers, the low bits of the product are those of all the products.
    return integral(own) ? Typed{own, converted(std::move(power), own)} : power;
  }

  Typed call_pow(Typed base, Typed exponent) const {
    const Function f = power_function(base.type, exponent.type);
    return {f.result, [f = f.binary, a = converted(std::move(base), f.argument),
                       b = converted(std::move(exponent), f.argument)] { return f(a(), b()); }};
  }

  Typed select(Typed condition, Typed a, Typed b) const {
    const BaseType type = a.type == b.type ? a.type : common_type(a.type, b.type);
    const Record* record = a.record;
    if (record != b.record) throw Stop("the two values of a choice are different structures");
    return {type, [c = converted(std::move(condition), BaseType::Bool),
                   a = converted(std::move(a), type), b = converted(std::move(b), type)] {
              return c().i ? a() : b();
            }, record};
  }

  Typed named_constant(const Expr& e) const {
    const std::string& name = e.name();
    if (name == "pi") return constant(BaseType::Float64, number_of(std::numbers::pi));
    if (name == "E") return constant(BaseType::Float64, number_of(std::numbers::e));
    if (name == "oo" || name == "inf")
      return constant(BaseType::Float64, number_of(std::numeric_limits<double>::infinity()));
    if (name == "nan")
      return constant(BaseType::Float64, number_of(std::numeric_limits<double>::quiet_NaN()));
    unsupported(e);
  }

  Typed name(const Expr& e) const {
    const std::string text = dotted_name(e);
    if (const Binding* binding = text.empty() ? nullptr : context_.names.find(text))
      return value_of(*binding, {});
    for (std::string_view module : {"math.", "dace.math.", "numpy.", "np."})
      if (text.starts_with(module)) {
        const std::string rest = text.substr(module.size());
        if (rest == "pi" || rest == "inf" || rest == "nan")
          return named_constant(Expr::leaf(Op::Constant, rest));
        if (rest == "e") return named_constant(Expr::leaf(Op::Constant, "E"));
      }
    if (text == "INFINITY" || text == "inf") return named_constant(Expr::leaf(Op::Constant, "oo"));
    if (text == "NAN" || text == "nan") return named_constant(Expr::leaf(Op::Constant, "nan"));
    if (e.is(Op::Attribute)) {
      const std::string root = dotted_name(e.arg(0));
      if (root.empty() || context_.names.find(root)) return member(e);
    }
    throw Stop("'" + (text.empty() ? print_python(e) : text) + "' is not defined here");
  }

  Typed value_of(const Binding& binding, std::vector<Eval> index) const {
    Typed value = read_of(binding, std::move(index));
    value.record = binding.layout();
    return value;
  }

  Typed read_of(const Binding& binding, std::vector<Eval> index) const {
    if (binding.slot) {
      if (!index.empty()) throw Stop("a scalar value is indexed");
      return {binding.type, [slot = binding.slot] { return *slot; }};
    }
    std::shared_ptr<Window> window = binding.window;
    if (!window->place) {  // read by name, without an edge
      window = std::make_shared<Window>(*window);
      window->place = context_.place;
    }
    if (window->container->is_stream()) return {binding.type, pop(window)};
    if (index.empty() && window->wide.empty())
      return {binding.type, [window] { return window->read({}); }};
    if (index.empty() && window->begin.size() == 1) {
      // A pointer to one element, of a container whose size is only known when it runs.
      return {binding.type, [window] {
                const std::int64_t zero = 0;
                return window->read({&zero, 1});
              }};
    }
    check_rank(*window, index.size());
    if (index.size() == 1)
      return {binding.type, [window, i = std::move(index[0])] {
                const std::int64_t at = i().i;
                return window->read({&at, 1});
              }};
    return {binding.type, [window, index = std::move(index)] {
              std::array<std::int64_t, 16> at;
              for (std::size_t d = 0; d < index.size(); ++d) at[d] = index[d]().i;
              return window->read({at.data(), index.size()});
            }};
  }

  void check_rank(const Window& window, std::size_t indices) const {
    if (window.takes(indices) && indices <= 16) return;
    throw Stop("'" + window.container->name + "' is indexed with " + std::to_string(indices) +
               " indices, the memlet has " + std::to_string(window.wide.size()) +
               " dimensions of more than one element");
  }

  static Eval pop(std::shared_ptr<Window> window) {
    return [window] { return pop_stream(*window); };
  }

  Typed subscript(const Expr& e) const {
    const std::string text = dotted_name(e.arg(0));
    const Binding* binding = text.empty() ? nullptr : context_.names.find(text);
    if (!binding) throw Stop("'" + print_python(e.arg(0)) + "' is not defined here");
    std::vector<Eval> index;
    for (const Expr& i : e.args().subspan(1)) {
      if (i.is(Op::Tuple))
        for (const Expr& part : i.args()) index.push_back(index_value(part));
      else
        index.push_back(index_value(i));
    }
    if (binding->slot && index.size() == 1) index.clear();  // x[0] of a scalar
    return value_of(*binding, std::move(index));
  }

  Eval index_value(const Expr& e) const {
    if (e.is(Op::Slice)) throw Stop("a slice is not a value");
    return converted(compile(e), BaseType::Int64);
  }

  Typed identity(const Expr& e) const {
    // `x is None` asks for an optional argument that may be absent; `x is False` compares values.
    const bool wanted = e.is(Op::Is);
    const Expr& subject = e.arg(1).is(Op::None) ? e.arg(0) : e.arg(1);
    if (!e.arg(0).is(Op::None) && !e.arg(1).is(Op::None))
      return compile(Expr::make(wanted ? Op::Eq : Op::Ne, {e.arg(0), e.arg(1)}));
    if (subject.is(Op::None)) return constant(BaseType::Bool, Number(wanted));
    const std::string text = dotted_name(subject);
    const Binding* binding = text.empty() ? nullptr : context_.names.find(text);
    if (!binding) throw Stop("'" + print_python(subject) + "' is not defined here");
    if (binding->slot) return constant(BaseType::Bool, Number(!wanted));
    return {BaseType::Bool, [window = binding->window, wanted] {
              window->container->make_ready();
              return Number((window->container->buffer == nullptr) == wanted);
            }};
  }

  // ---- Calls.

  Typed apply(std::string_view name, bool typeless, Typed argument) const {
    const std::array types{argument.type};
    const auto f = find_function(name, typeless, types);
    if (!f)
      throw Stop("'" + std::string(name) + "' is not defined for " + Type(argument.type).text());
    return result_of(*f, [call = f->unary, a = converted(std::move(argument), f->argument)] {
      return call(a());
    });
  }

  static Typed result_of(const Function& f, Eval eval) {
    Typed result{f.result, std::move(eval)};
    if (f.result_as == BaseType::Unknown) return result;
    return {f.result_as, converted(std::move(result), f.result_as)};
  }

  std::optional<Typed> cast(std::string_view type, std::span<const Expr> args) const {
    // Python's float is DaCe's float, of 32 bits; int likewise.
    std::optional<BaseType> to;
    if (type == "float") to = BaseType::Float32;
    else if (type == "int") to = BaseType::Int32;
    else if (type == "double") to = BaseType::Float64;
    else if (const auto known = Type::scalar_from_text(type)) to = known->base();
    else if (const auto in_cpp = integer_of_cpp(type)) to = in_cpp->base();
    if (!to || !is_supported(*to)) return std::nullopt;
    return cast(*to, args);
  }

  /// Of a value, or of a complex number's parts.
  std::optional<Typed> cast(BaseType to, std::span<const Expr> args) const {
    if (args.size() == 2 && Type(to).is_complex()) {
      Typed re = compile(args[0]), im = compile(args[1]);
      return Typed{to, [to, re = converted(std::move(re), BaseType::Float64),
                        im = converted(std::move(im), BaseType::Float64)] {
                     return convert(number_of(std::complex<double>(re().f64, im().f64)),
                                    BaseType::Complex128, to);
                   }};
    }
    if (args.size() != 1) return std::nullopt;
    return Typed{to, converted(compile(args[0]), to)};
  }

  /// DaCe's `decltype(x)(value)`: the value as what x is.
  Typed cast_like(const Expr& callee, std::span<const Expr> args) const {
    if (callee.is(Op::Call) && callee.name() == "decltype" && callee.args().size() == 1)
      if (auto result = cast(compile(callee.arg(0)).type, args)) return *std::move(result);
    unsupported(callee);
  }

  /// Functions that stand for operators, in symbolic text and in DaCe's runtime.
  std::optional<Typed> operator_call(std::string_view name, std::span<const Expr> args) const {
    struct Operator {
      std::string_view name;
      Op op;
      std::size_t arguments;
    };
    static constexpr Operator operators[] = {
        {"Eq", Op::Eq, 2}, {"Ne", Op::Ne, 2}, {"NotEq", Op::Ne, 2}, {"Lt", Op::Lt, 2},
        {"Le", Op::Le, 2}, {"LtE", Op::Le, 2}, {"Gt", Op::Gt, 2}, {"Ge", Op::Ge, 2},
        {"GtE", Op::Ge, 2}, {"And", Op::And, 0}, {"AND", Op::And, 2}, {"Or", Op::Or, 0},
        {"OR", Op::Or, 2}, {"Not", Op::Not, 1}, {"Mod", Op::Mod, 2}, {"int_floor", Op::FloorDiv, 2},
        {"int_ceil", Op::CeilDiv, 2}, {"bitwise_and", Op::BitAnd, 2},
        {"bitwise_or", Op::BitOr, 2}, {"bitwise_xor", Op::BitXor, 2},
        {"right_shift", Op::RightShift, 2}, {"left_shift", Op::LeftShift, 2},
        {"min", Op::Min, 0}, {"Min", Op::Min, 0}, {"max", Op::Max, 0}, {"Max", Op::Max, 0},
        {"IfExpr", Op::Select, 3}, {"ITE", Op::Select, 3}, {"Abs", Op::Call, 1},
    };
    for (const Operator& o : operators) {
      if (o.name != name || args.empty() || (o.arguments && args.size() != o.arguments)) continue;
      if (o.op == Op::Call) return apply("abs", false, compile(args[0]));
      return compile(Expr::make(o.op, {args.begin(), args.end()}));
    }
    return std::nullopt;
  }

  /// `x.m` of a structure x.
  Typed member(const Expr& e) const {
    Typed value = compile(e.arg(0));
    const Record::Member* member = value.record ? value.record->find(e.name()) : nullptr;
    if (!member)
      throw Stop("'" + print_python(e.arg(0)) + "' has no member '" + e.name() + "'");
    return {member->type, [load = loader(member->type), offset = member->offset,
                           eval = std::move(value.eval)] { return load(eval().record + offset); }};
  }

  /// `S(a=1, b=2)`, or the members in order; those left out are 0. All values come before the first
  /// is stored: one may read what this very expression gave the last time.
  Typed structure(const Record& record, std::span<const Expr> args) const {
    struct Part {
      Eval value;
      Store store;
      std::int64_t offset;
    };
    std::vector<Part> parts;
    for (const Expr& a : args) {
      const bool named = a.is(Op::Keyword);
      const std::size_t next = parts.size();
      const Record::Member* member = named ? record.find(a.name()) : record.at(next);
      if (!member)
        throw Stop("the structure '" + record.name + "' has no member for '" + print_python(a) +
                   "'");
      parts.push_back({converted(compile(named ? a.arg(0) : a), member->type), storer(member->type),
                       member->offset});
    }
    auto memory = std::make_shared<std::vector<std::byte>>(std::size_t(record.size));
    const auto eval = [parts = std::move(parts), memory,
                       values = std::vector<Number>(args.size())]() mutable {
      for (std::size_t i = 0; i < parts.size(); ++i) values[i] = parts[i].value();
      for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].store(memory->data() + parts[i].offset, values[i]);
      Number value;
      value.record = memory->data();
      return value;
    };
    return {BaseType::Struct, eval, &record};
  }

  Typed call(const Expr& e) const {
    std::string_view name = e.name();
    std::string_view module;
    if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos)
      module = name.substr(0, dot), name = name.substr(dot + 1);
    const std::span<const Expr> args = e.args();
    if (e.name().empty() && args.size() >= 2) return cast_like(args[0], args.subspan(1));
    const auto& records = context_.machine.records;
    // DaCe's Python front end marks the names of structures that a tasklet makes.
    constexpr std::string_view mark = "__DACESTRUCT_";
    const std::string_view made = name.starts_with(mark) ? name.substr(mark.size()) : name;
    if (const auto record = records.find(made); record != records.end())
      return structure(record->second, args);
    for (const Expr& a : args)
      if (a.is(Op::Keyword)) unsupported(e);
    const bool known_module = module.empty() || module == "math" || module == "cmath" ||
                              module == "dace" || module == "dace.math" || module == "numpy" ||
                              module == "np";
    if (!known_module) unsupported(e);
    if (auto value = cast(name, args)) return *std::move(value);
    if (auto value = operator_call(name, args)) return *std::move(value);
    if (name == "pow" && args.size() == 2) {
      Typed base = compile(args[0]), exponent = compile(args[1]);
      // Without a module it is C's, which integers reach as doubles.
      if (module.empty() && integral(base.type) && integral(exponent.type))
        base = {BaseType::Float64, converted(std::move(base), BaseType::Float64)};
      return call_pow(std::move(base), std::move(exponent));
    }
    if (name == "ipow" && args.size() == 2) return ipow(compile(args[0]), compile(args[1]));
    const bool typeless = !module.empty();
    if (args.size() == 1) {
      Typed argument = compile(args[0]);
      const std::array types{argument.type};
      if (find_function(name, typeless, types)) return apply(name, typeless, std::move(argument));
    }
    if (args.size() == 2) {
      Typed a = compile(args[0]), b = compile(args[1]);
      const std::array types{a.type, b.type};
      if (const auto f = find_function(name, typeless, types))
        return result_of(*f, [call = f->binary, a = converted(std::move(a), f->argument),
                              b = converted(std::move(b), f->argument)] { return call(a(), b()); });
    }
    throw Stop("the function '" + e.name() +
               "' of these arguments is not known to the interpreter");
  }

  const Context& context_;
};

}  // namespace

Typed compile(const Expr& expr, const Context& context) { return Compiler(context).compile(expr); }

Eval compile_as(const Expr& expr, BaseType type, const Context& context, const Record* record) {
  Typed value = compile(expr, context);
  if (type == BaseType::Struct && value.type == type && value.record != record)
    throw Stop("'" + print_python(expr) + "' is another structure than '" + record->name + "'");
  return converted(std::move(value), type);
}

}  // namespace sdfg::interpreter
