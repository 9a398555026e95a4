#include <algorithm>
#include <charconv>

#include "ir/expr_internal.h"
#include "ir/lexer.h"
#include "support/text.h"

namespace sdfg {
namespace {

using detail::as_rational;

enum class Style : std::uint8_t { Python, Plain, Typed };

/// Binding strength of what is printed, weakest first.
enum Strength {
  any, lambda_strength, ternary, or_strength, and_strength, not_strength, comparison, bit_or,
  bit_xor, bit_and, shift, sum, product, sign, power, postfix, atom
};

std::string_view infix(Op op) {
  switch (op) {
    case Op::Add: return "+";
    case Op::Sub: return "-";
    case Op::Mul: return "*";
    case Op::Div: return "/";
    case Op::FloorDiv: return "//";
    case Op::Mod: return "%";
    case Op::MatMul: return "@";
    case Op::LeftShift: return "<<";
    case Op::RightShift: return ">>";
    case Op::BitAnd: return "&";
    case Op::BitOr: return "|";
    case Op::BitXor: return "^";
    case Op::Eq: return "==";
    case Op::Ne: return "!=";
    case Op::Lt: return "<";
    case Op::Le: return "<=";
    case Op::Gt: return ">";
    case Op::Ge: return ">=";
    case Op::Is: return "is";
    case Op::IsNot: return "is not";
    case Op::In: return "in";
    case Op::NotIn: return "not in";
    case Op::And: return "and";
    case Op::Or: return "or";
    default: return {};
  }
}

Strength infix_strength(Op op) {
  switch (op) {
    case Op::Add:
    case Op::Sub: return sum;
    case Op::Mul:
    case Op::Div:
    case Op::FloorDiv:
    case Op::Mod:
    case Op::MatMul: return product;
    case Op::LeftShift:
    case Op::RightShift: return shift;
    case Op::BitAnd: return bit_and;
    case Op::BitXor: return bit_xor;
    case Op::BitOr: return bit_or;
    case Op::And: return and_strength;
    case Op::Or: return or_strength;
    default: return comparison;
  }
}

/// The function that symbolic text writes for an operation; empty where it has an operator.
std::string_view symbolic_function(Op op) {
  switch (op) {
    case Op::FloorDiv: return "int_floor";
    case Op::CeilDiv: return "int_ceil";
    case Op::Mod: return "Mod";
    case Op::Min: return "Min";
    case Op::Max: return "Max";
    case Op::And: return "AND";
    case Op::Or: return "OR";
    case Op::Not: return "Not";
    case Op::Invert: return "bitwise_invert";
    case Op::BitAnd: return "bitwise_and";
    case Op::BitOr: return "bitwise_or";
    case Op::BitXor: return "bitwise_xor";
    case Op::LeftShift: return "left_shift";
    case Op::RightShift: return "right_shift";
    case Op::Eq: return "Eq";
    case Op::Ne: return "Ne";
    case Op::Is: return "Is";
    case Op::IsNot: return "IsNot";
    case Op::Select: return "IfExpr";
    default: return {};
  }
}
/// The function that Python code writes for an operation without an operator.
std::string_view python_function(Op op) {
  switch (op) {
    case Op::Min: return "min";
    case Op::Max: return "max";
    case Op::CeilDiv: return "int_ceil";
    default: return {};
  }
}

bool negative_coefficient(const Expr& term) {
  const auto c = as_rational(term.is(Op::Mul) && !term.args().empty() ? term.arg(0) : term);
  return c && c->negative();
}

class Printer {
 public:
  explicit Printer(Style style) : style_(style) {}

  void print(const Expr& e, int weakest);
  std::string out;

