#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// Gives what scopes of the state bind other names where these are also symbols that something else
/// in the state reads. It means the same; but DaCe takes a name that any scope of a state binds for
/// no argument of its SDFG, and then lacks the symbol.
void rename_hiding_names(const Sdfg& sdfg, State& state);
/// The same where symbols are not declared yet; every scope is looked at.
void rename_hiding_names(State& state);
/// Of all states of the SDFG, and of those nested in it.
void rename_hiding_names(Sdfg& sdfg);

}  // namespace sdfg
