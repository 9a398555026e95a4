#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// Removes what leads into a scope and is not used inside: the connector pairs of the entry, the
/// edges outside, and what these leave behind (of scopes around likewise; access nodes that lose
/// their last edge). What the scope waited for it
/// still waits for. In time linear in the entry's edges.
void drop_unused_inputs(State& state, NodeId entry);

/// Removes an access node that has no edges any more, if it is still there.
void drop_if_loose(State& state, NodeId node);

/// Takes connectors off access nodes where they mean nothing: those of views and references do,
/// others are left over from front ends (GT4Py's inline fuser). Passes need not think of them then:
/// a connector takes one edge.
void drop_idle_connectors(Sdfg& sdfg);

/// The text with underscores for what a name cannot have.
std::string as_name(std::string text);

/// Makes labels of blocks names. Only states need that, but passes label states after loops and
/// regions, whose labels may be any text.
void name_blocks(Sdfg& sdfg);

}  // namespace sdfg
