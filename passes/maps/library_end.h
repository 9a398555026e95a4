#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/sdfg.h"
#include "passes/common/aliases.h"
#include "passes/common/gpu_memory.h"
#include "passes/pass.h"

namespace sdfg {

// What the passes that write library nodes as maps ask of them.

/// One end of a library node: the edge, the container, and what is touched of it.
struct LibraryEnd {
  EdgeId edge;
  std::string data;
  Subset subset;
};

/// Of an edge with data at a library node. The error says that the subset has tiles.
Result<LibraryEnd> library_end(const State& state, EdgeId edge);

/// Does the node write nothing that it reads, also through views and by other names? A map writes
/// elements before all are read.
Refusal check_reads_apart(const Sdfg& sdfg, const State& state,
                          const std::vector<LibraryEnd>& in, const LibraryEnd& out,
                          const Aliases& aliases);

/// Can maps of the host touch all of it? Asked of nodes outside of scopes.
Refusal check_within_reach(const Sdfg& sdfg, const std::vector<LibraryEnd>& ends,
                           const GpuMemory& gpu);

/// The node's label, or `otherwise`, as a name: for the maps and tasklets in its place.
std::string name_of(const LibraryNode& node, std::string_view otherwise);

}  // namespace sdfg
