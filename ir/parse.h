#pragma once

#include <string_view>

#include "ir/sdfg.h"

namespace sdfg {

/// Reads the text form. The error's place is "line:column"; its message says what was expected
/// and found.
Result<Sdfg> parse(std::string_view text);

}  // namespace sdfg
