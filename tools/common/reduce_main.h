#pragma once

#include <span>
#include <string>
#include <vector>

#include "passes/registry.h"
#include "tools/common/console.h"

namespace sdfg {

/// The whole of `sdfg-reduce`, given the arguments behind the program's name: makes a program that
/// shows a fault smaller. Passes are sorted by name. Call it under with_deep_stack.
int reduce_main(std::span<const std::string> arguments, const Console& console,
                std::span<const Registered> passes = all_passes());

/// The same for a `main`, with passes of one's own beside the library's, as opt_main has them.
int reduce_main(int count, char** words, const std::vector<Registered>& own_passes = {});

}  // namespace sdfg
