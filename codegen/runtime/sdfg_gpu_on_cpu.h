// Stands in for the CUDA or HIP headers where there is no GPU: kernels run on the CPU, block after
// block, and calls of the vendor's runtime act at once on plain memory. It checks launches and
// calls, fills new memory with NaN, and counts what a steady state should not do.
//
// Threads of a block run one after the other, each as a plain call for as long as it waits for
// nobody. One that comes to a barrier keeps its stack and steps aside, and a further stack goes on
// with the threads behind it; when all have come or ended, they go on in the same order. So a
// kernel without barriers costs one change of stack per block, and one with barriers really meets
// at them.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
/// One block runs at a time, so what its threads share can stand in one place.
#define __shared__ static

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;

namespace sdfg {
namespace gpu {
namespace cpu {

/// What the host asked for since the library was loaded.
struct Counters {
  int64_t launches = 0;
  int64_t allocations = 0;
  int64_t frees = 0;
  int64_t synchronizations = 0;  ///< the host waits for the device
  int64_t copies = 0;            ///< fills, too
  int64_t graphs = 0;            ///< launched as a whole; what they hold is not counted again
};
inline Counters counters;

/// A stack of its own for threads, with a page below it that must not be touched.
class Fiber {
 public:
  explicit Fiber(void (*entry)()) {
    void* const memory = mmap(nullptr, guard + size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      perror("a stack for a GPU thread on the CPU");
      abort();
    }
    base_ = static_cast<char*>(memory);
    mprotect(base_, guard, PROT_NONE);
    getcontext(&inside_);
    inside_.uc_stack.ss_sp = base_ + guard;
    inside_.uc_stack.ss_size = size;
    makecontext(&inside_, entry, 0);
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber() { munmap(base_, guard + size); }

  /// Into the fiber, until it leaves.
  void enter() {
    void* const kept = departing(base_ + guard, size);
    swapcontext(&outside_, &inside_);
    arrived(kept, nullptr, nullptr);
  }
  /// The first thing to happen inside.
  void begin() { arrived(nullptr, &outside_base_, &outside_size_); }
  /// Called inside: back to where it was entered.
  void leave() {
    void* const kept = departing(outside_base_, outside_size_);
    swapcontext(&inside_, &outside_);
    arrived(kept, &outside_base_, &outside_size_);
  }

  unsigned thread = 0;  ///< that it runs, counted over the block
  bool waits = false;   ///< at a barrier

 private:
  // The address sanitizer wants to know which stack is in use.
#if defined(__SANITIZE_ADDRESS__)
  static void* departing(const void* to, size_t bytes) {
    void* kept = nullptr;
    __sanitizer_start_switch_fiber(&kept, to, bytes);
    return kept;
  }
  static void arrived(void* kept, const void** from, size_t* bytes) {
    __sanitizer_finish_switch_fiber(kept, from, bytes);
  }
#else
  static void* departing(const void*, size_t) { return nullptr; }
  static void arrived(void*, const void**, size_t*) {}
#endif

  static constexpr size_t guard = 4096, size = 256 << 10;
  char* base_ = nullptr;
  ucontext_t inside_{}, outside_{};
  const void* outside_base_ = nullptr;
  size_t outside_size_ = 0;
};

/// The threads of the block that runs.
class Threads {
 public:
  void run_block(void (*body)(const void*), const void* kernel) {
    body_ = body;
    kernel_ = kernel;
    count_ = blockDim.x * blockDim.y * blockDim.z;
    next_ = 0;
    while (next_ < count_) enter(idle());
    while (!waiting_.empty()) {
      std::vector<Fiber*> all;
      all.swap(waiting_);
      for (Fiber* fiber : all) {
        place(fiber->thread);
        enter(fiber);
      }
    }
  }

  void wait() {
    if (!current_) {
      fprintf(stderr, "a barrier outside of a kernel\n");
      abort();
    }
    current_->waits = true;
    current_->leave();
  }

 private:
  static void work();

  static void place(unsigned thread) {
    threadIdx = {thread % blockDim.x, thread / blockDim.x % blockDim.y,
                 thread / blockDim.x / blockDim.y};
  }

  Fiber* idle() {
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>(work));
      return fibers_.back().get();
    }
    Fiber* const fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }

  /// Until it has no thread left to run, or waits.
  void enter(Fiber* fiber) {
    fiber->waits = false;
    current_ = fiber;
    fiber->enter();
    current_ = nullptr;
    (fiber->waits ? waiting_ : idle_).push_back(fiber);
  }

