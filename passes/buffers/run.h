#pragma once

#include <functional>
#include <map>

#include "passes/buffers/program.h"

namespace sdfg {

/// The way down to each state of an SDFG, in order, for remarks.
using StateTrails = std::map<StateFlow::Point, const Trail*>;

/// Calls visit for an SDFG and for all nested in it, from the outside in, with what is known of its
/// symbols and which of its containers are the same memory. Containers dropped by visit are gone
/// after it.
void for_each_program(Sdfg& root, PassContext& context,
                      const std::function<void(BufferProgram&, const StateTrails&)>& visit);

}  // namespace sdfg
