// Calls a program through the addresses of its arguments, for runners that know no C++ signature:
// the compiler derives how to read each argument from the entry points. Included after the program,
// with SDFG_GENERIC_CALL(NAME) behind it.
#pragma once

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

/// What the last of several calls with the same arguments did.
struct Again {
  int64_t launches, allocations, synchronizations, copies, graphs;  ///< -1 where nobody counts
  int64_t different_bytes;  ///< of all calls, from the first one's results
};

#if defined(SDFG_GPU)

/// Arguments with those arrays copied to the device for which a size is given.
class OnDevice {
 public:
  OnDevice(void** host, const size_t* bytes, int count) : host_(host), bytes_(bytes), count_(count) {
    at = new void*[size_t(count) + 1];
    before_ = new char*[size_t(count) + 1];
    for (int i = 0; i < count; ++i) {
      at[i] = host[i];
      before_[i] = nullptr;
      if (!bytes[i]) continue;
      note(SDFG_GPU(Malloc)(&at[i], bytes[i]));
      before_[i] = new char[bytes[i]];
      memcpy(before_[i], host[i], bytes[i]);
    }
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    for (int i = 0; i < count_; ++i) {
      delete[] before_[i];
      if (bytes_[i]) note(SDFG_GPU(Free)(at[i]));
    }
    delete[] before_;
    delete[] at;
  }
  /// As they were before the first call.
  void put() {
    for (int i = 0; i < count_; ++i) move(at[i], before_[i], bytes_[i]);
  }
  void get() {
    for (int i = 0; i < count_; ++i) move(host_[i], at[i], bytes_[i]);
  }
  int64_t different_from_host() {
    int64_t different = 0;
    for (int i = 0; i < count_; ++i) {
      char* const now = new char[bytes_[i]];
      move(now, at[i], bytes_[i]);
      for (size_t b = 0; b < bytes_[i]; ++b) different += now[b] != static_cast<char*>(host_[i])[b];
      delete[] now;
    }
    return different;
  }
  void** at;
  int error = 0;  ///< the first of the vendor's

 private:
  void note(SDFG_GPU(Error_t) e) {
    if (error == 0) error = int(e);
  }
  void move(void* to, const void* from, size_t bytes) {
    if (!bytes) return;
    note(SDFG_GPU(MemcpyAsync)(to, from, bytes, SDFG_GPU(MemcpyDefault), nullptr));
    note(SDFG_GPU(DeviceSynchronize)());
  }
  void** host_;
  const size_t* bytes_;
  int count_;
  char** before_;
};

template <class S, class I, class... T>
int run(I* init, void (*program)(S*, T...), int (*exit)(S*), void** init_arguments, void** arguments,
        const size_t* device_bytes, Again* again) {
  S* const state = init_with(init, init_arguments);
  if (!state) return -1;
  OnDevice on(arguments, device_bytes, count_of(program));
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
int run(I* init, void (*program)(S*, T...), int (*exit)(S*), void** init_arguments, void** arguments,
        const size_t*, Again*) {
  S* const state = init_with(init, init_arguments);
  if (!state) return -1;
  call_with(program, state, arguments);
  return exit(state);
}

#endif

}  // namespace call
}  // namespace sdfg

#define SDFG_GENERIC_CALL(name)                                                          \
  SDFG_EXPORT int sdfg_generic_call(void** init, void** arguments,                       \
                                    const size_t* device_bytes, ::sdfg::call::Again* again) { \
    return ::sdfg::call::run(__dace_init_##name, __program_##name, __dace_exit_##name, init, \
                             arguments, device_bytes, again);                            \
  }
