// How time grows with the size of the graph, for everything that looks at a whole SDFG: load, save,
// verify, print, parse, generate, and each pass. One line per operation and shape: CPU time at 1,000,
// 10,000 and 100,000 nodes, and the exponent between the first and the last (1 is linear).
//
//   growth_bench [--benchmark_filter=load/.*] [--benchmark_min_time=0.2]

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "codegen/codegen.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "passes/registry.h"
#include "serialize/load.h"
#include "serialize/save.h"
#include "support/deep_stack.h"
#include "tools/common/generate.h"

namespace sdfg {
namespace {

constexpr std::array<std::size_t, 3> node_counts{1000, 10000, 100000};

/// A generated SDFG, as value, JSON text and text form; made once per shape and size.
struct Input {
  Sdfg sdfg;
  std::string json, text;
  std::size_t nodes = 0;
};
Input make_input(Shape shape, std::size_t size) {
  Input input;
  input.sdfg = generate({.shape = shape, .size = size});
  input.json = *save(input.sdfg, {SaveProfile::Head});
  input.text = print(input.sdfg);
  for_each_sdfg(input.sdfg, [&](const Sdfg& s) {
    for_each_state(s, [&](const State& state) { input.nodes += state.node_count(); });
  });
  return input;
}

template <class F>
void measure(benchmark::State& bench, const Input& input, F&& work) {
  with_deep_stack([&] {
    for (auto _ : bench) benchmark::DoNotOptimize(work());
  });
  bench.counters["nodes"] = double(input.nodes);
  bench.counters["nodes/s"] =
      benchmark::Counter(double(input.nodes), benchmark::Counter::kIsIterationInvariantRate);
}

/// Runs the pass on a fresh copy each time; copying is not counted.
void measure_pass(benchmark::State& bench, const Input& input, const Registered& pass) {
  with_deep_stack([&] {
    for (auto _ : bench) {
      bench.PauseTiming();
      auto copy = std::make_unique<Sdfg>(input.sdfg);
      PassContext context(pass.name);
      const auto configured = pass.configure("");
      bench.ResumeTiming();
      benchmark::DoNotOptimize(configured->run(*copy, context));
      bench.PauseTiming();
      copy.reset();
      bench.ResumeTiming();
    }
  });
  bench.counters["nodes"] = double(input.nodes);
}

/// Gathers the times and prints one line per operation and shape at the end.
class Table : public benchmark::ConsoleReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) {
        std::printf("%s: %s\n", run.benchmark_name().c_str(), run.error_message.c_str());
        continue;
      }
      // "load/chain/1000/real_time"
      const std::string name = run.run_name.function_name;
      std::fprintf(stderr, "%s %.3f ms\n", name.c_str(), run.GetAdjustedCPUTime());
      const std::size_t slash = name.rfind('/');
      rows_[name.substr(0, slash)].push_back(
          {run.counters.at("nodes"), run.GetAdjustedCPUTime()});
    }
  }
  void Finalize() override {
    std::printf("%-44s %10s %10s %10s %9s\n", "operation/shape (ms at nodes)", "1,000", "10,000",
                "100,000", "exponent");
    for (const auto& [name, points] : rows_) {
      std::printf("%-44s", name.c_str());
      for (const Point& p : points) std::printf(" %10.3f", p.milliseconds);
      const Point &first = points.front(), &last = points.back();
      if (points.size() > 1)
        std::printf(" %9.2f", std::log(last.milliseconds / first.milliseconds) /
                                  std::log(last.nodes / first.nodes));
      std::printf("\n");
    }
  }

 private:
  struct Point {
    double nodes, milliseconds;
  };
  std::map<std::string, std::vector<Point>> rows_;
};

/// The input that the running benchmark asks for. Benchmarks run in the order in which they are
/// registered, so remembering the last one is enough.
class Inputs {
 public:
  ~Inputs() { forget(); }
  const Input& get(Shape shape, std::size_t size) {
    if (!input_ || shape != shape_ || size != size_) {
      forget();
      with_deep_stack([&] { input_ = std::make_unique<Input>(make_input(shape, size)); });
      shape_ = shape, size_ = size;
    }
    return *input_;
  }

 private:
  void forget() {
    with_deep_stack([&] { input_.reset(); });
  }
  std::unique_ptr<Input> input_;
  Shape shape_{};
  std::size_t size_ = 0;
};

void register_all(Inputs& inputs) {
  for (std::size_t s = 0; s < shape_names.size(); ++s)
    for (std::size_t size : node_counts) {
      const auto add = [&](std::string_view operation, auto work) {
        const std::string name = std::string(operation) + "/" + std::string(shape_names[s]) + "/" +
                                 std::to_string(size);
        benchmark::RegisterBenchmark(name.c_str(), [&inputs, s, size, work](benchmark::State& bench) {
          work(bench, inputs.get(Shape(s), size));
        })->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
      };
      add("load", [](auto& b, const Input& i) { measure(b, i, [&] { return load(i.json); }); });
      add("save", [](auto& b, const Input& i) {
        measure(b, i, [&] { return save(i.sdfg, {SaveProfile::Head}); });
      });
      add("verify", [](auto& b, const Input& i) { measure(b, i, [&] { return verify(i.sdfg); }); });
      add("print", [](auto& b, const Input& i) { measure(b, i, [&] { return print(i.sdfg); }); });
      add("parse", [](auto& b, const Input& i) { measure(b, i, [&] { return parse(i.text); }); });
      add("generate-cpp",
          [](auto& b, const Input& i) { measure(b, i, [&] { return generate_cpu(i.sdfg); }); });
      for (const Registered& pass : all_passes())
        add(pass.name, [&pass](auto& b, const Input& i) { measure_pass(b, i, pass); });
    }
}

}  // namespace
}  // namespace sdfg

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  sdfg::Inputs inputs;
  sdfg::register_all(inputs);
  sdfg::Table table;
  benchmark::RunSpecifiedBenchmarks(&table);
}
