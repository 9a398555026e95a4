// What generated CUDA and HIP programs need: the vendor's names, one launch, memory, copies,
// errors. Nothing else in a generated program calls the vendor's library or writes <<<>>>, so a
// header that replaces the few calls below runs the same program elsewhere (SDFG_GPU_ON_CPU).
#pragma once

#if defined(SDFG_GPU_ON_CPU)
// Supplies dim3, threadIdx and its kin, __global__, __shared__, …, the calls below under
// SDFG_GPU(), and sdfg::gpu::on_cpu(kernel, grid, block, stream, arguments…).
#include "sdfg_gpu_on_cpu.h"
#elif defined(__HIPCC__)
#include <hip/hip_runtime.h>
#define SDFG_GPU(name) hip##name
#else
#include <cuda_runtime.h>
#define SDFG_GPU(name) cuda##name
#endif

#include <limits.h>
#include <stdio.h>

#define SDFG_GPU_PROGRAM
#include "sdfg_math.h"
#include "sdfg_reduce.h"

#define SDFG_DEVICE [[maybe_unused]] static __device__ __forceinline__

namespace sdfg {
namespace gpu {

using Stream = SDFG_GPU(Stream_t);
using Error = SDFG_GPU(Error_t);

/// What a program keeps about its device: the caller's stream and the first error since asked for.
struct Context {
  Stream stream = nullptr;
  int error = 0;
  unsigned moved = 0;  ///< how often memory of the program got another address

  bool note(Error e, const char* what) {
    if (e == SDFG_GPU(Success)) return true;
    if (error == 0) error = int(e);
    fprintf(stderr, "sdfg: %s: %s\n", what, SDFG_GPU(GetErrorString)(e));
    return false;
  }
  /// The old stream may be gone already, and what runs on it may still use the arena.
  void set_stream(Stream s) {
    if (s != stream) note(SDFG_GPU(DeviceSynchronize)(), "set_stream");
    stream = s;
  }
  int take_error() {
    const int e = error;
    error = 0;
    return e;
  }
};

inline bool device_present() {
  int devices = 0;
  return SDFG_GPU(GetDeviceCount)(&devices) == SDFG_GPU(Success) && devices > 0;
}

/// Device memory of one program. It only grows; contents are kept when asked for.
struct Arena {
  char* base = nullptr;
  size_t size = 0;

