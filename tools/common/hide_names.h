#pragma once

#include "ir/sdfg.h"
#include "tools/common/random.h"

namespace sdfg {

/// Gives some parameters of maps names that mean something else outside: those of symbols, loop
/// variables and parameters around, of this SDFG or of one that it is nested in. The program means
/// the same; a transformation that moves an expression into the map without looking does not.
void hide_names(Sdfg& sdfg, Random& random);

}  // namespace sdfg