 private:
  bool symbolic() const { return style_ != Style::Python; }
  void brackets(bool needed, auto&& content) {
    if (needed) out += '(';
    content();
    if (needed) out += ')';
  }
  void arguments(std::span<const Expr> args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i) out += ", ";
      print(args[i], any);
    }
  }
  void function(std::string_view name, std::span<const Expr> args) {
    out += name;
    out += '(';
    arguments(args);
    out += ')';
  }
  void integer(std::int64_t value) {
    char buffer[24];
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
  void leaf(const Expr& e, int weakest);
  void unary(std::string_view op, const Expr& e, Strength strength, int weakest);
  void binary(const Expr& e, int weakest);
  void normal_sum(const Expr& e, int weakest);
  void normal_product(const Expr& e, bool drop_sign, int weakest);
  void factors(const std::vector<Expr>& parts);
  void raised(const Expr& e, int weakest);
  void negation(const Expr& e, int weakest);
  void select(const Expr& e, int weakest);
  void lambda(const Expr& e, int weakest);
  void attribute(const Expr& e);
  void subscript(const Expr& e);
  void call(const Expr& e);
  void slice(const Expr& e);

  Style style_;
};

void Printer::leaf(const Expr& e, int weakest) {
  switch (e.op()) {
    case Op::Integer: brackets(e.value() < 0 && weakest > sign, [&] { integer(e.value()); }); break;
    case Op::Float:
    case Op::Imaginary: {
      std::string text = e.name();
      if (text.empty()) text = python_float(e.number()) + (e.is(Op::Imaginary) ? "j" : "");
      if (symbolic() && e.is(Op::Imaginary)) {
        if (style_ == Style::Typed)
          text = e.number() == 1 ? "I" : '(' + python_float(e.number()) + "j)c128";
      }
      brackets(text.front() == '-' && weakest > sign, [&] { out += text; });
      break;
    }
    case Op::String: out += detail::quote(e.name()); break;
    case Op::True: out += "True"; break;
    case Op::False: out += "False"; break;
    case Op::None: out += "None"; break;
    case Op::Symbol:
      if (style_ == Style::Typed) out += '$';
      out += e.name();
      break;
    default: out += e.name();
  }
}

void Printer::unary(std::string_view op, const Expr& e, Strength strength, int weakest) {
  brackets(weakest > strength, [&] {
    out += op;
    print(e.arg(0), strength);
  });
}

void Printer::binary(const Expr& e, int weakest) {
  const Strength own = infix_strength(e.op());
  const bool tight = symbolic() && own >= product;
  // Comparisons do not chain, and/or keep their grouping, the others group from the left.
  const int first = own == sum || own == product || (own >= bit_or && own <= shift) ? own : own + 1;
  brackets(weakest > own, [&] {
    for (std::size_t i = 0; i < e.args().size(); ++i) {
      if (i) {
        if (!tight) out += ' ';
        out += infix(e.op());
        if (!tight) out += ' ';
      }
      print(e.arg(i), i == 0 ? first : own + 1);
    }
  });
}

/// A sum in normal form, with minus signs for negative terms; the constant comes first in TYPED
/// text and last elsewhere. A positive term leads where there is one.
void Printer::normal_sum(const Expr& e, int weakest) {
  std::vector<const Expr*> order;
  for (const Expr& term : e.args()) order.push_back(&term);
  if (style_ != Style::Typed) {
    if (as_rational(*order.front())) std::rotate(order.begin(), order.begin() + 1, order.end());
    const auto lead = std::find_if(order.begin(), order.end(),
                                   [](const Expr* t) { return !negative_coefficient(*t); });
    if (lead != order.end()) std::rotate(order.begin(), lead, lead + 1);
  }
  brackets(weakest > sum, [&] {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool minus = i > 0 && negative_coefficient(*order[i]);
      if (i) out += minus ? " - " : " + ";
      normal_product(*order[i], minus, i == 0 ? sum : product);
    }
  });
}

void Printer::factors(const std::vector<Expr>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i) out += symbolic() ? "*" : " * ";
    parts[i].is(Op::Pow) ? raised(parts[i], sign) : print(parts[i], sign);
  }
}

void Printer::raised(const Expr& e, int weakest) {
  brackets(weakest > power, [&] {
    print(e.arg(0), postfix);
    out += symbolic() ? "**" : " ** ";
    print(e.arg(1), symbolic() ? postfix : sign);
  });
}

/// A term of a sum, or a product in normal form: coefficient, factors, then what it is divided by.
void Printer::normal_product(const Expr& e, bool drop_sign, int weakest) {
  detail::Rational coefficient;
  std::vector<Expr> numerator, denominator;
  const auto factor_list = e.is(Op::Mul) ? e.args() : std::span(&e, 1);
  const auto divides = [](const Expr& f) {
    const auto exponent = f.is(Op::Pow) ? f.arg(1).as_integer() : std::nullopt;
    return exponent && *exponent < 0 && *exponent > -1000000;
  };
  // 1/(2*(a + b)) would be read as 1/(2*a + 2*b): a sum is divided by only when it stands alone.
  const std::size_t divisors = std::size_t(std::ranges::count_if(factor_list, divides)) +
                               (as_rational(factor_list[0]).value_or(coefficient).den != 1);
  const auto add = [&](const Expr& factor) {
    if (const auto r = as_rational(factor)) {
      // A product that overflowed may have several.
      if (coefficient == detail::Rational{}) coefficient = *r;
      else numerator.push_back(factor);
    } else if (divides(factor) && (!factor.arg(0).is(Op::Add) ||
                                   (divisors == 1 && factor.arg(1).value() == -1))) {
      const std::int64_t exponent = -factor.arg(1).value();
      denominator.push_back(exponent == 1 ? factor.arg(0)
                                          : Expr::make(Op::Pow, {factor.arg(0), exponent}));
    } else {
      numerator.push_back(factor);
    }
  };
  std::ranges::for_each(factor_list, add);

  if (drop_sign) coefficient.num = -coefficient.num;
  const bool lone_minus = coefficient.num == -1 && !numerator.empty();
  if (coefficient.den != 1) denominator.insert(denominator.begin(), coefficient.den);
  if (numerator.empty() || (coefficient.num != 1 && !lone_minus))
    numerator.insert(numerator.begin(), coefficient.num);
  const bool single = numerator.size() == 1 && denominator.empty() && !lone_minus;
  if (single)
    return divides(numerator[0]) ? raised(numerator[0], weakest) : print(numerator[0], weakest);
  brackets(weakest > product, [&] {
    if (lone_minus) out += '-';
    factors(numerator);
    if (denominator.empty()) return;
    out += symbolic() ? "/" : " / ";
    if (denominator.size() == 1) return print(denominator[0], sign);
    out += '(';
    factors(denominator);
    out += ')';
  });
}