  /// Room for `need` bytes, or null (the error is noted).
  char* reserve(Context& gpu, size_t need, bool keep = false) {
    if (need <= size) return base;
    gpu.note(SDFG_GPU(StreamSynchronize)(gpu.stream), "memory");
    void* fresh = nullptr;
    if (keep && base) {
      if (!gpu.note(SDFG_GPU(Malloc)(&fresh, need), "memory")) return nullptr;
      gpu.note(SDFG_GPU(MemcpyAsync)(fresh, base, size, SDFG_GPU(MemcpyDeviceToDevice), gpu.stream),
               "memory");
      gpu.note(SDFG_GPU(StreamSynchronize)(gpu.stream), "memory");
    }
    release(gpu);
    if (!fresh && !gpu.note(SDFG_GPU(Malloc)(&fresh, need), "memory")) return nullptr;
    base = static_cast<char*>(fresh);
    size = need;
    return base;
  }
  template <class T>
  T* get(Context& gpu, int64_t count) {
    return reinterpret_cast<T*>(reserve(gpu, count > 0 ? size_t(count) * sizeof(T) : 1, true));
  }
  void release(Context& gpu) {
    if (base) gpu.note(SDFG_GPU(Free)(base), "memory");
    ++gpu.moved;
    base = nullptr;
    size = 0;
  }
};

/// Bytes of a slice of an arena: slices begin at multiples of 256.
template <class T>
inline size_t slice(int64_t count) {
  return count > 0 ? (size_t(count) * sizeof(T) + 255) & ~size_t(255) : 0;
}

/// Blocks that cover `count` points, `each` per block.
inline int64_t blocks(int64_t count, int64_t each) {
  return count > 0 ? (count + each - 1) / each : 0;
}
/// Threads of a block along y: no more than its points need, of which each takes some.
inline unsigned rows(int64_t count, int64_t each, int64_t most) {
  const int64_t needed = blocks(count, each);
  return unsigned(needed < 1 ? 1 : needed < most ? needed : most);
}

/// Blocks along y and along z that a grid may have.
constexpr int max_rows = 65535;

/// Runs a kernel on grid.x * grid.y * grid.z blocks; an empty grid runs nothing. Grids beyond the
/// device's limits are an error, noted like those of the vendor.
template <class... P, class... A>
inline void launch(Context& gpu, const char* name, void (*kernel)(P...), int64_t x, int64_t y,
                   int64_t z, dim3 block, A... arguments) {
  if (x <= 0 || y <= 0 || z <= 0) return;
  if (z == 1 && y > max_rows) {  // see block_row
    z = (y + max_rows - 1) / max_rows;
    y = max_rows;
  }
  if (x > INT_MAX / int64_t(block.x) || y > max_rows || z > max_rows) {
    fprintf(stderr,
            "sdfg: %s: a grid of %lld x %lld x %lld blocks is over the limit of 2147483647 x 65535 "
            "x 65535; "
            "a plan with more levels per thread makes it smaller\n",
            name, (long long)x, (long long)y, (long long)z);
    if (gpu.error == 0) gpu.error = int(SDFG_GPU(ErrorInvalidConfiguration));
    return;
  }
  const dim3 grid{unsigned(x), unsigned(y), unsigned(z)};
#if defined(SDFG_GPU_ON_CPU)
  on_cpu(kernel, grid, block, gpu.stream, P(arguments)...);
#else
  kernel<<<grid, block, 0, gpu.stream>>>(P(arguments)...);
#endif
  gpu.note(SDFG_GPU(GetLastError)(), name);
}

// ---- Copies. `to` and `from` may be on either side; the vendor finds out.

template <class T>
inline void copy(Context& gpu, T* to, const T* from, int64_t count) {
  if (count > 0 && to != from)
    gpu.note(SDFG_GPU(MemcpyAsync)(to, from, size_t(count) * sizeof(T), SDFG_GPU(MemcpyDefault),
                                   gpu.stream),
             "copy");
}
/// Rows of `count` elements, `rows` of them.
template <class T>
inline void copy_rows(Context& gpu, T* to, int64_t to_stride, const T* from, int64_t from_stride,
                      int64_t count, int64_t rows) {
  if (count > 0 && rows > 0)
    gpu.note(SDFG_GPU(Memcpy2DAsync)(to, size_t(to_stride) * sizeof(T), from,
                                     size_t(from_stride) * sizeof(T), size_t(count) * sizeof(T),
                                     size_t(rows), SDFG_GPU(MemcpyDefault), gpu.stream),
             "copy");
}
template <class T>
inline void zero(Context& gpu, T* at, int64_t count) {
  if (count > 0)
    gpu.note(SDFG_GPU(MemsetAsync)(at, 0, size_t(count) * sizeof(T), gpu.stream), "fill");
}
/// Waits until the host may look at what was copied to it.
inline void wait(Context& gpu) { gpu.note(SDFG_GPU(StreamSynchronize)(gpu.stream), "wait"); }
/// One element of device memory, for the host: waits.
template <class T>
inline T read(Context& gpu, const T* from) {
  T value{};
  copy(gpu, &value, from, 1);
  wait(gpu);
  return value;
}

/// One element of device memory, from the host.
template <class T>
inline void write(Context& gpu, T* to, const T& value) {
  copy(gpu, to, &value, 1);
  wait(gpu);
}

/// A box of elements on both sides of a copy.
template <int n>
struct Box {
  int64_t size[n], to[n], from[n];
};

constexpr int copy_block = 256;

/// Threads along the last dimension, which is contiguous where the copy writes; blocks along y take
/// rows in turn.
template <class T, class F, int n>
__global__ void __launch_bounds__(copy_block)
    copy_box(T* to, const F* from, Box<n> box, int64_t rows) {
  const int64_t i = int64_t(blockIdx.x) * copy_block + threadIdx.x;
  if (i >= box.size[n - 1]) return;
  to += i * box.to[n - 1];
  from += i * box.from[n - 1];
  for (int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    int64_t rest = row, write = 0, read = 0;
    for (int d = n - 2; d > 0; --d) {
      const int64_t at = rest % box.size[d];
      rest /= box.size[d];
      write += at * box.to[d];
      read += at * box.from[d];
    }
    if (n > 1) write += rest * box.to[0], read += rest * box.from[0];
    to[write] = T(from[read]);
  }
}
/// A copy on the device between any strides, which converts elements if their types differ.
template <class T, class F, int n>
inline void copy(Context& gpu, T* to, const F* from, Box<n> box) {
  for (int d = 0; d + 1 < n; ++d)
    if (box.to[d] < box.to[n - 1]) {  // the dimension that is contiguous in memory goes last
      const auto swap = [d](int64_t* values) {
        const int64_t kept = values[d];
        values[d] = values[n - 1];
        values[n - 1] = kept;
      };
      swap(box.size), swap(box.to), swap(box.from);
    }
  int64_t rows = 1;
  for (int d = 0; d + 1 < n; ++d) rows *= box.size[d] > 0 ? box.size[d] : 0;
  launch(gpu, "copy", copy_box<T, F, n>, blocks(box.size[n - 1], copy_block),
         rows < 65535 ? rows : 65535, 1, dim3{copy_block, 1, 1}, to, from, box, rows);
}

// ---- On the device.

/// The row of blocks along y; more than a grid may have go on along z.
SDFG_DEVICE int block_row() { return int(blockIdx.y) + max_rows * int(blockIdx.z); }
/// The same of a grid whose x and y are exchanged where `rows_first`: blocks are started along x,
/// so that then all rows of some columns come before other columns.
SDFG_DEVICE int block_row(bool rows_first) { return rows_first ? int(blockIdx.x) : block_row(); }
SDFG_DEVICE int block_x(bool rows_first) { return rows_first ? block_row() : int(blockIdx.x); }

/// threadIdx.y where rows of the block are whole waves, so that it is the same for all of one.
SDFG_DEVICE int thread_row() {
#if defined(__AMDGCN__)
  return __builtin_amdgcn_readfirstlane(int(threadIdx.y));
#else
  return int(threadIdx.y);
#endif
}

/// Element `lane` of a row. On AMD the row pointer stays in scalar registers and the lane is a
/// 32-bit offset: the empty asm hides it, else LLVM folds both into a 64-bit pointer per lane.
template <class T>
SDFG_DEVICE T& at(T* row, unsigned lane) {
#if defined(__AMDGCN__)
  unsigned byte = lane * unsigned(sizeof(T));
  asm("" : "+v"(byte));
  return *(T*)((char*)row + byte);
#else
  return row[lane];
#endif
}

#if defined(__CUDACC__) || defined(__HIPCC__) || defined(SDFG_GPU_ON_CPU)
namespace detail {
template <class A, class B>
inline constexpr bool same = __is_same(A, B);

template <class Word, class T, class Op>
__device__ void exchange(T* at, const T& value, Op op) {
  Word* const word = reinterpret_cast<Word*>(at);
  Word seen = *word, expected;
  do {
    expected = seen;
    T old, next;
    memcpy(&old, &expected, sizeof(T));
    next = op(old, value);
    Word desired = 0;
    memcpy(&desired, &next, sizeof(T));
    seen = atomicCAS(word, expected, desired);
  } while (seen != expected);
}
/// Types narrower than the exchange: the word around them.
template <class T, class Op>
__device__ void exchange_part(T* at, const T& value, Op op) {
  const size_t address = reinterpret_cast<size_t>(at);
  unsigned* const word = reinterpret_cast<unsigned*>(address & ~size_t(3));
  const unsigned shift = unsigned(address & 3) * 8, mask = (1u << (8 * sizeof(T))) - 1u;
  unsigned seen = *word, expected;
  do {
    expected = seen;
    const unsigned part = (expected >> shift) & mask;
    T old, next;
    memcpy(&old, &part, sizeof(T));
    next = op(old, value);
    unsigned desired = 0;
    memcpy(&desired, &next, sizeof(T));
    seen = atomicCAS(word, expected, (expected & ~(mask << shift)) | (desired << shift));
  } while (seen != expected);
}
/// Types wider than any exchange: one lock for all. Who holds it leaves it in the same branch, so
/// that threads which run in step do not wait for one another for ever.
[[maybe_unused]] static __device__ unsigned wide_update_taken;
template <class T, class Op>
__device__ void exchange_wide(T* at, const T& value, Op op) {
  static_assert(sizeof(T) % 4 == 0);
  volatile unsigned* const memory = reinterpret_cast<volatile unsigned*>(at);
  unsigned words[sizeof(T) / 4];
  for (bool done = false; !done;) {
    if (atomicCAS(&wide_update_taken, 0u, 1u) != 0u) continue;
    __threadfence();
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) words[i] = memory[i];
    T old;
    memcpy(&old, words, sizeof(T));
    const T next = op(old, value);
    memcpy(words, &next, sizeof(T));
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) memory[i] = words[i];
    __threadfence();
    atomicExch(&wide_update_taken, 0u);
    done = true;
  }
}
}  // namespace detail
#endif

}  // namespace gpu

