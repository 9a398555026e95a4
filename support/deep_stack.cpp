#include "support/deep_stack.h"

#include <exception>

#include <pthread.h>

#include "support/assert.h"

namespace sdfg {
namespace {

// Enough for 10,000 nested SDFGs with the frames of a sanitizer build.
constexpr std::size_t stack_bytes = std::size_t(4) << 30;

thread_local bool on_deep_stack = false;

struct Call {
  const std::function<void()>& work;
  std::exception_ptr failure;
};

void* run(void* argument) {
  Call& call = *static_cast<Call*>(argument);
  on_deep_stack = true;
  try {
    call.work();
  } catch (...) {
    call.failure = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void with_deep_stack(const std::function<void()>& work) {
  if (on_deep_stack) return work();
  Call call{work, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // Under a limit on address space a smaller stack is better than none.
  std::size_t bytes = stack_bytes;
  pthread_t thread;
  int failed = 1;
  while (failed && bytes >= (std::size_t(8) << 20)) {
    pthread_attr_setstacksize(&attributes, bytes);
    failed = pthread_create(&thread, &attributes, run, &call);
    bytes /= 2;
  }
  pthread_attr_destroy(&attributes);
  if (failed) return work();
  pthread_join(thread, nullptr);
  if (call.failure) std::rethrow_exception(call.failure);
}

}  // namespace sdfg
