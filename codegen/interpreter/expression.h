#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "codegen/interpreter/machine.h"
#include "ir/code.h"
#include "ir/expr.h"
#include "ir/subset.h"
#include "support/by_name.h"

namespace sdfg::interpreter {

/// What a name stands for: a value in a slot (symbol, connector, local variable), or memory.
struct Binding {
  BaseType type = BaseType::Unknown;
  Number* slot = nullptr;
  std::shared_ptr<Window> window;
  const Record* record = nullptr;  ///< of a structure in a slot

  const Record* layout() const { return window ? window->container->record : record; }
};

/// Names that are visible in one place: its own, then those of the places around it.
class Names {
 public:
  explicit Names(const Names* outer = nullptr) : outer_(outer) {}
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  const Binding* find(std::string_view name) const;
  /// Among the names of this place alone.
  const Binding* find_own(std::string_view name) const;
  void set(std::string name, Binding binding);
  /// Of this place alone.
  void erase(const std::string& name) { own_.erase(name); }
  /// Asked for names that are not set here, before the outer names. What it gives is kept.
  std::function<std::optional<Binding>(std::string_view)> on_demand;

 private:
  const Names* outer_;
  mutable ByName<Binding> own_;
};

/// Where code stands: what it may name, and how to speak about it.
struct Context {
  Machine& machine;
  const Names& names;
  const Where* place;
};

/// An expression ready to run, and its type in C++.
struct Typed {
  BaseType type;
  Eval eval;
  const Record* record = nullptr;  ///< of a structure
};

/// Compiles code as DaCe's generator would print it to C++: types and order of operations are
/// those of the C++ expression. Throws Stop for what cannot run.
Typed compile(const Expr& expr, const Context& context);
/// The same, converted to a type, or to a truth value. Structures must be of the layout `record`.
Eval compile_as(const Expr& expr, BaseType type, const Context& context,
                const Record* record = nullptr);
/// Compiles symbolic arithmetic on 64-bit integers: divisions round down, exact ones must be.
Index compile_index(const Expr& expr, const Context& context);
/// All of a subset's begins and steps.
std::vector<Index> compile_begins(const Subset& subset, const Context& context);
std::vector<Index> compile_steps(const Subset& subset, const Context& context);
/// `lambda old, new: …` on the container's elements; also the usual reductions, recognised by name.
Combine compile_reduction(const Code& wcr, const Container& container, const Context& context);

/// "math.sqrt" of nested attributes, or "" when the expression is no dotted name.
std::string dotted_name(const Expr& expr);

}  // namespace sdfg::interpreter
