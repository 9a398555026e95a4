// Makes a process of a program: its arguments are in a file that the caller made
// (sdfg_call_file.h). The compiler derives from the entry points how to read each argument.
// Included after the program, with SDFG_MAIN(NAME) behind it.
#pragma once

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "sdfg_call_file.h"

namespace sdfg {
namespace call {

template <class T>
struct Argument {
  static T read(void* at) { return *static_cast<T*>(at); }
};
template <class T>
struct Argument<T*> {
  static T* read(void* at) { return static_cast<T*>(at); }
};
template <int... i>
struct Indices {};
template <int n, int... i>
struct Count : Count<n - 1, n - 1, i...> {};
template <int... i>
struct Count<0, i...> {
  using type = Indices<i...>;
};
template <class S, class... T, int... i>
S* init_with(S* (*entry)(T...), [[maybe_unused]] void** at, Indices<i...>) {
  return entry(Argument<T>::read(at[i])...);
}
template <class S, class... T>
S* init_with(S* (*entry)(T...), void** at) {
  return init_with(entry, at, typename Count<sizeof...(T)>::type());
}
template <class S, class... T, int... i>
void call_with(void (*entry)(S*, T...), S* state, [[maybe_unused]] void** at, Indices<i...>) {
  entry(state, Argument<T>::read(at[i])...);
}
template <class S, class... T>
void call_with(void (*entry)(S*, T...), S* state, void** at) {
  call_with(entry, state, at, typename Count<sizeof...(T)>::type());
}
template <class S, class... T>
constexpr int count_of(void (*)(S*, T...)) {
  return int(sizeof...(T));
}

#if defined(SDFG_GPU)

/// Copies of the arguments, on the device where they belong there: each call begins with the same.
class Copies {
 public:
  Copies(void** host, const Slot* slots, int count) : host_(host), slots_(slots), count_(count) {
    at = new void*[size_t(count) + 1];
    before_ = new char*[size_t(count) + 1];
    for (int i = 0; i < count; ++i) {
      at[i] = host[i];
      before_[i] = nullptr;
      if (!bytes(i)) continue;
      if (slots_[i].on_device)
        note(SDFG_GPU(Malloc)(&at[i], bytes(i)));
      else
        at[i] = aligned_alloc(64, (bytes(i) + 63) / 64 * 64);
      before_[i] = new char[bytes(i)];
      memcpy(before_[i], host[i], bytes(i));
    }
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
  ~Copies() {
    for (int i = 0; i < count_; ++i) {
      delete[] before_[i];
      if (bytes(i) && slots_[i].on_device) note(SDFG_GPU(Free)(at[i]));
      if (bytes(i) && !slots_[i].on_device) free(at[i]);
    }
    delete[] before_;
    delete[] at;
  }
  /// As they were before the first call.
  void put() {
    for (int i = 0; i < count_; ++i) move(i, at[i], before_[i]);
  }
  void get() {
    for (int i = 0; i < count_; ++i) move(i, host_[i], at[i]);
  }
  int64_t different_from_host() {
    int64_t different = 0;
    for (int i = 0; i < count_; ++i) {
      char* const now = new char[bytes(i)];
      move(i, now, at[i]);
      for (size_t b = 0; b < bytes(i); ++b) different += now[b] != static_cast<char*>(host_[i])[b];
      delete[] now;
    }
    return different;
  }
  void** at;
  int error = 0;  ///< the first of the vendor's

 private:
  size_t bytes(int i) const { return size_t(slots_[i].bytes); }
  void note(SDFG_GPU(Error_t) e) {
    if (error == 0) error = int(e);
  }
  void move(int i, void* to, const void* from) {
    if (!bytes(i)) return;
    if (!slots_[i].on_device) {
      memcpy(to, from, bytes(i));
      return;
    }
    note(SDFG_GPU(MemcpyAsync)(to, from, bytes(i), SDFG_GPU(MemcpyDefault), nullptr));
    note(SDFG_GPU(DeviceSynchronize)());
  }
  void** host_;
  const Slot* slots_;
  int count_;
  char** before_;
};

template <class S, class I, class... T>
int64_t run(I* init, void (*program)(S*, T...), int (*exit)(S*), void** init_arguments,
            void** arguments, const Slot* slots, Again* again) {
  S* const state = init_with(init, init_arguments);
  if (!state) return not_initialized;
  Copies on(arguments, slots, count_of(program));
  on.put();
  if (on.error == 0) call_with(program, state, on.at);
  on.get();
  *again = {-1, -1, -1, -1, -1, 0};
  // The second call with the same arguments records a graph, the third one launches it.
  constexpr int calls = requires(S s) { s.graphs; } ? 3 : 2;
  for (int i = 1; i < calls; ++i) {
    on.put();
#if defined(SDFG_GPU_ON_CPU)
    const gpu::cpu::Counters first = gpu::cpu::counters;
#endif
    if (on.error == 0) call_with(program, state, on.at);
#if defined(SDFG_GPU_ON_CPU)
    const gpu::cpu::Counters& all = gpu::cpu::counters;
    *again = {all.launches - first.launches, all.allocations - first.allocations,
              all.synchronizations - first.synchronizations, all.copies - first.copies,
              all.graphs - first.graphs, again->different_bytes};
#endif
    again->different_bytes += on.different_from_host();
  }
  const int status = exit(state);
  return status ? status : on.error;
}

#else

template <class S, class I, class... T>
int64_t run(I* init, void (*program)(S*, T...), int (*exit)(S*), void** init_arguments,
            void** arguments, const Slot*, Again*) {
  S* const state = init_with(init, init_arguments);
  if (!state) return not_initialized;
  call_with(program, state, arguments);
  return exit(state);
}

#endif

/// The exit status says whether the file could be used; what the program did is written into it.
template <class S, class I, class... T>
int serve(const char* descriptor_text, I* init, void (*program)(S*, T...), int (*exit)(S*)) {
  const int descriptor = atoi(descriptor_text);
  struct stat file;
  if (fstat(descriptor, &file) != 0) return 1;
  void* const memory =
      mmap(nullptr, size_t(file.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return 1;
  char* const begin = static_cast<char*>(memory);
  Header* const header = static_cast<Header*>(memory);
  const Slot* const slots = reinterpret_cast<const Slot*>(header + 1);
  const int64_t count = header->init + header->arguments;
  void** const at = new void*[size_t(count) + 1];
  for (int64_t i = 0; i < count; ++i) at[i] = slots[i].at ? begin + slots[i].at : nullptr;
  header->status =
      run(init, program, exit, at, at + header->init, slots + header->init, &header->again);
  delete[] at;
  return 0;
}

}  // namespace call
}  // namespace sdfg

#define SDFG_MAIN(name)                                                                     \
  int main(int count, char** words) {                                                       \
    return count != 2 ? 1                                                                   \
                      : ::sdfg::call::serve(words[1], __dace_init_##name, __program_##name, \
                                            __dace_exit_##name);                            \
  }
