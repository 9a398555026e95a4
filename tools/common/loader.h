#pragma once

#include "tools/common/build.h"
#include "tools/common/run.h"

namespace sdfg {

/// Generates C++ for the program, builds and loads it, and calls it once through its entry points
/// (docs/abi.md). Sizes that are not given are read off the shapes of given arrays; arrays named
/// `__return…` need not be given.
Backend cpu_backend(const BuildOptions& options = {});

/// The same for a GPU, or for the stand-in for one (tools/common/gpu_build.h). Arrays that are in
/// the GPU's memory are copied there and back. The program is called twice with the same arguments;
/// warnings say whether the second call gave other results, allocated memory or waited.
using Generator = std::function<Result<Bundle>(const Sdfg& sdfg)>;
Backend gpu_backend(const Generator& generator, const BuildOptions& options);

/// The bundle with one more file, the one to compile: a function that takes the arguments of the
/// entry points as addresses, so that a caller needs to know no C++ signature.
Bundle with_generic_call(const Bundle& bundle);

/// One address per argument, in the order of the bundle: of the first element of an array, or of
/// the value.
struct Addresses {
  std::vector<void*> init, arguments;
  std::vector<std::size_t> device_bytes{};  ///< per argument; 0: it stays in the host's memory
};

/// What the last of several calls with the same arguments did (codegen/runtime/sdfg_call.h).
struct Again {
  std::int64_t launches = -1, allocations = -1, synchronizations = -1, copies = -1, graphs = -1;
  std::int64_t different_bytes = 0;
};

/// A loaded library.
class LoadedProgram {
 public:
  /// `path` is a library built from `with_generic_call(bundle)`.
  static Result<LoadedProgram> open(const std::string& path, const Bundle& bundle);
  LoadedProgram(LoadedProgram&& other) noexcept;
  LoadedProgram& operator=(LoadedProgram&&) = delete;
  ~LoadedProgram();

  /// Initializes, calls and finalizes. The error says which step failed. Programs for a GPU are
  /// called twice.
  Status call(const Addresses& addresses, Again& again) const;

 private:
  LoadedProgram() = default;
  void* library_ = nullptr;
  int (*call_)(void** init, void** arguments, const std::size_t* device_bytes, Again* again) = nullptr;
};

}  // namespace sdfg
