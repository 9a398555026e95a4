#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// Gives what scopes bind other names where these are also symbols that something else in the state
/// reads: signatures, as DaCe's, lack such symbols.
void tell_names_apart(Sdfg& sdfg);

}  // namespace sdfg