void Printer::subscript(const Expr& e) {
  if (style_ == Style::Typed) return function("Subscript", e.args());
  print(e.arg(0), postfix);
  out += '[';
  const auto indices = e.args().subspan(1);
  if (indices.empty()) out += "()";
  arguments(indices);
  // A single tuple would be read as several indices.
  if (indices.size() == 1 && indices[0].is(Op::Tuple)) out += ',';
  out += ']';
}

void Printer::call(const Expr& e) {
  if (!e.name().empty()) return function(e.name(), e.args());
  print(e.arg(0), postfix);
  function({}, e.args().subspan(1));
}

void Printer::slice(const Expr& e) {
  if (!e.arg(0).is(Op::None)) print(e.arg(0), ternary);
  out += ':';
  if (!e.arg(1).is(Op::None)) print(e.arg(1), ternary);
  if (e.arg(2).is(Op::None)) return;
  out += ':';
  print(e.arg(2), ternary);
}

void Printer::negation(const Expr& e, int weakest) {
  // `-5` is a number; the operation on 5 needs a bracket to be read back as one.
  if (e.arg(0).op() > Op::Imaginary) return unary("-", e, sign, weakest);
  brackets(weakest > sign, [&] {
    out += "-(";
    print(e.arg(0), any);
    out += ')';
  });
}

void Printer::select(const Expr& e, int weakest) {
  brackets(weakest > ternary, [&] {
    print(e.arg(1), or_strength);
    out += " if ";
    print(e.arg(0), or_strength);
    out += " else ";
    print(e.arg(2), ternary);
  });
}

void Printer::lambda(const Expr& e, int weakest) {
  brackets(weakest > any, [&] {
    out += "lambda";
    for (std::size_t i = 0; i + 1 < e.args().size(); ++i)
      (out += i ? ", " : " ") += e.arg(i).name();
    out += ": ";
    print(e.args().back(), any);
  });
}

void Printer::attribute(const Expr& e) {
  if (style_ == Style::Typed) {
    out += "Attr(";
    print(e.arg(0), any);
    (((out += ", $") += e.name()) += ')');
    return;
  }
  const bool digits = e.arg(0).is(Op::Integer) || e.arg(0).is(Op::Float);
  brackets(digits, [&] { print(e.arg(0), digits ? any : postfix); });
  (out += '.') += e.name();
}

// Walks trees of up to max_depth levels, so the frame of this function stays small: what needs
// more than a line stands above.
void Printer::print(const Expr& e, int weakest) {
  const Op op = e.op();
  if (op <= Op::Opaque) return leaf(e, weakest);
  if (symbolic()) {
    if (const std::string_view f = symbolic_function(op); !f.empty()) return function(f, e.args());
  } else if (const std::string_view f = python_function(op); !f.empty()) {
    return function(f, e.args());
  }
  const bool normal = symbolic() || detail::is_normal(e);
  switch (op) {
    case Op::Add:
      return normal && e.args().size() > 1 ? normal_sum(e, weakest) : binary(e, weakest);
    case Op::Mul:
      return normal && e.args().size() > 1 ? normal_product(e, false, weakest) : binary(e, weakest);
    case Op::Neg: return negation(e, weakest);
    case Op::Invert: return unary("~", e, sign, weakest);
    case Op::Not: return unary("not ", e, not_strength, weakest);
    case Op::Pow:
      if (normal && e.arg(1).is(Op::Integer) && e.arg(1).value() < 0 && e.arg(1).value() > -1000000)
        return normal_product(e, false, weakest);
      return raised(e, weakest);
    case Op::Select: return select(e, weakest);
    case Op::Lambda: return lambda(e, weakest);
    case Op::Call: return call(e);
    case Op::Keyword:
      out += e.name();
      out += '=';
      return print(e.arg(0), any);
    case Op::Attribute: return attribute(e);
    case Op::Subscript: return subscript(e);
    case Op::Slice: return slice(e);
    case Op::Tuple:
      out += '(';
      arguments(e.args());
      out += e.args().size() == 1 ? ",)" : ")";
      return;
    case Op::List:
      out += '[';
      arguments(e.args());
      out += ']';
      return;
    default: return binary(e, weakest);
  }
}

std::string print_in(const Expr& e, Style style) {
  Printer printer(style);
  printer.print(e, any);
  return std::move(printer.out);
}

}  // namespace

std::string print_symbolic(const Expr& expr, Dialect dialect) {
  return print_in(expr, dialect == Dialect::Plain ? Style::Plain : Style::Typed);
}
std::string print_python(const Expr& expr) { return print_in(expr, Style::Python); }
std::string to_text(const Expr& expr) { return print_in(expr, Style::Plain); }

}  // namespace sdfg
