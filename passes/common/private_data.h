#pragma once

#include <string_view>

#include "ir/sdfg.h"

namespace sdfg {

/// Is everything that the region reads of the container certainly written before, each time that
/// the region runs? Then each run may have a container of its own. Counts writes of states that run
/// unconditionally, in order, as far as memlets name exactly what is written.
bool written_before_read(const Sdfg& sdfg, const Region& region, std::string_view container);

}  // namespace sdfg
