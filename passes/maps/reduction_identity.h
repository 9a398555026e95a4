#pragma once

#include <optional>
#include <string>

#include "ir/code.h"
#include "ir/type.h"

namespace sdfg {

/// The value that a reduction leaves alone, as Python code: 0 for sums, -inf for maxima of floats.
/// Nothing when there is none or the lambda is not one of the usual ones.
std::optional<std::string> reduction_identity(const Code& wcr, const Type& type);

}  // namespace sdfg
