#include "passes/maps/library_end.h"

#include <cctype>

#include "ir/analysis/memlet_path.h"

namespace sdfg {
namespace {

/// The container whose memory an edge of a library node reaches, through views; empty when it
/// cannot be told.
std::string memory_of(const Sdfg& sdfg, const State& state, EdgeId edge, bool reads) {
  NodeId node = reads ? path_source(state, edge) : path_target(state, edge);
  for (int hops = 0; hops < 16; ++hops) {
    const auto* access = state[node].as<AccessNode>();
    const Data* data = access ? sdfg.find_data(access->data) : nullptr;
    if (!data || data->is_reference()) return {};
    if (!data->is_view()) return access->data;
    const auto viewing = viewed_edge(sdfg, state, node);
    if (!viewing) return {};
    node = state.source(*viewing) == node ? path_target(state, *viewing)
                                          : path_source(state, *viewing);
  }
  return {};
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
                          const std::vector<LibraryEnd>& in, const LibraryEnd& out) {
  const std::string written = memory_of(sdfg, state, out.edge, false);
  for (const LibraryEnd& port : in) {
    if (port.data == out.data && intersects(port.subset, out.subset) == Truth::No) continue;
    const std::string read = memory_of(sdfg, state, port.edge, true);
    if (read.empty() || written.empty())
      return "it cannot be told whether it writes what it reads";
    if (read == written)
      return "it writes " + out.data + "[" + to_text(out.subset) + "], memory of '" + written +
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
  std::string name = node.label.empty() ? std::string(otherwise) : std::string(node.label);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace sdfg
