#pragma once

#include <functional>

#include "passes/pass.h"

namespace sdfg {

/// Drops branches of a conditional that cannot run, given what is known of each condition when all
/// before it have failed: a false one goes, behind a true one all go, and a conditional with one
/// certain branch becomes a plain region. `zeroed` gets what goes with the branches, for
/// set_to_zero (zeroed_lifetimes.h).
Changed prune_branches(Block& block, const Trail& trail, PassContext& context,
                       const std::function<Truth(const Code& condition)>& decide,
                       NameSet& zeroed);

}  // namespace sdfg
