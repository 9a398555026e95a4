// Names of the program and its kernels for profilers: NVTX (a header that needs no library) or
// ROCTX (loaded when it is there). Included by programs whose plan says `ranges = on`.
#pragma once

#if defined(SDFG_GPU_ON_CPU)
#elif defined(__HIPCC__)
#include <dlfcn.h>
#elif __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else
#error "ranges = on needs <nvtx3/nvToolsExt.h> (CUDA or the wheel nvidia-nvtx); or ranges = off"
#endif

namespace sdfg {
namespace gpu {

#if defined(SDFG_GPU_ON_CPU)
inline void push_range(const char*) {}
inline void pop_range() {}
#elif defined(__HIPCC__)
/// Both null where ROCm's tracer is not installed.
struct Roctx {
  int (*push)(const char*) = nullptr;
  int (*pop)() = nullptr;

  Roctx() {
    void* const library = dlopen("libroctx64.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    push = reinterpret_cast<int (*)(const char*)>(dlsym(library, "roctxRangePushA"));
    pop = reinterpret_cast<int (*)()>(dlsym(library, "roctxRangePop"));
  }
  static const Roctx& get() {
    static const Roctx roctx;
    return roctx;
  }
};
inline void push_range(const char* name) {
  if (Roctx::get().push) Roctx::get().push(name);
}
inline void pop_range() {
  if (Roctx::get().pop) Roctx::get().pop();
}
#else
inline void push_range(const char* name) { nvtxRangePushA(name); }
inline void pop_range() { nvtxRangePop(); }
#endif

/// A range of the host's time, as long as it lives.
struct Range {
  explicit Range(const char* name) { push_range(name); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  ~Range() { pop_range(); }
};

}  // namespace gpu
}  // namespace sdfg
