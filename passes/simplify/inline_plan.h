#pragma once

#include <map>
#include <optional>
#include <string>

#include "ir/analysis/window.h"
#include "ir/replace.h"
#include "ir/sdfg.h"
#include "passes/common/fresh_names.h"
#include "passes/pass.h"

namespace sdfg {

/// A connector of a nested SDFG: the container outside and how the inner one lies in it.
struct Connection {
  std::string outer;
  Window window;
  std::optional<EdgeId> in, out;
};

/// How what is inside a nested SDFG is said in its parent's names and coordinates.
struct InlinePlan {
  std::map<std::string, Connection, std::less<>> connections;  ///< by connector: inner container
  Substitution symbols;  ///< inner symbol: outer expression
  Renaming moved;        ///< inner transient or constant: its name in the parent

  /// Finds the connections of a node, or why there are none.
  Refusal connect(const Sdfg& parent, const State& state, NodeId node);
  /// The connection behind an inner container, or behind an inner access node; null: none.
  const Connection* at(std::string_view inner) const;
  const Connection* at(const State& body, NodeId node) const;
  /// Moves transients, constants, code and callbacks to the parent. In a scope, each iteration has
  /// transients of its own.
  void move_declarations(Sdfg& parent, Sdfg& inner, FreshNames& names, bool in_scope);
  /// The subset that a copy leaves open: the whole container when it has as many elements, else a
  /// box at 0. Says so in the memlets of an inner state, because what is whole inside may be a part
  /// outside. A refusal when it cannot be told.
  Refusal check_open_subsets(const Sdfg& inner, const State& body) const;
  void close_subsets(const Sdfg& inner, State& body) const;
  /// A memlet in the parent's names and coordinates. Which container a subset belongs to follows
  /// from the ends of its path.
  void translate(const State& body, EdgeId edge, Memlet& memlet) const;
};

/// Inner symbols in outer terms: the mapping, without those that have the same name outside.
Substitution symbol_values(const NestedSdfg& nested);

}  // namespace sdfg
