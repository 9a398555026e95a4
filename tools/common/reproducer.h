#pragma once

#include <string>
#include <vector>

#include "support/result.h"

namespace sdfg {

/// A command line and its input in one text file: what it takes to see a failure again.
struct Reproducer {
  std::string tool;                    ///< whose command line it is
  std::vector<std::string> arguments;  ///< without the input's path
  std::string input;                   ///< uncompressed
};
std::string print(const Reproducer& reproducer);
Result<Reproducer> parse_reproducer(const std::string& text);

}  // namespace sdfg
