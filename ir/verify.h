#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// Everything wrong with the SDFG, in order of place: rule by rule what DaCe's validation asks for
/// (docs/ir.md lists the rules), and what it forgets. Errors make the SDFG unfit to run; warnings
/// do not. Never stops at the first finding, and never fails on broken input.
Diagnostics verify(const Sdfg& sdfg);

}  // namespace sdfg
