#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "codegen/counts.h"
#include "codegen/interpreter/unit.h"
#include "ir/analysis/scope_tree.h"
#include "support/by_name.h"

namespace sdfg::interpreter {

/// The nodes of one scope, in order, ready to run.
struct Body {
  std::vector<Container*> owned;  ///< transients and views that begin anew with every run
  struct Part {
    Step run;
    const Where* place;
  };
  std::vector<Part> parts;

  void run() const;
};

/// One state while it is compiled, scope by scope from the outside in.
class StateCompiler {
 public:
  StateCompiler(Unit& unit, const State& state, const Where* place);
  Action compile();

 private:
  struct Scope {
    NodeId entry;  ///< none: the state
    Names names;
    std::vector<Container*> owned;
    bool in_kernel;
    Scope(NodeId e, const Names* outer, bool kernel) : entry(e), names(outer), in_kernel(kernel) {}
  };

  Body compile_scope(Scope& scope);
  /// The kernel that a node is, if somebody counts and it is one: `in_scope` is what is around it.
  KernelCounts* kernel(const Scope& in_scope, std::string kind, const Where* place) const;
  /// A step that is a kernel; null for none.
  Step counted(KernelCounts* kernel, Step step) const;
  void compile_node(NodeId id, Scope& scope, Body& body);
  Context context(const Scope& scope, const Where* place) const;
  const Where* place_of(NodeId id) const;
  const Where* place_of(EdgeId id) const;
  Scope& scope_of(NodeId node);

  // Containers.
  void find_local_scopes();
  Container* named(std::string_view name);
  Container* view(NodeId node);
  Container* at_node(NodeId access);     ///< of an access node
  Container* of_memlet(EdgeId edge);     ///< of the memlet's `data`
  std::shared_ptr<Window> window(Container* container, const std::optional<Subset>& subset,
                                 const Scope& scope, const Where* place);
  /// What an edge reads: the part that its memlet names, or what a consume scope popped.
  std::shared_ptr<Window> window_read(EdgeId edge, const Scope& scope, const Where* place);
  /// The element that a consume scope popped and the edge carries; null for other edges.
  Container* popped(EdgeId edge) const;

  // access.cpp
  void compile_access(NodeId id, Scope& scope, Body& body);
  bool is_view_edge(NodeId node, EdgeId edge) const;
  bool waits_for_target(EdgeId edge) const;
  Step compile_copy(EdgeId edge, NodeId from, NodeId to, Scope& scope);
  Step compile_reference(EdgeId edge, NodeId to, Scope& scope);

  // scope.cpp
  Step compile_map(NodeId id, Scope& scope);
  bool is_kernel(Schedule schedule) const;
  Step compile_consume(NodeId id, Scope& scope);
  std::vector<Step> compile_dynamic_inputs(NodeId entry, Scope& outer, Scope& inner);

  // tasklet.cpp
  Step compile_tasklet(NodeId id, Scope& scope);
  std::optional<Step> compile_input(NodeId id, EdgeId edge, Scope& scope, Names& names);
  std::optional<Step> compile_output(NodeId id, EdgeId edge, Scope& scope, Names& names);

  // nested.cpp
  Step compile_nested(NodeId id, Scope& scope);

  // library.cpp
  Step compile_library(NodeId id, Scope& scope);

  Unit& unit_;
  Machine& machine_;
  const State& state_;
  const Where* place_;
  ScopeTree tree_;
  std::vector<std::vector<NodeId>> children_;  ///< by entry id; the state's at the end
  std::map<NodeId, Scope> scopes_;
  ByName<NodeId> local_scope_;  ///< innermost scope of all uses
  ByName<Container*> locals_;
  std::map<NodeId, Container*> views_;
  std::map<NodeId, Container*> popped_;  ///< by the entry of the consume scope
  std::map<std::pair<NodeId, std::string>, Binding> outputs_;  ///< of code nodes, read by others
};

}  // namespace sdfg::interpreter
