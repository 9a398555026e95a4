#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/interpreter/statements.h"
#include "ir/analysis/connector_types.h"
#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg::interpreter {

/// One SDFG made ready to run: how to pass it its arguments, and what to do.
struct Executable {
  ByName<Binding> symbols;  ///< that the code uses; all are slots
  NameSet assigned;          ///< those that control flow assigns
  ByName<Container*> arguments;
  std::vector<Container*> owned;  ///< to reset on entry
  Action body;

  void run() const {
    for (Container* c : owned) c->reset();
    body();
  }
};

/// An SDFG while it is compiled. What is compiled refers to the Machine only, so the Unit can go
/// when its Executable is there.
class Unit {
 public:
  /// `outer`: the SDFG around, whose constants are visible; null for the program itself.
  /// `in_kernel`: it runs inside a kernel, as codegen/counts.h has it.
  Unit(Machine& machine, const Sdfg& sdfg, const Where* place, Unit* outer, bool in_kernel);
  Executable compile();

  Machine& machine() { return machine_; }
  const Sdfg& sdfg() const { return sdfg_; }
  const Where* place() const { return place_; }
  Names& names() { return names_; }
  bool in_kernel() const { return in_kernel_; }

  /// The container of that name; not for views, which are bound by their access nodes.
  Container* container(std::string_view name);
  /// A transient that lives in a scope of a state; its layout may use the scope's names.
  Container* local_container(std::string_view name, const Names& names, bool in_kernel);
  /// A container for one access node of a view; `prepare` is left to the caller.
  Container* new_container(std::string_view name, const Data& data);
  /// Fills in shape, strides and offsets from the values of symbols, when called.
  std::function<void()> layout_of(Container* container, const Context& context);
  /// Is this the only state that mentions the container, whose lifetime ends with it?
  bool is_local_to_state(std::string_view name) const;
  bool is_transient(std::string_view name) const;
  /// All elements of a container.
  std::shared_ptr<Window> whole(Container* container, const Where* place);

  /// The home of a symbol, made when first asked for.
  Binding symbol(const std::string& name);
  /// The same, where control flow assigns it.
  Binding assigned_symbol(const std::string& name) {
    assigned_.insert(name);
    return symbol(name);
  }
  /// To call after assigning the symbol: layouts that depend on it are computed again.
  std::vector<Container*> containers_shaped_by(std::string_view symbol);

  // control_flow.cpp
  Action compile_region(const Region& region, const Where* place);
  // state.cpp
  Action compile_state(const State& state, const Where* place);

 private:
  Action compile_block(const Block& block, const Where* place);
  Action compile_loop(const LoopRegion& loop, const Where* place);
  Action compile_conditional(const ConditionalBlock& block, const Where* place);
  Action compile_assignments(const InterstateEdge& edge, const Where* place);
  Action compile_code(const Code& code, const Where* place);
  Eval compile_condition(const Code& code, const Where* place);

  std::optional<Binding> find_name(std::string_view name);
  std::optional<Binding> constant(std::string_view name);
  std::optional<Binding> make_constant(const Constant& constant, std::string_view name);
  void count_uses();
  void prepare_plain(Container* container, const Names& names);

  Machine& machine_;
  const Sdfg& sdfg_;
  const Where* place_;
  Unit* outer_;
  bool in_kernel_;
  Names names_;
  TypeTable types_;
  ByName<Container*> containers_;
  ByName<Binding> symbols_;
  ByName<std::optional<Binding>> constants_;
  NameSet assigned_;
  std::vector<Container*> owned_;
  ByName<int> uses_;  ///< states that mention a name; 2: control flow
  NameSet zeroed_;     ///< some access node says setzero
  /// Containers whose layout uses a symbol; made when first asked for.
  std::optional<ByName<std::vector<std::string>>> shaped_by_;
};

/// Compiles a nested SDFG or the program itself.
Executable compile_sdfg(Machine& machine, const Sdfg& sdfg, const Where* place,
                        Unit* outer = nullptr, bool in_kernel = false);

}  // namespace sdfg::interpreter
