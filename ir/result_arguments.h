#pragma once

#include "ir/code.h"

namespace sdfg {

/// A call whose last arguments get its results (DaCe's py_divmod, np_modf and np_frexp), as
/// assignments to these; nothing for other calls.
Statements results_assigned(const Expr& call);

}  // namespace sdfg
