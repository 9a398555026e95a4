#pragma once

#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "support/result.h"

namespace sdfg {

struct BuildOptions {
  /// Empty: what the environment variable CXX names, else c++.
  std::string compiler;
  std::vector<std::string> flags{"-std=c++20", "-O2", "-fopenmp", "-ffp-contract=off"};
  /// Empty: $SDFG_CACHE, else sdfg/ in the user's cache folder, else in the temporary folder.
  std::string cache;
};

struct Built {
  std::string path;
  std::string command;  ///< what was run, or would have been
  std::string output;   ///< file with what the compiler printed
  bool cached = false;  ///< nothing had to be compiled
};

/// Compiles the bundle's first file, once per content: the same compiler (with its version), flags
/// and sources give what is there already. Any number of processes may build at the same time; one
/// that is killed leaves nothing that others could mistake for a result. The error shows the
/// compiler's first complaint and the command.
Result<Built> build(const Bundle& bundle, const BuildOptions& options = {});

}  // namespace sdfg
