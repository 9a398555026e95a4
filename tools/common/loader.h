#pragma once

#include "tools/common/build.h"
#include "tools/common/run.h"

namespace sdfg {

/// Generates C++ for the program, builds and loads it, and calls it once through its entry points
/// (docs/abi.md). Sizes that are not given are read off the shapes of given arrays; arrays named
/// `__return…` need not be given.
Backend cpu_backend(const BuildOptions& options = {});

/// The bundle with one more file, the one to compile: a function that takes the arguments of the
/// entry points as addresses, so that a caller needs to know no C++ signature.
Bundle with_generic_call(const Bundle& bundle);

/// A loaded library.
class LoadedProgram {
 public:
  /// `path` is a library built from `with_generic_call(bundle)`.
  static Result<LoadedProgram> open(const std::string& path, const Bundle& bundle);
  LoadedProgram(LoadedProgram&& other) noexcept;
  LoadedProgram& operator=(LoadedProgram&&) = delete;
  ~LoadedProgram();

  /// Initializes, calls and finalizes. One address per argument, in the order of the bundle: of
  /// the first element of an array, or of the value. The error says which step failed.
  Status call(const std::vector<void*>& init_arguments, const std::vector<void*>& arguments) const;

 private:
  LoadedProgram() = default;
  void* library_ = nullptr;
  int (*call_)(void** init, void** arguments) = nullptr;
};

}  // namespace sdfg
