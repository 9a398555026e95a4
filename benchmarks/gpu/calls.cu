// What a call costs the host besides its kernels: twelve small ones (twelve.txt), plain and as a
// graph, beside twelve launches of an empty kernel and a graph of them. See calls.py.
//
// usage: calls [--no-device] NAME=LIBRARY…

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

#include "count_calls.h"

namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) * 1e6 + double(t.tv_nsec) * 1e-3;
}

constexpr int launches = 12;
constexpr int64_t points = 4096;

struct Measured {
  double host, whole;  ///< microseconds per call, without and with waiting for the device at the end
  Counts steady;       ///< of one call after many
};

/// Batches are short enough that the driver's queue does not fill: 40 x 12 launches.
template <class Call>
Measured measure(Call call) {
  for (int i = 0; i < 50; ++i) call();
  cudaDeviceSynchronize();
  counts = {};
  call();
  Measured m{0, 0, counts};
  cudaDeviceSynchronize();
  std::vector<double> host, whole;
  constexpr int calls = 40;
  for (int batch = 0; batch < 101; ++batch) {
    const double begin = now();
    for (int i = 0; i < calls; ++i) call();
    const double sent = now();
    cudaDeviceSynchronize();
    host.push_back((sent - begin) / calls);
    whole.push_back((now() - begin) / calls);
  }
  for (auto* times : {&host, &whole}) std::nth_element(times->begin(), times->begin() + 50, times->end());
  m.host = host[50];
  m.whole = whole[50];
  return m;
}

__global__ void empty() {}

double bare = 0, bare_graph = 0;  ///< host times of the baselines

void show(const char* name, const Measured& m, double baseline) {
  const Counts& c = m.steady;
  printf("| %-28s | %6.2f | %6.2f | %5.2f | %3ld | %3ld | %3ld | %3ld | %3ld |\n", name, m.host, m.whole,
         (m.host - baseline) / launches, c.launches, c.graphs, c.allocations + c.frees, c.waits, c.copies);
  fflush(stdout);
}

struct Program {
  void* (*init)(int64_t);
  void (*call)(void*, double*, double*, int32_t*, int64_t);
  int (*exit)(void*);
};

Program load(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "%s\n", dlerror()), exit(1);
  Program p;
  const auto find = [&](const char* name, void* into) {
    void* const symbol = dlsym(library, name);
    if (!symbol) fprintf(stderr, "%s: no %s\n", path, name), exit(1);
    memcpy(into, &symbol, sizeof symbol);
  };
  find("__dace_init_twelve", &p.init);
  find("__program_twelve", &p.call);
  find("__dace_exit_twelve", &p.exit);
  return p;
}

/// Runs a library's program; its results must be those of the first one.
bool run(const char* name, const char* path) {
  static std::vector<double> expected;
  const Program program = load(path);
  void* const state = program.init(points);
  if (!state) return fprintf(stderr, "%s: cannot be initialized\n", name), false;
  double *a, *b;
  int32_t* table;
  cudaMalloc((void**)&a, points * sizeof *a);
  cudaMalloc((void**)&b, points * sizeof *b);
  cudaMalloc((void**)&table, points * sizeof *table);
  std::vector<double> values(points);
  std::vector<int32_t> indices(points);
  for (int64_t i = 0; i < points; ++i) values[size_t(i)] = double(i), indices[size_t(i)] = int32_t((i * 7 + 3) % points);
  cudaMemcpy(a, values.data(), points * sizeof *a, cudaMemcpyHostToDevice);
  cudaMemcpy(table, indices.data(), points * sizeof *table, cudaMemcpyHostToDevice);
  const Counts before = counts;
  const Measured m = measure([&] { program.call(state, a, b, table, points); });
  show(name, m, m.steady.graphs ? bare_graph : bare);
  if (m.steady.graphs && counts.recordings + before.recordings > 1) fprintf(stderr, "%s: recorded more than once\n", name);
  if (counted_calls_reach_the_device) {
    cudaMemcpy(values.data(), b, points * sizeof *b, cudaMemcpyDeviceToHost);
    if (expected.empty()) expected = values;
    if (expected != values) return fprintf(stderr, "%s: results differ from the first program's\n", name), false;
  }
  cudaFree(a), cudaFree(b), cudaFree(table);
  return program.exit(state) == 0;
}

void baselines() {
  const Measured m = measure([] {
    for (int i = 0; i < launches; ++i) empty<<<16, 256>>>();
  });
  bare = m.host;
  show("12 launches of nothing", m, bare);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  for (int i = 0; i < launches; ++i) empty<<<16, 256, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiateWithFlags(&exec, graph, 0);
  const Measured g = measure([&] { cudaGraphLaunch(exec, nullptr); });
  bare_graph = g.host;
  show("a graph of 12 times nothing", g, bare_graph);
}

}  // namespace

int main(int count, char** words) {
  int first = 1;
  if (count > 1 && strcmp(words[1], "--no-device") == 0) counted_calls_reach_the_device = false, first = 2;
  printf("| program | host us per call | with the device | us per launch above nothing | launches | graphs | allocations, frees | waits | copies |\n"
         "|---|---|---|---|---|---|---|---|---|\n");
  baselines();
  bool good = true;
  for (int i = first; i < count; ++i) {
    const std::string word = words[i];
    const size_t equals = word.find('=');
    if (equals == word.npos) return fprintf(stderr, "usage: calls [--no-device] NAME=LIBRARY…\n"), 2;
    good &= run(word.substr(0, equals).c_str(), word.substr(equals + 1).c_str());
  }
  return good ? 0 : 1;
}
