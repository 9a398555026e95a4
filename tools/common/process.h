#pragma once

#include <string>
#include <vector>

namespace sdfg {

/// Runs a command found on the path, without input, with what it prints in a file (without a name:
/// where this process prints); its exit status, 128 + the signal that ended it, or -1 when it could
/// not be started.
int run_command(const std::vector<std::string>& command, const std::string& output);

}  // namespace sdfg
