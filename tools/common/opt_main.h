#pragma once

#include <span>
#include <string>
#include <vector>

#include "passes/registry.h"
#include "tools/common/console.h"

namespace sdfg {

/// The whole of `sdfg-opt`, given the arguments behind the program's name: reads the input, runs
/// the passes, writes the result, and answers with the exit status. A tool with passes of its own
/// calls it with a longer list, sorted by name. Call it under with_deep_stack.
int opt_main(std::span<const std::string> arguments, const Console& console,
             std::span<const Registered> passes = all_passes());

/// The same for a `main`, with passes of one's own beside the library's:
///
///   int main(int count, char** words) {
///     return sdfg::opt_main(count, words, {{sdfg::entry<MyPass>()}});
///   }
int opt_main(int count, char** words, const std::vector<Registered>& own_passes = {});

}  // namespace sdfg
