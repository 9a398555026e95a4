#include "ir/expr.h"

#include <bit>

#include "ir/expr_internal.h"
#include "support/assert.h"
#include "support/hash.h"

namespace sdfg {
namespace {

std::size_t hash_of(const ExprNode& n) {
  Hasher h;
  h.add(std::uint64_t(n.op)).add(std::uint64_t(n.args.size()));
  switch (n.op) {
    case Op::Integer:
    case Op::Float:
    case Op::Imaginary: h.add(std::uint64_t(n.bits)); break;
    default:
      if (!n.name.empty()) h.add(n.name);
  }
  for (const Expr& a : n.args) h.add(a.hash());
  return h.value();
}

Expr build(Op op, std::vector<Expr> arguments, std::string name, bool normal) {
  auto node = std::make_unique<ExprNode>();
  node->op = op;
  node->normal = normal;
  node->name = std::move(name);
  node->args = std::move(arguments);
  for (const Expr& a : node->args) {
    node->depth = std::max(node->depth, detail::depth(a) + 1);
    node->names |= detail::name_bits(a);
  }
  if (op == Op::Call) node->names |= detail::name_bit(node->name);
  node->hash = hash_of(*node);
  return ExprAccess::wrap(std::move(node));
}

Expr build_leaf(Op op, std::string name, std::int64_t bits) {
  auto node = std::make_unique<ExprNode>();
  node->op = op;
  node->bits = bits;
  node->name = std::move(name);
  if (op == Op::Symbol) node->names = detail::name_bit(node->name);
  node->hash = hash_of(*node);
  return ExprAccess::wrap(std::move(node));
}

}  // namespace

// Any hash would do: only expressions made without a node have this one.
void Expr::destroy(ExprNode* node) { delete node; }

constinit const ExprNode ExprNode::zero{.hash = 0x9e3779b97f4a7c15};

Expr::Expr(std::int64_t value) {
  if (value == 0) return;
  // Small integers are everywhere; all of one value share a node.
  constexpr std::int64_t low = -8, high = 16;
  static const std::vector<Expr> small = [] {
    std::vector<Expr> out;
    for (std::int64_t v = low; v <= high; ++v) out.push_back(build_leaf(Op::Integer, {}, v));
    return out;
  }();
  *this = value >= low && value <= high ? small[std::size_t(value - low)]
                                        : build_leaf(Op::Integer, {}, value);
}


Expr Expr::symbol(std::string_view name) {
  return build_leaf(Op::Symbol, std::string(name), 0);
}
Expr Expr::boolean(bool value) {
  static const Expr yes = build_leaf(Op::True, {}, 0), no = build_leaf(Op::False, {}, 0);
  return value ? yes : no;
}
Expr Expr::number(double value) { return leaf(Op::Float, {}, value); }

Expr Expr::make(Op op, std::vector<Expr> arguments, std::string name) {
  if (arguments.empty() && op <= Op::Opaque) return leaf(op, std::move(name));
  return build(op, std::move(arguments), std::move(name), false);
}
Expr Expr::leaf(Op op, std::string name, double number) {
  if (op == Op::Integer) return Expr(std::int64_t(number));
  return build_leaf(op, std::move(name), std::bit_cast<std::int64_t>(number));
}
Expr detail::make_normal(Op op, std::vector<Expr> arguments, std::string name) {
  return build(op, std::move(arguments), std::move(name), true);
}

std::int64_t Expr::value() const {
  SDFG_ASSERT(is(Op::Integer));
  return node().bits;
}

bool operator==(const Expr& a, const Expr& b) {
  if (a.same(b)) return true;
  const ExprNode& x = a.node();
  const ExprNode& y = b.node();
  if (x.hash != y.hash || x.op != y.op || x.bits != y.bits) return false;
  // How a number was written does not matter.
  if (x.op == Op::Float || x.op == Op::Imaginary) return true;
  return x.name == y.name && x.args == y.args;
}

std::strong_ordering compare(const Expr& a, const Expr& b) {
  if (a.same(b)) return std::strong_ordering::equal;
  const ExprNode& x = a.node();
  const ExprNode& y = b.node();
  if (x.op != y.op) return x.op <=> y.op;
  if (x.op == Op::Integer) return x.bits <=> y.bits;
  if (x.op == Op::Float || x.op == Op::Imaginary) {
    if (a.number() < b.number()) return std::strong_ordering::less;
    if (a.number() > b.number()) return std::strong_ordering::greater;
    return std::uint64_t(x.bits) <=> std::uint64_t(y.bits);
  }
  if (const int c = x.name.compare(y.name)) return c <=> 0;
  for (std::size_t i = 0; i < x.args.size() && i < y.args.size(); ++i)
    if (const auto c = compare(x.args[i], y.args[i]); c != 0) return c;
  return x.args.size() <=> y.args.size();
}

// ---- Names of functions.

namespace detail {

std::optional<Op> op_of_function(std::string_view name, std::size_t arguments) {
  struct Entry {
    std::string_view name;
    Op op;
    std::size_t low, high;
  };
  constexpr std::size_t any = 1000000;
  // Names that start with `__` say that DaCe read an operator; they mean the same.
  static constexpr Entry table[] = {
      {"min", Op::Min, 2, any},
      {"Min", Op::Min, 2, any},
      {"max", Op::Max, 2, any},
      {"Max", Op::Max, 2, any},
      {"int_floor", Op::FloorDiv, 2, 2},
      {"__int_floor", Op::FloorDiv, 2, 2},
      {"int_ceil", Op::CeilDiv, 2, 2},
      {"Mod", Op::Mod, 2, 2},
      {"IfExpr", Op::Select, 3, 3},
      {"And", Op::And, 2, any},
      {"AND", Op::And, 2, any},
      {"Or", Op::Or, 2, any},
      {"OR", Op::Or, 2, any},
      {"Not", Op::Not, 1, 1},
      {"NOT", Op::Not, 1, 1},
      {"Eq", Op::Eq, 2, 2},
      {"Ne", Op::Ne, 2, 2},
      {"Lt", Op::Lt, 2, 2},
      {"Le", Op::Le, 2, 2},
      {"Gt", Op::Gt, 2, 2},
      {"Ge", Op::Ge, 2, 2},
      {"Is", Op::Is, 2, 2},
      {"IsNot", Op::IsNot, 2, 2},
      {"bitwise_and", Op::BitAnd, 2, 2},
      {"__bitwise_and", Op::BitAnd, 2, 2},
      {"BitwiseAnd", Op::BitAnd, 2, 2},
      {"bitwise_or", Op::BitOr, 2, 2},
      {"__bitwise_or", Op::BitOr, 2, 2},
      {"BitwiseOr", Op::BitOr, 2, 2},
      {"bitwise_xor", Op::BitXor, 2, 2},
      {"__bitwise_xor", Op::BitXor, 2, 2},
      {"BitwiseXor", Op::BitXor, 2, 2},
      {"bitwise_invert", Op::Invert, 1, 1},
      {"__bitwise_invert", Op::Invert, 1, 1},
      {"BitwiseNot", Op::Invert, 1, 1},
      {"left_shift", Op::LeftShift, 2, 2},
      {"__left_shift", Op::LeftShift, 2, 2},
      {"LeftShift", Op::LeftShift, 2, 2},
      {"right_shift", Op::RightShift, 2, 2},
      {"__right_shift", Op::RightShift, 2, 2},
      {"RightShift", Op::RightShift, 2, 2},
  };
  for (const Entry& e : table)
    if (e.name == name)
      return arguments >= e.low && arguments <= e.high ? std::optional(e.op) : std::nullopt;
  return std::nullopt;
}

bool is_comparison(Op op) { return op >= Op::Eq && op <= Op::NotIn; }
bool is_truth(Op op) {
  return is_comparison(op) || op == Op::And || op == Op::Or || op == Op::Not || op == Op::True ||
         op == Op::False;
}

Op negated(Op op) {
  switch (op) {
    case Op::Eq: return Op::Ne;
    case Op::Ne: return Op::Eq;
    case Op::Lt: return Op::Ge;
    case Op::Le: return Op::Gt;
    case Op::Gt: return Op::Le;
    case Op::Ge: return Op::Lt;
    case Op::Is: return Op::IsNot;
    case Op::IsNot: return Op::Is;
    case Op::In: return Op::NotIn;
    case Op::NotIn: return Op::In;
    default: SDFG_UNREACHABLE();
  }
}

Op mirrored(Op op) {
  switch (op) {
    case Op::Lt: return Op::Gt;
    case Op::Le: return Op::Ge;
    case Op::Gt: return Op::Lt;
    case Op::Ge: return Op::Le;
    default: return op;
  }
}

}  // namespace detail
}  // namespace sdfg
