#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// The container whose memory an access node touches: its own, or, through any number of views,
/// the one that the last view looks at. Nothing when that cannot be told, as for references.
std::optional<std::string> accessed_container(const Sdfg& sdfg, const State& state, NodeId access);

/// Is a reference set at the access node, through which the container may be written elsewhere?
inline bool sets_reference(const State& state, NodeId access) {
  return std::ranges::any_of(state.out(access),
                             [&](EdgeId e) { return state[e].dst_connector == "set"; });
}

/// The part of a container's name before the first dot: members of a structure share its memory.
inline std::string root_name(std::string_view data) {
  return std::string(data.substr(0, data.find('.')));
}

}  // namespace sdfg
