// Reading and writing: at 1,000, 10,000 and 100,000 nodes, with the growth exponent, and of a file
// named in SDFG_BENCH_FILE (then the peak of memory is shown beside its uncompressed size).

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdlib>

#include "serialize/load.h"
#include "serialize/save.h"
#include "support/deep_stack.h"
#include "support/file.h"
#include "tools/common/generate.h"

namespace sdfg {
namespace {

/// Nodes come from all shapes, because each stresses another part.
std::string generated_text(std::size_t nodes) {
  const Sdfg sdfg = generate({.shape = Shape::Mixed, .size = nodes, .seed = 1});
  return *save(sdfg, {SaveProfile::Head});
}

void load_generated(benchmark::State& state) {
  const std::string text = generated_text(std::size_t(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(load(text));
  state.SetComplexityN(state.range(0));
  state.SetBytesProcessed(std::int64_t(state.iterations()) * std::int64_t(text.size()));
}

void save_generated(benchmark::State& state, SaveProfile profile, bool change) {
  Sdfg sdfg = load(generated_text(std::size_t(state.range(0))))->sdfg;
  if (change) sdfg.name += "_changed";
  std::size_t bytes = 0;
  for (auto _ : state) {
    const auto text = save(sdfg, {profile});
    bytes = text->size();
  }
  state.SetComplexityN(state.range(0));
  state.SetBytesProcessed(std::int64_t(state.iterations()) * std::int64_t(bytes));
}

void file_load(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(load(text));
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  state.counters["megabytes"] = double(text.size()) / 1e6;
  state.counters["peak_megabytes"] = double(usage.ru_maxrss) / 1e3;
}

void file_save(benchmark::State& state, const std::string& text, SaveProfile profile, bool change) {
  Sdfg sdfg = load(text)->sdfg;
  if (change) sdfg.name += "_changed";
  for (auto _ : state) benchmark::DoNotOptimize(save(sdfg, {profile}));
}

template <class Bench>
void at_all_sizes(Bench* bench) {
  bench->Unit(benchmark::kMillisecond)->RangeMultiplier(10)->Range(1000, 100'000)->Complexity();
}

}  // namespace
}  // namespace sdfg

int main(int argc, char** argv) {
  using namespace sdfg;
  benchmark::Initialize(&argc, argv);
  std::string text;  // outlives the benchmarks
  if (const char* file = std::getenv("SDFG_BENCH_FILE")) {
    auto bytes = read_file(file);
    if (bytes) text = is_gzip(*bytes) ? *gunzip(*bytes) : *std::move(bytes);
    const auto add = [](auto* bench) { bench->Unit(benchmark::kMillisecond); };
    add(benchmark::RegisterBenchmark("file/load", [&](auto& s) { file_load(s, text); }));
    add(benchmark::RegisterBenchmark(
        "file/save/keep", [&](auto& s) { file_save(s, text, SaveProfile::Keep, false); }));
    add(benchmark::RegisterBenchmark(
        "file/save/keep-changed", [&](auto& s) { file_save(s, text, SaveProfile::Keep, true); }));
    add(benchmark::RegisterBenchmark(
        "file/save/head", [&](auto& s) { file_save(s, text, SaveProfile::Head, false); }));
  } else {
    at_all_sizes(benchmark::RegisterBenchmark("load", load_generated));
    at_all_sizes(benchmark::RegisterBenchmark(
        "save/keep", [](auto& s) { save_generated(s, SaveProfile::Keep, false); }));
    at_all_sizes(benchmark::RegisterBenchmark(
        "save/keep-changed", [](auto& s) { save_generated(s, SaveProfile::Keep, true); }));
    at_all_sizes(benchmark::RegisterBenchmark(
        "save/head", [](auto& s) { save_generated(s, SaveProfile::Head, false); }));
  }
  with_deep_stack([] { benchmark::RunSpecifiedBenchmarks(); });
  return 0;
}
