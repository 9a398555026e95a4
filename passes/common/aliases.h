#pragma once

#include <map>
#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// Containers of a nested SDFG that may be the same memory, because overlapping parts of one container
/// are given to it under several names. Each maps to the first of its group.
using Aliases = std::map<std::string, std::string, std::less<>>;
/// By SDFG, for one and all that are nested in it; looked up only.
using AllAliases = std::map<const Sdfg*, Aliases>;

AllAliases find_aliases(const Sdfg& sdfg);

}  // namespace sdfg
