#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "codegen/cpp_expr.h"
#include "codegen/writer.h"
#include "ir/analysis/connector_types.h"
#include "ir/code.h"
#include "support/by_name.h"

namespace sdfg {

/// A connector as the code of a tasklet sees it.
struct TaskletPort {
  std::string text;     ///< value: an lvalue; array: the pointer it is indexed from
  std::string offset;   ///< array: where element 0 lies from there; "0" for none
  bool array = false;
  bool single = false;  ///< an array of one element: its bare name means that element
  std::vector<std::string> strides;  ///< array: of each index, as C++ text
  Type type;
  /// How a value is written when assignment does not do: gets the address (arrays) or nothing,
  /// and the value; returns a statement.
  std::function<std::string(const std::string& address, const std::string& value)> write;
  /// array: an element by its indices (none: element 0), when pointer and offset do not do.
  std::function<std::string(const std::vector<Expr>& index, const CppExpr& printer)> element;
  /// A stream: reading pops.
  bool stream = false;
};
using TaskletPorts = ByName<TaskletPort>;

/// Prints the Python code of a tasklet as C++.
class TaskletCode {
 public:
  /// All of these have to outlive it. `types` are those of names that are no connectors;
  /// `outer_name` says what other symbols are called, in an index or elsewhere, `own_name` what to
  /// call a local.
  TaskletCode(const Code& code, const TaskletPorts& inputs, const TaskletPorts& outputs,
              const TypeTable& types,
              std::function<std::string(const std::string&, bool)> outer_name,
              std::function<std::string(const std::string&)> own_name);

  /// All statements; locals are declared where they first appear, or before the inner block where
  /// that is when others read them, too.
  void print(Writer& out);
  std::string expr(const Expr& e) const { return printer_.print(e); }
  /// What could not be printed; empty when all went well.
  const std::string& problem() const { return problem_.empty() ? printer_.problem : problem_; }
  const SymbolSet& called() const { return printer_.called; }

 private:
  /// The names that statements assign: with what, and where.
  struct Locals {
    std::vector<std::string> order;
    ByName<std::vector<Expr>> values;
    ByName<Expr> annotation;
    NameSet inner, counters;

    void add(const Statements& statements, bool nested);
  };

  void statement(Writer& out, const Statement& statement);
  void assign(Writer& out, const Assign& assign);
  void for_loop(Writer& out, const ForStatement& loop);
  void block(Writer& out, const Statements& statements);
  void declare_counters(Writer& out, const Statements& statements);
  void declare_locals(Writer& out, const Statement& statement);
  std::string type_of_value(const Expr& value);
  /// What the local is called, from now on if it is new.
  const std::string& add_local(const std::string& name);
  TypeTable types_read() const;
  std::optional<std::string> integer_call(const Expr& call) const;
  std::optional<std::string> access(const Expr& e) const;
  std::string index(const TaskletPort& port, const Expr& subscript) const;
  std::string element(const TaskletPort& port, const Expr& subscript) const;
  std::string element_at(const TaskletPort& port, const Expr& subscript) const;
  std::string callback_argument(const Expr& argument) const;
  const TaskletPort* input(const std::string& name) const;
  const TaskletPort* port(const std::string& name) const;
  void give_up(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }

  const Code& code_;
  const TaskletPorts& inputs_;
  const TaskletPorts& outputs_;
  const TypeTable& types_;
  std::function<std::string(const std::string&, bool)> outer_name_;
  std::function<std::string(const std::string&)> own_name_;
  CppExpr printer_;
  /// Of all names in the code; made when first asked for.
  mutable std::optional<TypeTable> all_types_;
  ByName<std::string> locals_;  ///< what each is called
  Locals found_;
  SymbolSet all_blocks_;                ///< locals that do not live in one block alone
  std::vector<std::string> in_block_;   ///< what this block and those around it declare
  int loops_ = 0;  ///< so far
  mutable bool in_index_ = false;
  std::string problem_;
};

}  // namespace sdfg
