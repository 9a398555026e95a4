#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "ir/analysis/connector_types.h"
#include "ir/analysis/expression_types.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

Type lookup(const TypeTable& names, std::string_view name) {
  const auto found = names.find(name);
  return found == names.end() ? Type() : found->second;
}

Type common_type(const Expr& expr, const TypeTable& names) {
  Type type;
  for (const Expr& arg : expr.args()) type = result_type(type, type_of(arg, names));
  return type;
}

/// With a vector operand, comparisons and logic give a vector of bools.
Type bool_like(const Expr& expr, const TypeTable& names) {
  for (const Expr& arg : expr.args())
    if (const Type type = type_of(arg, names); type.base() == BaseType::Vector)
      return Type::vector(BaseType::Bool, type.compound().length);
  return BaseType::Bool;
}

Type type_of_call(const Expr& call, const TypeTable& names) {
  const std::string& name = call.name();
  if (const Type known = lookup(names, name); known.known()) return known;  // a callback
  if (name == "int") return BaseType::Int64;
  if (name == "uint") return BaseType::UInt32;
  if (name == "float" || name == "float64") return BaseType::Float64;
  if (name == "str") return Type::pointer(BaseType::Int8);
  if (name == "bool") return BaseType::Bool;
  if (name == "complex") return BaseType::Complex128;
  if (name == "round") return BaseType::Int64;
  if (name.starts_with("math.") || name == "min" || name == "max") return common_type(call, names);
  if ((name == "abs" || name == "log") && !call.args().empty()) return type_of(call.arg(0), names);
  return conversion_type(name).value_or(Type());
}

Type type_of_attribute(const Expr& expr, const TypeTable& names) {
  const Type base = type_of(expr.arg(0), names);
  if (base.is_pointer() && base.element().base() == BaseType::Struct)
    for (const auto& [member, type] : base.element().compound().members)
      if (member == expr.name()) return type;
  return base;
}

Type type_of_subscript(const Expr& expr, const TypeTable& names) {
  const Type base = type_of(expr.arg(0), names);
  if (expr.args().size() == 2) {
    if (expr.arg(1).is(Op::Slice)) return base;
    if (const Type index = type_of(expr.arg(1), names);
        base.is_pointer() && index.base() == BaseType::Vector)
      return Type::vector(base.element(), index.compound().length);
  }
  return base.is_pointer() || base.base() == BaseType::Vector ? base.element() : base;
}

/// In normal form a difference is a sum with a term -1 * x, whose factor must not count.
Type type_of_product(const Expr& expr, const TypeTable& names) {
  Type type;
  for (const Expr& arg : expr.args())
    if (arg.as_integer() != -1) type = result_type(type, type_of(arg, names));
  return type.known() ? type : common_type(expr, names);
}

}  // namespace

