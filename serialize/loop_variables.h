#pragma once

#include "ir/sdfg.h"

namespace sdfg::detail {

/// In DaCe, the variable of a loop keeps its last value behind the loop, declared or not. This
/// declares those without a declaration that something outside of their loops reads, in nested
/// SDFGs, too.
void declare_loop_variables(Sdfg& root);

}  // namespace sdfg::detail