/// Devices before sm_60 exchange doubles instead of adding them at once.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
inline constexpr bool adds_doubles = false;
#else
inline constexpr bool adds_doubles = true;
#endif

/// Write-conflict resolution that is safe against all threads of the device.
template <class T, class Op>
__device__ inline void update_atomic(T* at, const T& value, Op op) {
  using gpu::detail::same;
  if constexpr (same<Op, Sum> && ((same<T, double> && adds_doubles) || same<T, float> ||
                                  same<T, int32_t> || same<T, uint32_t>))
    atomicAdd(at, value);
  else if constexpr (same<Op, Sum> && (same<T, int64_t> || same<T, uint64_t>))
    atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
  else if constexpr (same<Op, Min> && (same<T, int32_t> || same<T, uint32_t>))
    atomicMin(at, value);
  else if constexpr (same<Op, Max> && (same<T, int32_t> || same<T, uint32_t>))
    atomicMax(at, value);
  else if constexpr (same<Op, Sum> && requires { value.im; })  // a complex number's parts
    update_atomic(&at->re, value.re, op), update_atomic(&at->im, value.im, op);
  else if constexpr (sizeof(T) > 8)
    gpu::detail::exchange_wide(at, value, op);
  else if constexpr (sizeof(T) == 8)
    gpu::detail::exchange<unsigned long long>(at, value, op);
  else if constexpr (sizeof(T) == 4)
    gpu::detail::exchange<unsigned>(at, value, op);
  else
    gpu::detail::exchange_part(at, value, op);
}

/// Combines one value per thread of a block of `threads` (a power of two) in a fixed tree; the
/// result is thread 0's. All threads must come here.
template <int threads, class T, class Op>
__device__ inline T reduce_block(T value, Op op) {
  __shared__ T part[threads];
  const int me = int(threadIdx.x);
  part[me] = value;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (me < half) part[me] = op(part[me], part[me + half]);
  }
  __syncthreads();
  return part[0];
}

}  // namespace sdfg
