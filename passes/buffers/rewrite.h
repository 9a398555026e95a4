#pragma once

#include "passes/buffers/shared_storage.h"

namespace sdfg {

/// If the sharing needs `to` to grow: moves that to a larger container and makes the sharing about
/// it.
Refusal grow_for(BufferProgram& program, Sharing& sharing);

/// Carries out a sharing that was checked: access nodes of `from` become access nodes of `to`,
/// links become empty edges, which then go where two nodes can be one, and `from` is no more.
void share(BufferProgram& program, const Sharing& sharing);

/// Makes two access nodes of one container one, if the only ways from the first to the second are
/// empty edges, nobody reads at the first what may be written at the second, and nobody reads
/// elsewhere between what writes the two. Which of the two ids survives is not said; tells whether
/// it was done.
bool merge(BufferProgram& program, StateFlow::Point point, NodeId first, NodeId second);

/// Erases an access node with its edges.
void erase_access(BufferProgram& program, StateFlow::Point point, NodeId node);

/// Takes a node out that passes on nothing but order; what waited for it waits for what it waited
/// for.
bool bypass(BufferProgram& program, StateFlow::Point point, NodeId node);

/// Replaces a copy by an order, and that by nothing where the nodes can be one. Nodes that nothing
/// is left for go.
void drop_copy(BufferProgram& program, StateFlow::Point point, EdgeId edge);

/// Access nodes of one container that only read, and wait for nothing, become one.
Changed merge_sources(BufferProgram& program, StateFlow::Point point, const std::string& container);

}  // namespace sdfg
