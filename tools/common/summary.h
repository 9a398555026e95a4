#pragma once

#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// What a program is, on one screen: its size by kinds, its containers, symbols and arguments.
std::string summary(const Sdfg& sdfg);

}  // namespace sdfg
