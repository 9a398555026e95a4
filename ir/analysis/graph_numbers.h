#pragma once

#include <cstdint>
#include <map>

#include "ir/sdfg.h"

namespace sdfg {

/// Where a state stands in the JSON form of a program, which reports of measurements refer to.
struct StateNumber {
  std::int64_t graph = 0;  ///< `cfg_list_id` of the control-flow graph around it
  std::int64_t block = 0;  ///< its index there
};

/// The numbers of all states, those of nested SDFGs included: control-flow graphs are counted the
/// outer before the inner, in the order of blocks and nodes.
std::map<const State*, StateNumber> state_numbers(const Sdfg& sdfg);

}  // namespace sdfg
