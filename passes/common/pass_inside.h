#pragma once

#include <string>

#include "ir/analysis/connector_types.h"
#include "ir/sdfg.h"

namespace sdfg {

/// Makes a name readable in a nested SDFG that means there what it means around: a symbol, whose
/// type is given, is passed on; a constant of the SDFG around (then `symbol` is null) is copied.
/// What is passed already stays; anything else is left alone. `inner`: the SDFG of `nested`, which
/// it may not be in yet.
void pass_inside(const Sdfg& around, const std::string& name, const Type* symbol,
                 NestedSdfg& nested, Sdfg& inner);

/// The same for all names that the SDFG inside needs from around. `types`: of symbols that the SDFG
/// around does not declare, parameters of scopes for instance; others are int64.
void pass_free_names(const Sdfg& around, const TypeTable& types, NestedSdfg& nested, Sdfg& inner);

}  // namespace sdfg
