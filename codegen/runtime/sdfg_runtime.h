// What every generated program needs: exported names and memory that outlives a call.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <new>

// Functions for both sides of a program that has a GPU, and what they call for mathematics there.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define SDFG_BOTH __host__ __device__
#define SDFG_LIBM(name) ::name
#else
#define SDFG_BOTH
#define SDFG_LIBM(name) __builtin_##name
#endif
#define SDFG_EXPORT extern "C" __attribute__((visibility("default")))
#define SDFG_INLINE inline __attribute__((always_inline))

namespace sdfg {

/// Memory for one container. It only ever grows, and keeps its contents when it does, so that a
/// program which is called again with the same sizes allocates nothing.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { release(); }

  /// Room for at least `count` elements; the contents are not initialized.
  template <class T>
  T* get(int64_t count) {
    const size_t bytes = count > 0 ? size_t(count) * sizeof(T) : 1;
    if (bytes > bytes_) grow(bytes);
    return static_cast<T*>(data_);
  }

 private:
  static constexpr std::align_val_t alignment{64};

  __attribute__((noinline)) void grow(size_t bytes) {
    void* fresh = ::operator new(bytes, alignment);
    if (bytes_) memcpy(fresh, data_, bytes_);
    release();
    data_ = fresh;
    bytes_ = bytes;
  }
  void release() {
    if (data_) ::operator delete(data_, alignment);
  }

  void* data_ = nullptr;
  size_t bytes_ = 0;
};

template <class T>
inline void zero(T* at, int64_t count) {
  if (count > 0) memset(static_cast<void*>(at), 0, size_t(count) * sizeof(T));
}

template <class T>
SDFG_BOTH inline void copy(T* to, const T* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i];
}

/// Walks over a strided box in row-major order; `at` is the offset of the current element.
template <int n>
struct Odometer {
  int64_t size[n], stride[n];
  int64_t index[n] = {};
  int64_t at = 0;
  bool started = false, done = false;

  SDFG_BOTH bool more() {
    if (!started) {
      started = true;
      for (int64_t extent : size) done |= extent <= 0;
    }
    return !done;
  }
  SDFG_BOTH void next() {
    for (int d = n - 1; d >= 0; --d) {
      at += stride[d];
      if (++index[d] < size[d]) return;
      at -= stride[d] * size[d];
      index[d] = 0;
    }
    done = true;
  }
};

SDFG_BOTH inline int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - ((a % b != 0) & ((a < 0) != (b < 0)));
}
SDFG_BOTH inline int64_t ceil_div(int64_t a, int64_t b) { return -floor_div(-a, b); }
SDFG_BOTH inline int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }

template <class A>
SDFG_BOTH constexpr A min(A a) {
  return a;
}
/// The second operand when they are equal or either is NaN, from right to left.
template <class A, class B, class... More>
SDFG_BOTH constexpr auto min(A a, B b, More... more) {
  const auto rest = sdfg::min(b, more...);
  return a < rest ? a : rest;
}
template <class A>
SDFG_BOTH constexpr A max(A a) {
  return a;
}
template <class A, class B, class... More>
SDFG_BOTH constexpr auto max(A a, B b, More... more) {
  const auto rest = sdfg::max(b, more...);
  return a > rest ? a : rest;
}

}  // namespace sdfg
