// One launch per call: what a call sends to the device is recorded as a graph and sent again as a
// whole when a later call has the same arguments. Included by programs whose plan says `graph =
// on`.
#pragma once

namespace sdfg {
namespace gpu {

/// An argument as a number, to tell calls apart.
template <class T>
inline uint64_t bits(T value) {
  static_assert(sizeof(T) <= sizeof(uint64_t),
                "arguments of programs with graphs have at most 8 bytes");
  uint64_t out = 0;
  memcpy(&out, &value, sizeof value);
  return out;
}

/// The recordings of a program with `n` arguments. The first call with new arguments runs as it
/// does without graphs, the second one is recorded: arguments that never come again cost nothing.
/// Several are kept, because programs exchange old and new fields from step to step.
template <int n>
class Graphs {
 public:
  /// `run` sends the program's work to gpu.stream.
  template <class Run>
  void call(Context& gpu, const uint64_t (&arguments)[n], Run run) {
    if (gpu.moved != moved_) release(gpu);  // recordings know addresses of the program's memory
    Recording* const known = find(arguments);
    if (known && !known->graph && !unable_) record(gpu, *known, run);
    if (known && known->graph) {
      gpu.note(SDFG_GPU(GraphLaunch)(known->graph, gpu.stream), "graph");
      return;
    }
    run();
    if (!known && !unable_ && gpu.moved == moved_) remember(gpu, arguments);
  }
  void release(Context& gpu) {
    for (Recording& r : recordings_) forget(gpu, r);
    moved_ = gpu.moved;
  }

 private:
  struct Recording {
    uint64_t arguments[n];
    SDFG_GPU(GraphExec_t) graph;  ///< null: seen once
    uint64_t used;                ///< when, counted in calls; 0: never
  };

  Recording* find(const uint64_t (&arguments)[n]) {
    ++calls_;
    for (Recording& r : recordings_)
      if (r.used && memcmp(r.arguments, arguments, sizeof arguments) == 0) {
        r.used = calls_;
        return &r;
      }
    return nullptr;
  }
  void remember(Context& gpu, const uint64_t (&arguments)[n]) {
    Recording* oldest = recordings_;
    for (Recording& r : recordings_)
      if (r.used < oldest->used) oldest = &r;
    forget(gpu, *oldest);
    memcpy(oldest->arguments, arguments, sizeof arguments);
    oldest->used = calls_;
  }
  void forget(Context& gpu, Recording& r) {
    if (r.graph) gpu.note(SDFG_GPU(GraphExecDestroy)(r.graph), "graph");
    r.graph = nullptr;
    r.used = 0;
  }

  /// On a stream of its own, because the default stream cannot be recorded. Where the caller is
  /// recording, or the vendor refuses, calls go on without graphs.
  template <class Run>
  void record(Context& gpu, Recording& into, Run run) {
    SDFG_GPU(StreamCaptureStatus) callers = SDFG_GPU(StreamCaptureStatusNone);
    if (SDFG_GPU(StreamIsCapturing)(gpu.stream, &callers) != SDFG_GPU(Success))
      (void)SDFG_GPU(GetLastError)();
    if (callers != SDFG_GPU(StreamCaptureStatusNone)) return;
    Stream own = nullptr;
    SDFG_GPU(Graph_t) graph = nullptr;
    bool good = can(SDFG_GPU(StreamCreateWithFlags)(&own, SDFG_GPU(StreamNonBlocking))) &&
                can(SDFG_GPU(StreamBeginCapture)(own, SDFG_GPU(StreamCaptureModeRelaxed)));
    if (good) {
      const Stream theirs = gpu.stream;
      gpu.stream = own;
      run();
      gpu.stream = theirs;
      good = can(SDFG_GPU(StreamEndCapture)(own, &graph)) &&
             can(SDFG_GPU(GraphInstantiateWithFlags)(&into.graph, graph, 0));
    }
    if (!good) into.graph = nullptr;
    if (graph) can(SDFG_GPU(GraphDestroy)(graph));
    if (own) can(SDFG_GPU(StreamDestroy)(own));
    unable_ |= !good;
  }
  static bool can(Error e) {
    if (e == SDFG_GPU(Success)) return true;
    fprintf(stderr, "sdfg: graph: %s; calls go on without one\n", SDFG_GPU(GetErrorString)(e));
    (void)SDFG_GPU(GetLastError)();
    return false;
  }

  Recording recordings_[4] = {};
  uint64_t calls_ = 0;
  unsigned moved_ = 0;
  bool unable_ = false;
};

}  // namespace gpu
}  // namespace sdfg
