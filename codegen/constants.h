#pragma once

#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// The C++ definition of a compile-time constant: a number, or an array of them.
Result<std::string> constant_definition(const std::string& name, const Constant& constant);

}  // namespace sdfg
