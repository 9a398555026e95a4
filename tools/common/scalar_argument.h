#pragma once

#include <string_view>

#include "codegen/array.h"
#include "ir/sdfg.h"

namespace sdfg {

/// The value of a symbol or scalar of the program, from text, in the type that the program declares
/// for it ("12", "1e-3", "true"). The error names what is not declared, or no number of that type.
Result<NdArray> scalar_argument(const Sdfg& sdfg, std::string_view name, std::string_view text);

}  // namespace sdfg
