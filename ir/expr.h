#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/by_name.h"
#include "support/result.h"
#include "support/user_count.h"

namespace sdfg {

/// What an expression node does. One list serves symbolic text in both of DaCe's dialects and
/// the Python subset of tasklets, conditions and assignments.
enum class Op : std::uint8_t {
  // Leaves.
  Integer,   ///< value()
  Float,     ///< number(); name() is the literal as written, so that it prints unchanged
  Imaginary, ///< number() times i; name() as written
  String,    ///< name() is the content
  True, False, None,
  Constant,  ///< name(): "pi", "E", "oo", "nan", or "?" (undefined)
  Symbol,    ///< name(); may be dotted only as Attribute nodes
  Opaque,    ///< text that is in no dialect we read, kept as name(); equal only to itself
  // Any number of arguments.
  Add, Mul, Min, Max, And, Or,
  // One argument.
  Neg, Not, Invert,
  // Two arguments.
  Sub,
  Div,       ///< exact: in symbolic text a rational; on numbers Python's true division
  FloorDiv,  ///< rounds towards minus infinity
  CeilDiv,   ///< int_ceil
  Mod,       ///< has the sign of the divisor
  Pow, MatMul, LeftShift, RightShift, BitAnd, BitOr, BitXor,
  Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn,
  // Others.
  Select,     ///< condition, value if true, value if false
  Call,       ///< name() is the function ("math.sqrt", "dace.int64"); arguments. With an empty name
              ///< the first argument is what is called: `f(x)(y)`
  Keyword,    ///< name() = argument, inside a call
  Attribute,  ///< argument . name()
  Subscript,  ///< base, then one index per dimension (`a[i, j]` and `a[(i, j)]` are the same)
  Slice,      ///< begin, end, step; None where absent
  Tuple, List,
  Lambda,     ///< parameters as Symbols, then the body
};

class Expr;
struct ExprNode;

/// An immutable expression: a shared tree, cheap to copy, compared by structure.
///
/// There are two ways to make one. `make` builds the node as given: Python code of tasklets stays
/// as written, because floating-point arithmetic must not be reordered. The operators and named
/// functions below (`a + b`, `floor_div`, `min`, …) build *normal form* for integer arithmetic:
/// sums of products with collected rational coefficients in a fixed order, so that two equal
/// polynomials are the same tree. `simplify` brings any tree to normal form. A division is exact,
/// as in DaCe's symbolic text: `N/2` is a rational, `floor_div(N, 2)` rounds.
///
/// Normal form has no Sub, Neg and Gt-like spelling choices. An Add lists its terms, the constant
/// first; a Mul its coefficient first if it is not 1. A coefficient is an Integer or a Div of two
/// Integers in lowest terms; `1/x` is Pow(x, -1). Functions of Python and of both dialects that an
/// Op stands for are that Op in every tree: min/Min, max, int_floor, int_ceil, Mod, IfExpr, And,
/// Eq, bitwise_and and so on.
class Expr {
 public:
  Expr() = default;  ///< 0
  inline Expr(const Expr& other);
  Expr(Expr&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Expr& operator=(Expr other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  inline ~Expr();
  Expr(std::int64_t value);
  Expr(int value) : Expr(std::int64_t(value)) {}
  static Expr symbol(std::string_view name);
  static Expr boolean(bool value);
  static Expr number(double value);
  static Expr make(Op op, std::vector<Expr> arguments, std::string name = {});
  static Expr leaf(Op op, std::string name = {}, double number = 0);

  inline Op op() const;
  inline std::span<const Expr> args() const;
  const Expr& arg(std::size_t i) const { return args()[i]; }
  inline const std::string& name() const;
  std::int64_t value() const;    ///< of an Integer
  inline double number() const;  ///< of a Float or Imaginary
  inline std::size_t hash() const;
  bool is(Op op) const { return this->op() == op; }
  bool is_symbol(std::string_view name) const { return is(Op::Symbol) && this->name() == name; }
  std::optional<std::int64_t> as_integer() const {
    return is(Op::Integer) ? std::optional(value()) : std::nullopt;
  }
  /// Same object: a fast test that implies equality.
  bool same(const Expr& other) const { return node_ == other.node_; }

  friend bool operator==(const Expr& a, const Expr& b);
  /// A total order that depends on structure alone, for sorting.
  friend std::strong_ordering compare(const Expr& a, const Expr& b);

 private:
  friend struct ExprAccess;
  /// Takes over a node that nobody else uses yet.
  explicit Expr(ExprNode* node) : node_(node) {}
  static void destroy(ExprNode* node);
  inline const ExprNode& node() const;
  ExprNode* node_ = nullptr;  ///< shared, and not changed any more; null: the integer 0
};

/// What an expression points to. Public for the sake of the accessors, which most of the time of an
/// optimizer run passes through; read expressions through Expr.
struct ExprNode {
  UserCount users{};
  Op op = Op::Integer;
  bool normal = true;        ///< known to be in normal form
  std::uint32_t depth = 1;   ///< levels of the tree
  std::size_t hash = 0;
  std::uint64_t names = 0;   ///< one of 64 bits for every symbol and function in the tree
  std::int64_t bits = 0;     ///< an Integer, or the bits of a double
  std::string name;
  std::vector<Expr> args;

  static const ExprNode zero;
};

const ExprNode& Expr::node() const { return node_ ? *node_ : ExprNode::zero; }
Op Expr::op() const { return node().op; }
std::span<const Expr> Expr::args() const { return node().args; }
const std::string& Expr::name() const { return node().name; }
double Expr::number() const { return std::bit_cast<double>(node().bits); }
Expr::Expr(const Expr& other) : node_(other.node_) {
  if (node_) node_->users.add();
}
Expr::~Expr() {
  if (node_ && node_->users.remove()) destroy(node_);
}
std::size_t Expr::hash() const { return node().hash; }

// ---- Normal form for integer arithmetic. Arguments are brought to normal form if they are not.
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr operator*(const Expr& a, const Expr& b);
Expr divide(const Expr& a, const Expr& b);  ///< exact
Expr floor_div(const Expr& a, const Expr& b);
Expr ceil_div(const Expr& a, const Expr& b);
Expr mod(const Expr& a, const Expr& b);
Expr pow(const Expr& a, const Expr& b);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr select(const Expr& condition, const Expr& a, const Expr& b);
Expr compare_expr(Op op, const Expr& a, const Expr& b);  ///< Eq, Ne, Lt, Le, Gt, Ge
Expr logical_and(const Expr& a, const Expr& b);
Expr logical_or(const Expr& a, const Expr& b);
Expr logical_not(const Expr& a);
Expr simplify(const Expr& any);

// ---- Questions and rewrites.
using Substitution = ByName<Expr>;
using SymbolSet = NameSet;

/// Every name that is read, array names of subscripts and roots of attributes included, function
/// names excluded. Lambda parameters do not count.
void collect_symbols(const Expr& expr, SymbolSet& out);
SymbolSet free_symbols(const Expr& expr);
bool uses_symbol(const Expr& expr, std::string_view name);
/// Replaces symbols at once (so {i: j, j: i} swaps). The result is in normal form.
Expr substitute(const Expr& expr, const Substitution& replacements);
/// The same without normalising: for code, where the order of operations is kept. Array names of
/// subscripts and function names are replaced too when the replacement is a symbol.
Expr substitute_as_written(const Expr& expr, const Substitution& replacements);
/// Integer value under an environment; nothing if a symbol is missing, a value is no integer, or
/// the arithmetic overflows 64 bits.
std::optional<std::int64_t> evaluate(const Expr& expr,
                                     const ByName<std::int64_t>& env);
/// expr = coefficient * symbol + rest, with both free of the symbol; nothing if it is not affine.
struct Affine {
  Expr coefficient, rest;
};
std::optional<Affine> match_affine(const Expr& expr, std::string_view symbol);

// ---- Three-valued decisions.
enum class Truth : std::uint8_t { No, Yes, Unknown };
inline Truth operator!(Truth t) {
  return t == Truth::Unknown ? t : t == Truth::Yes ? Truth::No : Truth::Yes;
}
inline bool certain(Truth t) { return t == Truth::Yes; }

namespace detail {
class Answers;
}

/// What may be taken for granted when deciding. Empty means: symbols are any integers.
///
/// A copy shares all of it with its original until one of the two is changed, so copying takes no
/// time that depends on how much there is.
class Assumptions {
 public:
  struct Bounds {
    std::optional<Expr> low, high;  ///< inclusive
  };
  using BoundsTable = ByName<Bounds>;

  /// Of symbols: parameters of maps, sizes.
  const BoundsTable& bounds() const;
  /// Null where nothing bounds the symbol.
  const Bounds* bounds_of(std::string_view symbol) const;
  /// Further true conditions.
  const std::vector<Expr>& facts() const;
  bool empty() const { return bounds().empty() && facts().empty(); }

  /// Replaces the symbol's bounds.
  void assume(std::string_view symbol, std::optional<Expr> low, std::optional<Expr> high);
  /// Drops the symbol's bounds, not the facts that mention it.
  void forget(std::string_view symbol);
  void add_fact(Expr condition);
  /// Keeps the first `count` facts.
  void keep_facts(std::size_t count);

  /// From here on, until they change, answers are remembered with these assumptions and their
  /// copies: for those that many questions are asked of, some of them again. They must not be asked
  /// by two threads at once then.
  void keep_answers();
  /// Is one a copy of the other, and neither changed since? Then all answers are equal.
  bool shared_by(const Assumptions& other) const { return content_ == other.content_; }

 private:
  friend detail::Answers* answers_kept(const Assumptions& assumptions);
  struct Content {
    BoundsTable bounds;
    std::vector<Expr> facts;
  };
  const Content& content() const;
  /// To be changed: nobody else's, and nothing has been answered with it.
  Content& changing();

  std::shared_ptr<Content> content_;  ///< null: nothing is known
  std::shared_ptr<detail::Answers> answers_;
};

/// Is the condition true for all values allowed by the assumptions (Yes), false for all (No)?
/// Interval and affine reasoning first; isl decides what is left, within a bounded effort.
Truth is_true(const Expr& condition, const Assumptions& assumptions = {});
Truth less_equal(const Expr& a, const Expr& b, const Assumptions& assumptions = {});
Truth less(const Expr& a, const Expr& b, const Assumptions& assumptions = {});
Truth equal(const Expr& a, const Expr& b, const Assumptions& assumptions = {});

// ---- Text.
/// How symbolic text in SDFG files is spelled: PLAIN `N - 1` before 2.0.0a4, TYPED `-1 + $N` since.
enum class Dialect : std::uint8_t { Plain, Typed };

/// Reads symbolic text into normal form. Text that does not parse is an error that shows where.
Result<Expr> parse_symbolic(std::string_view text, Dialect dialect);
/// Reads one Python expression as written.
Result<Expr> parse_python(std::string_view text);
/// Prints so that parse_symbolic gives back an equal expression (of normal form).
std::string print_symbolic(const Expr& expr, Dialect dialect);
/// Prints Python that parses back to the same tree and that DaCe accepts.
std::string print_python(const Expr& expr);
/// The PLAIN form, for messages and the text form.
std::string to_text(const Expr& expr);

}  // namespace sdfg
