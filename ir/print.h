#pragma once

#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// The text form of docs/text-format.md: everything in the IR; parse(print(x)) == x.
std::string print(const Sdfg& sdfg);

}  // namespace sdfg
