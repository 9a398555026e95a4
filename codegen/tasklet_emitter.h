#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codegen/sdfg_function.h"
#include "codegen/tasklet_code.h"

namespace sdfg {

/// Prints one tasklet: as one line where it is one assignment, else as a block in which connectors
/// are variables.
class SdfgFunction::TaskletEmitter {
 public:
  TaskletEmitter(SdfgFunction& function, At& at, NodeId id);
  void emit();

 private:
  /// A connector's end of an edge: the memory and the part of it.
  struct End {
    Binding binding;
    Subset subset;
    EdgeId edge;
    Type type;  ///< of the connector's element
  };
  using Ends = std::vector<std::pair<std::string, End>>;

  // tasklet_ports.cpp: what connectors stand for.
  void note_names(const Statements& statements);
  void note_ranks(const Expr& e);
  void add_input(EdgeId e);
  void add_output(EdgeId e);
  void add_constants();
  void set_array(TaskletPort& port, const End& end, const std::string& connector,
                 const Place& place);
  void convert(TaskletPort& port, const Type& from, const Type& to);
  std::vector<std::string> strides(const End& end,
                                   const std::vector<std::size_t>& dimensions) const;
  bool hides_symbols_of(const std::vector<Expr>& begin) const;
  std::function<std::string(const std::vector<Expr>&, const CppExpr&)> device_element(
      const End& end, std::size_t rank) const;

  // tasklets.cpp: the two forms.
  const Assign* only_assignment() const;
  bool fits_line(const Assign& assign) const;
  void emit_line(const Assign& assign);
  void emit_block();
  void declare_input(const std::string& connector, TaskletPort& port);
  void declare_output(const std::string& connector, TaskletPort& port, Writer& stores);
  void declare_array(const std::string& connector, const TaskletPort& port);
  void print_foreign_code();
  void check_foreign_names();
  std::string outer_name(const std::string& name, bool index) const;
  std::string own_name(const std::string& name) const;
  void note_symbols();
  TaskletCode code() const;
  void finish(const TaskletCode& code);

  const Memlet& memlet(const End& end) const { return at_.state[end.edge].memlet; }

  SdfgFunction& f_;
  At& at_;
  NodeId id_;
  const Node& node_;
  const Tasklet& tasklet_;
  Place place_;
  bool python_;
  std::map<std::string, std::size_t> ranks_;  ///< indices the code uses on a name, if any
  TaskletPorts inputs_, outputs_;
  Ends in_ends_, out_ends_;
  SymbolSet finds_elements_;  ///< symbols that a block of code finds elements with
};

}  // namespace sdfg
