#include "passes/maps/library_end.h"

#include "ir/analysis/memlet_path.h"
#include "passes/common/tidy.h"
#include "passes/common/viewed.h"

namespace sdfg {
namespace {

/// The container whose memory an edge of a library node reaches; nothing when it cannot be told.
std::optional<std::string> memory_of(const Sdfg& sdfg, const State& state, EdgeId edge,
                                     bool reads) {
  const NodeId node = reads ? path_source(state, edge) : path_target(state, edge);
  if (!state[node].is<AccessNode>()) return std::nullopt;
  return accessed_container(sdfg, state, node);
}

}  // namespace

Result<LibraryEnd> library_end(const State& state, EdgeId edge) {
  const Memlet& memlet = state[edge].memlet;
  LibraryEnd port{edge, memlet.data, *memlet.subset()};
  for (const Range& range : port.subset.ranges)
    if (range.tile != Expr(1))
      return Diagnostic{{}, "the subset " + to_text(port.subset) + " has tiles"};
  return port;
}

Refusal check_reads_apart(const Sdfg& sdfg, const State& state,
                          const std::vector<LibraryEnd>& in, const LibraryEnd& out,
                          const Aliases& aliases) {
  const auto written = memory_of(sdfg, state, out.edge, false);
  for (const LibraryEnd& port : in) {
    if (port.data == out.data && intersects(port.subset, out.subset) == Truth::No) continue;
    const auto read = memory_of(sdfg, state, port.edge, true);
    if (!read || !written) return "it cannot be told whether it writes what it reads";
    if (*read != *written && may_be_same(aliases, *read, *written))
      return "it writes '" + *written + "' and reads '" + *read + "', which may be the same memory";
    if (*read == *written)
      return "it writes " + out.data + "[" + to_text(out.subset) + "], memory of '" + *written +
             "', which it reads";
  }
  return {};
}

Refusal check_within_reach(const Sdfg& sdfg, const std::vector<LibraryEnd>& ends,
                           const GpuMemory& gpu) {
  for (const LibraryEnd& end : ends)
    if (gpu.is_out_of_reach(sdfg, end.data))
      return "'" + end.data + "' is in GPU memory, which a map on the host cannot touch";
  return {};
}

std::string name_of(const LibraryNode& node, std::string_view otherwise) {
  return as_name(node.label.empty() ? std::string(otherwise) : node.label);
}

}  // namespace sdfg
