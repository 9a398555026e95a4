#pragma once

#include <optional>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Elements that an edge into an access node or out of a scope writes whenever the state runs: a
/// box, all of it; none when it cannot be told. Memlets outside of maps, and those of nested SDFGs,
/// may name more than is written, so what is inside counts.
std::optional<Subset> certainly_written(const Sdfg& sdfg, const State& state, EdgeId edge,
                                        const Assumptions& known = {});
/// Is every element of `box`, the subset that the edge's memlet names, among them?
bool writes_all(const Sdfg& sdfg, const State& state, EdgeId edge, const Subset& box,
                const Assumptions& known = {});

/// Does the region, one of the SDFG's, write all of the container whenever it runs?
bool writes_container(const Sdfg& sdfg, const Region& region, const std::string& container);

/// Is it all of the container?
bool is_whole(const Data& data, const Subset& subset);

/// Is all that is read of a container (none: anything) among what was written?
bool is_written(const Data& data, const std::optional<Subset>& read,
                const std::vector<Subset>& writes, const Assumptions& known = {});

}  // namespace sdfg
