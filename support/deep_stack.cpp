#include "support/deep_stack.h"

#include <exception>

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "support/assert.h"

namespace sdfg {
namespace {

// Enough for 10,000 nested SDFGs with the frames of a sanitizer build.
constexpr std::size_t stack_bytes = std::size_t(4) << 30;
/// Under a limit on address space a smaller stack is better than none.
constexpr std::size_t least_bytes = std::size_t(8) << 20;

thread_local bool on_deep_stack = false;

struct Call {
  const std::function<void()>& work;
  std::exception_ptr failure;
  ucontext_t here, there;

  void run() {
    on_deep_stack = true;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    on_deep_stack = false;
  }
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

// Sanitizers know the stacks of threads.
bool run_on(std::size_t bytes, Call& call) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    return static_cast<Call*>(argument)->run(), nullptr;
  };
  const int failed = pthread_create(&thread, &attributes, run, &call);
  pthread_attr_destroy(&attributes);
  if (failed) return false;
  pthread_join(thread, nullptr);
  return true;
}

#else

// The calling thread goes on with another stack: no thread to start, and no heap of its own.
bool run_on(std::size_t bytes, Call& call) {
  void* stack = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return false;
  const std::size_t guard = 1 << 16;  // an overflow must not run into other memory
  mprotect(stack, guard, PROT_NONE);
  getcontext(&call.there);
  call.there.uc_stack.ss_sp = stack;
  call.there.uc_stack.ss_size = bytes;
  call.there.uc_link = &call.here;
  // makecontext passes integers only, so the call travels in two halves.
  const auto address = reinterpret_cast<std::uintptr_t>(&call);
  constexpr auto entry = +[](unsigned high, unsigned low) {
    reinterpret_cast<Call*>(std::uintptr_t(high) << 32 | low)->run();
  };
  makecontext(&call.there, reinterpret_cast<void (*)()>(entry), 2, unsigned(address >> 32),
              unsigned(address));
  swapcontext(&call.here, &call.there);
  munmap(stack, bytes);
  return true;
}

#endif

}  // namespace

void with_deep_stack(const std::function<void()>& work) {
  if (on_deep_stack) return work();
  Call call{work, nullptr, {}, {}};
  bool done = false;
  for (std::size_t bytes = stack_bytes; !done && bytes >= least_bytes; bytes /= 2)
    done = run_on(bytes, call);
  if (!done) return work();
  if (call.failure) std::rethrow_exception(call.failure);
}

}  // namespace sdfg
