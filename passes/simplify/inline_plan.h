#pragma once

#include <optional>
#include <string>

#include "ir/analysis/window.h"
#include "ir/replace.h"
#include "ir/sdfg.h"
#include "passes/common/taken_names.h"
#include "passes/pass.h"
#include "support/by_name.h"

namespace sdfg {

/// A connector of a nested SDFG: the container outside and how the inner one lies in it.
struct Connection {
  std::string outer;
  Window window;
  std::optional<EdgeId> in, out;
};

/// How what is inside a nested SDFG is said in its parent's names and coordinates.
struct InlinePlan {
  ByName<Connection> connections;  ///< by connector: inner container
  Substitution symbols;  ///< inner symbol: outer expression
  Renaming moved;        ///< inner transient or constant: its name in the parent

  /// Finds the connections of a node, or why there are none.
  Refusal connect(const Sdfg& parent, const State& state, NodeId node);
  /// The connection behind an inner container, or behind an inner access node; null: none.
  const Connection* at(std::string_view inner) const;
  const Connection* at(const State& body, NodeId node) const;
  /// Does a tasklet inside have a connector that is called like something outside, or like a
  /// parameter there that a symbol's value mentions?
  Refusal check_connector_names(const TakenNames& outside, const State& body) const;
  /// Would code inside compute a value that the node hands in otherwise? `shapes`: what the extents
  /// of the parent's arguments grant, found out when it is first needed.
  static Refusal check_values(const Sdfg& parent, const NestedSdfg& nested,
                              std::optional<Assumptions>& shapes);
  /// Chooses names in the parent for transients and constants; no name that anything in the parent
  /// gets from now on is called like a connector of a tasklet inside. `inner` is still in place;
  /// `names` takes it to be gone from then on.
  void choose_names(const Sdfg& parent, const Sdfg& inner, TakenNames& names);
  /// What to replace inside, all at once: mapped symbols, and containers that are read by name.
  Substitution replacements() const;
  /// Renames what scopes inside bind and the places of connections mention, too (`A[i, 0:M]` at a
  /// connector, and a map over `i` inside), or the descriptors of what is connected: translate()
  /// would make that of one which means the other.
  void free_places(const Sdfg& parent, Sdfg& inner) const;
  /// Moves transients, constants, code and callbacks to the parent. In a scope, each iteration has
  /// transients of its own.
  void move_declarations(Sdfg& parent, Sdfg& inner, bool in_scope) const;
  /// The subset that a copy leaves open: the whole container when it has as many elements, else a
  /// box at 0. Says so in the memlets of an inner state, because what is whole inside may be a part
  /// outside. A refusal when it cannot be told.
  Refusal check_open_subsets(const Sdfg& inner, const State& body) const;
  void close_subsets(const Sdfg& inner, State& body) const;
  /// A library node with axes counts dimensions, so it must keep theirs; so must a copy that may
  /// have nothing to do in one of them.
  Refusal check_rank(const State& body, const Connection& c, EdgeId edge) const;
  /// A memlet's subsets in the parent's coordinates. Which container a subset belongs to follows
  /// from the ends of its path.
  void translate(const State& body, EdgeId edge, Memlet& memlet) const;
};

/// Gives access nodes and memlets other containers, all at once; what is read by name stays.
void rename_accesses(State& state, const Renaming& names);

/// Inner symbols in outer terms: the mapping, without those that have the same name (and type)
/// outside.
Substitution symbol_values(const NestedSdfg& nested, const Sdfg& outside);
/// Does a symbol of the type hold the value as it is, where symbols outside have these types? One
/// of 32 or 64 bits is taken to hold any other integer, as sizes and indices do fit; but unsigned
/// arithmetic may wrap.
bool holds(const Type& symbol, const Expr& value, const ByName<Type>& outside);

}  // namespace sdfg
