#pragma once

#include <optional>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Is every element of `box`, the subset that a memlet at the access node names, written whenever
/// the state runs? Memlets outside of maps may name more than is written, so those inside count.
bool writes_all(const Sdfg& sdfg, const State& state, EdgeId edge, NodeId node, const Subset& box);

/// Is it all of the container?
bool is_whole(const Data& data, const Subset& subset);

/// Is all that is read of a container (none: anything) among what was written?
bool is_written(const Data& data, const std::optional<Subset>& read,
                const std::vector<Subset>& writes);

}  // namespace sdfg
