#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "support/result.h"

namespace sdfg {

/// What a tool reads from and writes to, so that it runs the same in a terminal and in a test.
struct Console {
  std::string tool;  ///< what messages begin with: "sdfg-opt"
  std::function<Result<std::string>(const std::string& path)> read;  ///< "-": standard input
  std::function<Status(const std::string& path, std::string_view bytes)> write;  ///< "-": as out
  std::function<void(std::string_view)> out, err;
  bool terminal = false;  ///< standard output is one
  /// Ends the process with that status without taking apart what is in memory; empty: return.
  std::function<void(int status)> leave{};

  /// The real files and streams.
  static Console standard(std::string tool);
};

/// Exit statuses of all tools.
enum class Exit { Fine = 0, WrongInput = 1, WrongCommandLine = 2, InternalError = 3 };

}  // namespace sdfg