  void (*body_)(const void*) = nullptr;
  const void* kernel_ = nullptr;
  unsigned count_ = 0, next_ = 0;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_, waiting_;
  Fiber* current_ = nullptr;
};
inline Threads threads;

inline void Threads::work() {
  Fiber* const self = threads.current_;
  self->begin();
  for (;; self->leave())
    while (threads.next_ < threads.count_) {
      self->thread = threads.next_++;
      place(self->thread);
      threads.body_(threads.kernel_);
    }
}

// ---- The calls of the vendor's runtime that sdfg_gpu.h needs.

enum Error_t {
  Success = 0,
  ErrorInvalidValue = 1,
  ErrorMemoryAllocation = 2,
  ErrorInvalidConfiguration = 9,
  ErrorStreamCaptureUnsupported = 900
};
enum MemcpyKind {
  MemcpyHostToDevice = 1,
  MemcpyDeviceToHost = 2,
  MemcpyDeviceToDevice = 3,
  MemcpyDefault = 4
};

/// What a stream records instead of running it, in order.
using Graph = std::vector<std::function<void()>>;
struct Stream {
  std::unique_ptr<Graph> recorded;
};
using Stream_t = Stream*;
inline bool records(Stream_t stream) { return stream && stream->recorded; }

inline Error_t last_error = Success;
inline std::map<void*, size_t> allocated;

inline Error_t note(Error_t error) {
  if (error != Success) last_error = error;
  return error;
}
inline Error_t GetLastError() { return std::exchange(last_error, Success); }
inline const char* GetErrorString(Error_t error) {
  switch (error) {
    case Success: return "no error";
    case ErrorInvalidValue: return "invalid argument";
    case ErrorMemoryAllocation: return "out of memory";
    case ErrorInvalidConfiguration: return "invalid configuration argument";
    case ErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
  }
  return "unknown error";
}
inline Error_t GetDeviceCount(int* count) {
  *count = 1;
  return Success;
}

inline Error_t Malloc(void** to, size_t bytes) {
  ++counters.allocations;
  *to = nullptr;
  if (bytes == 0) return Success;
  if (posix_memalign(to, 256, bytes) != 0) return note(ErrorMemoryAllocation);
  memset(*to, 0xff, bytes);  // NaN, and -1 as an index
  allocated[*to] = bytes;
  return Success;
}
inline Error_t Free(void* at) {
  if (!at) return Success;
  ++counters.frees;
  ++counters.synchronizations;
  if (allocated.erase(at) == 0) return note(ErrorInvalidValue);
  free(at);
  return Success;
}
inline Error_t DeviceSynchronize() {
  ++counters.synchronizations;
  return Success;
}
inline Error_t StreamSynchronize(Stream_t stream) {
  return records(stream) ? note(ErrorStreamCaptureUnsupported) : DeviceSynchronize();
}
inline Error_t Memcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                             size_t width, size_t height, MemcpyKind kind,
                             Stream_t stream = nullptr) {
  if (!to || !from || width > to_pitch || width > from_pitch) return note(ErrorInvalidValue);
  if (records(stream)) {
    stream->recorded->push_back(
        [=] { Memcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind); });
    return Success;
  }
  ++counters.copies;
  for (size_t row = 0; row < height; ++row)
    memmove(static_cast<char*>(to) + row * to_pitch,
            static_cast<const char*>(from) + row * from_pitch, width);
  return Success;
}
inline Error_t MemcpyAsync(void* to, const void* from, size_t bytes, MemcpyKind kind,
                           Stream_t stream = nullptr) {
  return Memcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}
inline Error_t MemsetAsync(void* to, int value, size_t bytes, Stream_t stream = nullptr) {
  if (!to) return note(ErrorInvalidValue);
  if (records(stream)) {
    stream->recorded->push_back([=] { MemsetAsync(to, value, bytes); });
    return Success;
  }
  ++counters.copies;
  memset(to, value, bytes);
  return Success;
}

// Events: the host's clock, because what is launched has run when the launch returns.
using Event_t = timespec*;

inline Error_t EventCreateWithFlags(Event_t* event, unsigned) {
  *event = new timespec{};
  return Success;
}
inline Error_t EventDestroy(Event_t event) {
  delete event;
  return Success;
}
inline Error_t EventRecord(Event_t event, Stream_t) {
  clock_gettime(CLOCK_MONOTONIC, event);
  return Success;
}
inline Error_t EventSynchronize(Event_t) { return DeviceSynchronize(); }
inline Error_t EventElapsedTime(float* milliseconds, Event_t begin, Event_t end) {
  *milliseconds = float(double(end->tv_sec - begin->tv_sec) * 1e3 +
                        double(end->tv_nsec - begin->tv_nsec) * 1e-6);
  return Success;
}

