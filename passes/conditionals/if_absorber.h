#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/replace.h"
#include "ir/sdfg.h"
#include "passes/conditionals/if_shape.h"

namespace sdfg {

/// Takes other ifs that decide alike into one, the keeper. Each costs its own size.
class IfAbsorber {
 public:
  IfAbsorber(State& state, NodeId keeper, const IfShape& shape);

  /// Names that would clash and cannot be changed.
  Refusal check(const NestedSdfg& other, const IfShape& shape);
  void absorb(NodeId node, const IfShape& shape);
  /// After the last one.
  void finish();

 private:
  NestedSdfg& nested() { return state_.get<NestedSdfg>(keeper_); }
  Sdfg& inner() { return **nested().sdfg; }

  void remember_input(EdgeId e);
  std::string fresh(const std::string& base, const Sdfg& other);
  void join_symbols(NestedSdfg& other);
  Renaming join_containers(NodeId node, NestedSdfg& other);
  void join_code(Sdfg& other);
  void move_edges(NodeId node, const Renaming& names);
  void join_branch(std::size_t role, Branch& theirs, const Renaming& names);
  void join_states(State& into, State& from);
  void remember_sources(const State& state, NodeId node);

  State& state_;
  NodeId keeper_;
  IfShape shape_;
  SymbolSet connectors_;                       ///< of tasklets inside: no names for containers
  std::map<std::string, std::string> inputs_;  ///< what comes in: its connector
  std::set<NodeId> before_;                    ///< what the keeper comes after
  std::map<std::string, std::size_t> next_;    ///< by base name: where to look for a free one
  NameSet shared_;                             ///< connectors that the one being absorbed uses, too
  /// Access nodes that nothing writes, by state inside and container.
  std::map<const State*, std::map<std::string, NodeId>> sources_;
};

}  // namespace sdfg
