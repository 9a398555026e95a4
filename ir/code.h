#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/type.h"
#include "support/by_name.h"

namespace sdfg {

struct Statement;
using Statements = std::vector<Statement>;

/// target = value; with an operator: target op= value. A target is a Symbol, Subscript, Attribute
/// or Tuple of these. A declaration `x: dace.float64 = v` keeps its annotation.
struct Assign {
  Expr target, value;
  std::optional<Op> augmented;
  std::optional<Expr> annotation;
  bool operator==(const Assign&) const = default;
  /// `x: dace.float64` alone.
  bool only_declares() const { return annotation && value.is(Op::None); }
};
struct ExprStatement {
  Expr value;
  bool operator==(const ExprStatement&) const = default;
};
struct IfStatement {
  Expr condition;
  Statements then, otherwise;
  bool operator==(const IfStatement&) const;
};
struct WhileStatement {
  Expr condition;
  Statements body;
  bool operator==(const WhileStatement&) const;
};
/// for target in iterable (usually a call of range).
struct ForStatement {
  Expr target, iterable;
  Statements body;
  bool operator==(const ForStatement&) const;
};
struct PassStatement {
  bool operator==(const PassStatement&) const = default;
};
struct BreakStatement {
  bool operator==(const BreakStatement&) const = default;
};
struct ContinueStatement {
  bool operator==(const ContinueStatement&) const = default;
};
struct ReturnStatement {
  std::optional<Expr> value;
  bool operator==(const ReturnStatement&) const = default;
};

struct Statement {
  std::variant<PassStatement, Assign, ExprStatement, IfStatement, WhileStatement, ForStatement,
               BreakStatement, ContinueStatement, ReturnStatement>
      kind;
  bool operator==(const Statement&) const = default;
};

/// The outcome of parsing Python code: statements, or why and where it does not parse.
struct ParsedCode {
  Statements statements;
  std::optional<Diagnostic> error;
};

/// A piece of code as DaCe stores it: text in a language. Python text is parsed once, when the
/// value is made; the text stays the truth, so unchanged code is written back unchanged.
class Code {
 public:
  Code() = default;  ///< empty Python
  Code(std::string text, Language language = Language::Python);
  /// Code that prints the expression or the statements.
  static Code from(const Expr& expr);
  static Code from(Statements statements);

  const std::string& text() const { return text_; }
  Language language() const { return language_; }
  bool empty() const { return text_.empty(); }
  /// Statements of Python code that parses, else nothing.
  const Statements* statements() const {
    return parsed_ && !parsed_->error ? &parsed_->statements : nullptr;
  }
  /// Why Python code does not parse; nothing for other languages.
  const Diagnostic* syntax_error() const {
    return parsed_ && parsed_->error ? &*parsed_->error : nullptr;
  }
  /// The expression, when the code is exactly one Python expression.
  const Expr* expr() const;
  /// True when the condition can only be true: `1`, `True` or nothing at all.
  bool always_true() const;

  bool operator==(const Code& other) const {
    return text_ == other.text_ && language_ == other.language_;
  }

 private:
  std::string text_;
  Language language_ = Language::Python;
  std::shared_ptr<const ParsedCode> parsed_;
};

ParsedCode parse_python_code(std::string_view text);
std::string print_python(const Statements& statements);

/// Names that the code reads before it assigns them (Python), or that occur among `known` as whole
/// words (other languages). Called functions are included only when they are in `known`.
void collect_symbols(const Code& code, const SymbolSet& known, SymbolSet& out);
/// Replaces names in Python code, keeping the order of operations; text in other languages is
/// changed word by word. Nothing to replace gives the same text back.
Code substitute(const Code& code, const Substitution& replacements);
/// Types of symbols: of those that are replaced, and of those that values mention.
struct SymbolTypes {
  const ByName<Type>& replaced;
  const ByName<Type>& mentioned;
};
/// The same where the names are symbols with types. Code is typed as C++ is, so that in Python a
/// value of another type is converted, `dace.int64(5)`, but in an index, and where it is all that
/// one of the outputs gets.
Code substitute(const Code& code, const Substitution& replacements, const SymbolTypes& types,
                const ByName<Type>& outputs);
/// Replaces expressions of Python code, inner ones first, by what `rewrite` says of each (the
/// expression itself: nothing). Other code stays.
Code rewrite(const Code& code, const std::function<Expr(const Expr&)>& rewrite);

/// Defaults of rare pieces of code.
struct NoCpp {
  Code operator()() const { return {"", Language::Cpp}; }
};
struct TrueCpp {
  Code operator()() const { return {"1", Language::Cpp}; }
};

/// What a write-conflict resolution does, when its lambda is one of the usual ones.
enum class Reduction : std::uint8_t {
  Custom, Min, Max, Sum, Product, LogicalAnd, BitAnd, LogicalOr, BitOr, LogicalXor, BitXor,
  MinLocation, MaxLocation, Exchange, Sub, Div
};
Reduction detect_reduction(const Code& wcr);

}  // namespace sdfg