// Graphs: a stream that captures keeps what it is given, and a graph runs it.
enum StreamFlags { StreamNonBlocking = 1 };
enum StreamCaptureMode { StreamCaptureModeRelaxed = 2 };
enum StreamCaptureStatus { StreamCaptureStatusNone = 0, StreamCaptureStatusActive = 1 };
using Graph_t = Graph*;
using GraphExec_t = Graph*;

inline Error_t StreamCreateWithFlags(Stream_t* stream, unsigned) {
  *stream = new Stream;
  return Success;
}
inline Error_t StreamDestroy(Stream_t stream) {
  delete stream;
  return Success;
}
inline Error_t StreamIsCapturing(Stream_t stream, StreamCaptureStatus* status) {
  *status = records(stream) ? StreamCaptureStatusActive : StreamCaptureStatusNone;
  return Success;
}
inline Error_t StreamBeginCapture(Stream_t stream, StreamCaptureMode) {
  if (!stream || records(stream)) return note(ErrorStreamCaptureUnsupported);
  stream->recorded = std::make_unique<Graph>();
  return Success;
}
inline Error_t StreamEndCapture(Stream_t stream, Graph_t* graph) {
  *graph = stream ? stream->recorded.release() : nullptr;
  return *graph ? Success : note(ErrorInvalidValue);
}
inline Error_t GraphInstantiateWithFlags(GraphExec_t* made, Graph_t graph, unsigned long long) {
  *made = new Graph(*graph);
  return Success;
}
inline Error_t GraphLaunch(GraphExec_t graph, Stream_t stream) {
  if (records(stream)) {
    stream->recorded->insert(stream->recorded->end(), graph->begin(), graph->end());
    return Success;
  }
  const Counters before = counters;
  for (const auto& work : *graph) work();
  counters = before;
  ++counters.graphs;
  return Success;
}
inline Error_t GraphDestroy(Graph_t graph) {
  delete graph;
  return Success;
}
inline Error_t GraphExecDestroy(GraphExec_t graph) { return GraphDestroy(graph); }

/// Within the limits of a CUDA device; HIP's are wider.
inline bool launchable(dim3 grid, dim3 block) {
  const uint64_t threads = uint64_t(block.x) * block.y * block.z;
  return threads >= 1 && threads <= 1024 && block.z <= 64 && grid.x >= 1 && grid.y >= 1 &&
         grid.z >= 1 && grid.x <= 0x7fffffff && grid.y <= 0xffff && grid.z <= 0xffff;
}

}  // namespace cpu

template <class... P>
void on_cpu(void (*kernel)(P...), dim3 grid, dim3 block, cpu::Stream_t stream, P... arguments) {
  if (!cpu::launchable(grid, block)) {
    cpu::note(cpu::ErrorInvalidConfiguration);
    return;
  }
  if (cpu::records(stream)) {
    stream->recorded->push_back([=] { on_cpu(kernel, grid, block, nullptr, arguments...); });
    return;
  }
  ++cpu::counters.launches;
  using Call = std::pair<void (*)(P...), std::tuple<P...>>;
  const Call call(kernel, std::tuple<P...>(arguments...));
  gridDim = grid;
  blockDim = block;
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = {x, y, z};
        cpu::threads.run_block(
            [](const void* at) {
              const Call& it = *static_cast<const Call*>(at);
              std::apply(it.first, it.second);
            },
            &call);
      }
}

}  // namespace gpu
}  // namespace sdfg

#define SDFG_GPU(name) ::sdfg::gpu::cpu::name

// ---- Device functions. Threads change at barriers only, so plain arithmetic is atomic.

inline void __syncthreads() { sdfg::gpu::cpu::threads.wait(); }

template <class T>
T atomicAdd(T* at, T value) {
  return std::exchange(*at, T(*at + value));
}
template <class T>
T atomicMin(T* at, T value) {
  return std::exchange(*at, value < *at ? value : *at);
}
template <class T>
T atomicMax(T* at, T value) {
  return std::exchange(*at, *at < value ? value : *at);
}
template <class T>
T atomicCAS(T* at, T expected, T value) {
  const T old = *at;
  if (old == expected) *at = value;
  return old;
}
template <class T>
T atomicExch(T* at, T value) {
  return std::exchange(*at, value);
}
inline void __threadfence() {}

/// For tests and runners: the members of Counters in their order.
extern "C" __attribute__((visibility("default"), used)) inline const int64_t* sdfg_gpu_counters() {
  return &sdfg::gpu::cpu::counters.launches;
}
