// Times of kernels, between events on the stream, for a report in DaCe's format (Chrome's trace
// events). Included by programs whose plan says `timers = on`.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace sdfg {
namespace gpu {

/// What was measured since the program was initialized. Nothing waits for the device until
/// `at_once` launches have been timed, or the report is written.
class Timers {
 public:
  /// Where a kernel stands in the program's JSON form.
  struct Element {
    const char* name;
    int graph, state, node;
  };

  void begin(Context& gpu, const Element& element) {
    if (used_ == at_once) collect(gpu);
    if (used_ == spans_.size()) {
      Span fresh{};
      gpu.note(SDFG_GPU(EventCreateWithFlags)(&fresh.begin, 0), "timers");
      gpu.note(SDFG_GPU(EventCreateWithFlags)(&fresh.end, 0), "timers");
      spans_.push_back(fresh);
    }
    Span& span = spans_[used_];
    span.element = element;
    span.sent = microseconds();
    gpu.note(SDFG_GPU(EventRecord)(span.begin, gpu.stream), "timers");
  }
  void end(Context& gpu) {
    gpu.note(SDFG_GPU(EventRecord)(spans_[used_++].end, gpu.stream), "timers");
  }

  /// Writes the file that SDFG_REPORT names, else .dacecache/PROGRAM/perf/report-MILLISECONDS.json.
  void report(Context& gpu, const char* program) {
    collect(gpu);
    for (Span& span : spans_) {
      gpu.note(SDFG_GPU(EventDestroy)(span.begin), "timers");
      gpu.note(SDFG_GPU(EventDestroy)(span.end), "timers");
    }
    spans_.clear();
    const std::string path = file(program);
    FILE* const out = fopen(path.c_str(), "w");
    if (!out) {
      fprintf(stderr, "sdfg: timers: cannot write %s; SDFG_REPORT can name another file\n",
              path.c_str());
      return;
    }
    fprintf(out, "{\n  \"traceEvents\": [");
    const char* separator = "\n";
    for (const Done& done : done_) {
      fprintf(out,
              "%s    {\"name\": \"Map %s\", \"cat\": \"GPU\", \"ph\": \"X\", \"ts\": %lld, "
              "\"dur\": %.3f, \"pid\": %d, "
              "\"tid\": 0, \"args\": {\"cfg_id\": %d, \"state_id\": %d, \"id\": %d}}",
              separator, done.element.name, (long long)done.sent, done.duration, int(getpid()),
              done.element.graph, done.element.state, done.element.node);
      separator = ",\n";
    }
    fprintf(out, "\n  ],\n  \"sdfgHash\": \"\"\n}\n");
    fclose(out);
  }

 private:
  static constexpr size_t at_once = 1024;
  struct Span {
    Element element;
    SDFG_GPU(Event_t) begin, end;
    int64_t sent;
  };
  struct Done {
    Element element;
    int64_t sent;     ///< microseconds since 1970, when the host launched it
    double duration;  ///< microseconds
  };

  static int64_t microseconds() {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return int64_t(now.tv_sec) * 1000000 + now.tv_nsec / 1000;
  }
  static std::string file(const char* program) {
    if (const char* named = getenv("SDFG_REPORT"); named && *named) return named;
    std::string path = ".dacecache";
    for (const char* part : {program, "perf"}) {
      mkdir(path.c_str(), 0777);
      path = path + "/" + part;
    }
    mkdir(path.c_str(), 0777);
    return path + "/report-" + std::to_string(microseconds() / 1000) + ".json";
  }
  void collect(Context& gpu) {
    if (used_ == 0) return;
    gpu.note(SDFG_GPU(EventSynchronize)(spans_[used_ - 1].end), "timers");
    for (size_t i = 0; i < used_; ++i) {
      float milliseconds = 0;
      if (gpu.note(SDFG_GPU(EventElapsedTime)(&milliseconds, spans_[i].begin, spans_[i].end),
                   "timers"))
        done_.push_back({spans_[i].element, spans_[i].sent, double(milliseconds) * 1e3});
    }
    used_ = 0;
  }

  std::vector<Span> spans_;  ///< with their events, which are used again
  size_t used_ = 0;
  std::vector<Done> done_;
};

/// Times what is launched while it lives.
class Timed {
 public:
  Timed(Timers& timers, Context& gpu, const Timers::Element& element) : timers_(timers), gpu_(gpu) {
    timers_.begin(gpu_, element);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() { timers_.end(gpu_); }

 private:
  Timers& timers_;
  Context& gpu_;
};

}  // namespace gpu
}  // namespace sdfg