std::optional<std::uint64_t> unsigned_literal(const Expr& expr) {
  if (!expr.is(Op::Opaque)) return std::nullopt;
  const std::string& digits = expr.name();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<Type> conversion_type(std::string_view function) {
  const std::size_t dot = function.rfind('.');
  return Type::scalar_from_text(dot == function.npos ? function : function.substr(dot + 1));
}

Type type_of(const Expr& expr, const TypeTable& names) {
  switch (expr.op()) {
    case Op::Integer:
      return BaseType::Int64;
    case Op::Float:
      return BaseType::Float64;
    case Op::Imaginary:
      return BaseType::Complex128;
    case Op::String:
      return Type::pointer(BaseType::Int8);
    case Op::True:
    case Op::False:
      return BaseType::Bool;
    case Op::Constant:
      return BaseType::Float64;
    case Op::Symbol:
      if (expr.name() == "inf" || expr.name() == "nan") return BaseType::Float64;
      return lookup(names, expr.name());
    case Op::And:
    case Op::Or:
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
    case Op::Is:
    case Op::IsNot:
    case Op::In:
    case Op::NotIn:
      return bool_like(expr, names);
    case Op::Neg:
    case Op::Not:
    case Op::Invert:
      return type_of(expr.arg(0), names);
    case Op::Select:
      return result_type(type_of(expr.arg(1), names), type_of(expr.arg(2), names));
    case Op::Pow:
      // A power with a constant natural exponent keeps the type of its base.
      if (const auto exponent = expr.arg(1).as_integer(); exponent && *exponent >= 0)
        return result_type(type_of(expr.arg(0), names), BaseType::UInt32);
      return common_type(expr, names);
    case Op::Mul:
      return type_of_product(expr, names);
    case Op::Call:
      return type_of_call(expr, names);
    case Op::Keyword:
      return type_of(expr.arg(0), names);
    case Op::Attribute:
      return type_of_attribute(expr, names);
    case Op::Subscript:
      return type_of_subscript(expr, names);
    case Op::Opaque:
      return unsigned_literal(expr) ? Type(BaseType::UInt64) : Type();
    case Op::None:
    case Op::Slice:
    case Op::Tuple:
    case Op::List:
    case Op::Lambda:
      return {};
    default:
      return common_type(expr, names);
  }
}

BaseType promoted_in_cpp(BaseType type) {
  switch (type) {
    case BaseType::Bool:
    case BaseType::Int8:
    case BaseType::Int16:
    case BaseType::UInt8:
    case BaseType::UInt16: return BaseType::Int32;
    case BaseType::Float16:
    case BaseType::BFloat16: return BaseType::Float32;
    default: return type;
  }
}

BaseType common_type_in_cpp(BaseType a, BaseType b) {
  a = promoted_in_cpp(a), b = promoted_in_cpp(b);
  if (a == b) return a;
  const auto rank = [](BaseType t) {
    switch (t) {
      case BaseType::Int32: return 0;
      case BaseType::UInt32: return 1;
      case BaseType::Int64: return 2;
      case BaseType::UInt64: return 3;
      case BaseType::Float32: return 4;
      case BaseType::Float64: return 5;
      case BaseType::Complex64: return 6;
      default: return 7;
    }
  };
  const bool double_complex = (a == BaseType::Complex64 && b == BaseType::Float64) ||
                              (b == BaseType::Complex64 && a == BaseType::Float64);
  if (double_complex) return BaseType::Complex128;
  return rank(a) > rank(b) ? a : b;
}

BaseType literal_type_in_cpp(std::int64_t value) {
  if (value > std::numeric_limits<std::int32_t>::min() &&
      value <= std::numeric_limits<std::int32_t>::max())
    return BaseType::Int32;
  if (value >= 0 && value <= std::numeric_limits<std::uint32_t>::max()) return BaseType::UInt32;
  return BaseType::Int64;
}

namespace {
/// The common type of the last operands, from this one on; unknown if one of them is.
Type common_type_in_code(const Expr& expr, const TypeTable& names, std::size_t first = 0) {
  Type type = type_in_code(expr.arg(first), names);
  for (const Expr& arg : expr.args().subspan(first + 1)) {
    const Type other = type_in_code(arg, names);
    if (!type.is_scalar() || !other.is_scalar()) return {};
    type = common_type_in_cpp(type.base(), other.base());
  }
  return type;
}
}  // namespace

Type type_in_code(const Expr& expr, const TypeTable& names) {
  const auto promoted_first = [&] {
    const Type type = type_in_code(expr.arg(0), names);
    return type.is_scalar() ? Type(promoted_in_cpp(type.base())) : Type();
  };
  switch (expr.op()) {
    case Op::Integer: return literal_type_in_cpp(expr.value());
    case Op::Float: return BaseType::Float64;
    case Op::Opaque: return unsigned_literal(expr) ? Type(BaseType::UInt64) : Type();
    case Op::Symbol: return lookup(names, expr.name());
    case Op::True:
    case Op::False:
    case Op::And:
    case Op::Or:
    case Op::Not:
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: return BaseType::Bool;
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::CeilDiv:
    case Op::Mod:
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor: return common_type_in_code(expr, names);
    case Op::FloorDiv: {
      const Type type = common_type_in_code(expr, names);
      return type.is_integer() ? type : Type();
    }
    case Op::Neg:
    case Op::Invert:
    case Op::LeftShift:
    case Op::RightShift: return promoted_first();
    case Op::Min:
    case Op::Max:
    case Op::Select: {  // equal types stay as they are
      const std::size_t first = expr.is(Op::Select) ? 1 : 0;
      const Type type = type_in_code(expr.arg(first), names);
      const bool same = std::ranges::all_of(expr.args().subspan(first), [&](const Expr& arg) {
        return type_in_code(arg, names) == type;
      });
      return same ? type : common_type_in_code(expr, names, first);
    }
    case Op::Pow: {
      const auto exponent = expr.arg(1).as_integer();
      if (exponent == 0) return BaseType::Int32;
      if (!exponent || *exponent < 0) return {};
      const Type type = type_in_code(expr.arg(0), names);
      return type.is_integer() || type.is_bool() ? type : promoted_first();
    }
    case Op::Call: return conversion_type(expr.name()).value_or(Type());
    default: return {};
  }
}

namespace {
/// Adds the types of what statements assign, where a name has none yet.
struct CodeTypes {
  TypeTable names;
  TypeTable& assigned;

  void assign(const Expr& target, const Type& type) {
    if (!target.is(Op::Symbol) || !type.known()) return;
    if (names.emplace(target.name(), type).second) assigned.emplace(target.name(), type);
  }
  void run(const Statements& statements) {
    for (const Statement& s : statements) std::visit(*this, s.kind);
  }
  void operator()(const Assign& s) {
    if (s.annotation) {
      Type type = conversion_type(to_text(*s.annotation)).value_or(Type());
      if (s.annotation->is_symbol("int")) type = BaseType::Int64;
      if (s.annotation->is_symbol("float")) type = BaseType::Float64;
      if (type.known()) return assign(s.target, type);
    }
    const bool tuple = s.target.is(Op::Tuple) && s.value.is(Op::Tuple) &&
                       s.target.args().size() == s.value.args().size();
    if (!tuple) return assign(s.target, type_of(s.value, names));
    for (std::size_t i = 0; i < s.target.args().size(); ++i)
      assign(s.target.arg(i), type_of(s.value.arg(i), names));
  }
  void operator()(const IfStatement& s) { run(s.then), run(s.otherwise); }
  void operator()(const WhileStatement& s) { run(s.body); }
  void operator()(const ForStatement& s) {
    assign(s.target, BaseType::Int64);
    run(s.body);
  }
  void operator()(const ExprStatement&) {}
  void operator()(const ReturnStatement&) {}
  void operator()(const PassStatement&) {}
  void operator()(const BreakStatement&) {}
  void operator()(const ContinueStatement&) {}
};

/// The variable's initial value, and the type of a loop variable.
const Expr* assigned_value(const RareOptional<Code>& code, std::string_view variable) {
  const Statements* statements = code ? code->statements() : nullptr;
  if (!statements) return nullptr;
  for (const Statement& s : *statements)
    if (const auto* assign = std::get_if<Assign>(&s.kind))
      if (assign->target.is_symbol(variable)) return &assign->value;
  return nullptr;
}
}  // namespace

TypeTable types_assigned(const Code& code, const TypeTable& names) {
  TypeTable assigned;
  if (const Statements* statements = code.statements()) CodeTypes{names, assigned}.run(*statements);
  return assigned;
}

TypeTable symbol_types(const Sdfg& sdfg) {
  TypeTable types(sdfg.symbols.begin(), sdfg.symbols.end());
  for (const auto& [name, constant] : sdfg.constants) types.emplace(name, constant.data.dtype);
  for (const auto& [name, data] : sdfg.arrays)
    if (data.is_scalar()) types.emplace(name, data.dtype);
  const auto known = [&](const std::string& name) {
    return types.contains(name) || sdfg.arrays.contains(name);
  };
  // Expressions on edges read arrays by element, too. Made for the first name without a type:
  // most programs have none.
  std::optional<TypeTable> readable;
  const auto type_of_value = [&](const Expr& value) {
    if (!readable) {
      readable = types;
      for (const auto& [name, data] : sdfg.arrays) readable->emplace(name, data.dtype);
    }
    return type_of(value, *readable);
  };
  const auto define = [&](const std::string& name, const Type& type) {
    if (!type.known()) return false;
    readable->emplace(name, type);
    return types.emplace(name, type).second;
  };
  // What is assigned later in the text may be what an earlier assignment reads (loops of states).
  for (bool changed = true; changed;) {
    changed = false;
    for_each_block(sdfg, [&](const Block& block) {
      const auto* loop = block.as<LoopRegion>();
      if (!loop || loop->loop_variable.empty() || known(loop->loop_variable)) return;
      Type type;
      const std::string& variable = loop->loop_variable;
      if (const Expr* begin = assigned_value(loop->init_statement, variable))
        type = type_of_value(*begin);
      const Expr* condition = loop->loop_condition ? loop->loop_condition->expr() : nullptr;
      if (condition && condition->args().size() == 2) {
        const bool left = condition->arg(0).is_symbol(variable);
        type = result_type(type, type_of_value(condition->arg(left ? 1 : 0)));
      }
      if (define(variable, type)) changed = true;
    });
    for_each_interstate_edge(sdfg, [&](const InterstateEdge& edge) {
      for (const auto& [name, value] : edge.assignments)
        if (!known(name) && define(name, type_of_value(value))) changed = true;
    });
  }
  return types;
}

void add_scope_symbols(const State& state, NodeId entry, const Sdfg& sdfg, TypeTable& types) {
  const Node& node = state[entry];
  for (EdgeId e : state.in(entry)) {
    const std::string& name = state[e].dst_connector;
    const auto connector = node.in_connectors.find(name);
    if (connector == node.in_connectors.end() || name.starts_with("IN_")) continue;
    Type type = connector->second;
    if (!type.known())
      if (const Data* data = sdfg.find_data(state[e].memlet.data)) type = data->dtype;
    types.insert_or_assign(name, type);
  }
  if (const auto* map = node.as<MapEntry>())
    for (std::size_t i = 0; i < std::min(map->params.size(), map->ranges.size()); ++i)
      types.insert_or_assign(map->params[i], result_type(type_of(map->ranges[i].begin, types),
                                                         type_of(map->ranges[i].end, types)));
  if (const auto* consume = node.as<ConsumeEntry>())
    types.insert_or_assign(consume->pe_index, type_of(consume->num_pes, types));
}

}  // namespace sdfg
