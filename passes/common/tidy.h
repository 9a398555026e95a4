#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// Removes what leads into a scope and is not used inside: the connector pairs of the entry, the
/// edges outside, and what these leave behind (of scopes around likewise; access nodes that lose
/// their last edge). What the scope waited for it
/// still waits for. In time linear in the entry's edges.
void drop_unused_inputs(State& state, NodeId entry);

/// Gives what scopes of the state bind other names where these are also symbols that something else
/// in the state reads. It means the same; but DaCe takes a name that any scope of a state binds for
/// no argument of its SDFG, and then lacks the symbol.
void rename_hiding_names(const Sdfg& sdfg, State& state);
/// The same where symbols are not declared yet; every scope is looked at.
void rename_hiding_names(State& state);

/// Takes connectors off access nodes where they mean nothing: those of views and references do,
/// others are left over from front ends (GT4Py's inline fuser). Passes need not think of them then:
/// a connector takes one edge.
void drop_idle_connectors(Sdfg& sdfg);

}  // namespace sdfg
