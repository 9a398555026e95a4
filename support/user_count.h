#pragma once

#include <sys/single_threaded.h>

#include <atomic>
#include <cstdint>

namespace sdfg {

/// How many share an object; starts with one. Threads may share it; while the process has only one
/// thread, counting is as cheap as it looks.
class UserCount {
 public:
  void add() { change(+1); }
  /// True when that was the last one.
  bool remove() { return change(-1) == 1; }

 private:
  /// Returns what it was before.
  std::int32_t change(std::int32_t by) {
    if (!__libc_single_threaded) return change_shared(by);
    const std::int32_t before = count_.load(std::memory_order_relaxed);
    count_.store(before + by, std::memory_order_relaxed);
    return before;
  }
  std::int32_t change_shared(std::int32_t by);
  std::atomic<std::int32_t> count_ = 1;
};

}  // namespace sdfg
