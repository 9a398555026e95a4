#include "passes/common/viewed.h"

#include "ir/analysis/memlet_path.h"

namespace sdfg {

std::optional<std::string> accessed_container(const Sdfg& sdfg, const State& state, NodeId access) {
  // Views that look at one another in a ring are no valid program; the count ends the walk.
  for (std::size_t steps = 0; steps <= state.node_count(); ++steps) {
    const std::string& name = state.get<AccessNode>(access).data;
    const Data* data = sdfg.find_data(name);
    if (!data || data->is_reference()) return std::nullopt;
    if (!data->is_view()) return name;
    const auto edge = viewed_edge(sdfg, state, access);
    if (!edge) return std::nullopt;
    const NodeId source = path_source(state, *edge), target = path_target(state, *edge);
    access = source == access ? target : source;
    if (!state[access].is<AccessNode>()) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace sdfg
