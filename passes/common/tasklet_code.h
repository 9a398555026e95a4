#pragma once

#include <optional>
#include <string_view>

#include "ir/sdfg.h"

namespace sdfg {

/// The code without the statements that assign an output; nothing when the code uses the name in
/// another way, is not Python, or a statement of it might do more than assign.
std::optional<Code> without_output(const Code& code, std::string_view output);

/// Does the name occur in the code at all, as a whole word?
bool mentions(const Code& code, std::string_view name);

}  // namespace sdfg
