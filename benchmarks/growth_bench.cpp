// How time grows with the size of the graph, for everything that looks at a whole SDFG: load, save,
// verify, print, parse, generate, and each registered pass and named pipeline, over every kind of
// sdfg-gen. One line per operation and shape: CPU time at about 1,000, 10,000 and 100,000 nodes,
// and the exponent fitted through these (1 is linear; at 1.15, the aim, a hundred times the nodes
// take twice the time for each), and at the largest of these sizes the nodes of the SDFG (a map is
// two: entry and exit) for each millisecond. At the end those above the aim, and those that did not
// get to the end.
//
//   growth_bench [--only=REGEX] [--sizes=1000,10000,100000] [--limit=SECONDS] [--aim=1.15]
//
// What counts is CPU time of the least of at least two runs: the first one of each size also gets
// the memory from the system. Each run begins with cold caches; otherwise a small graph, which has
// just been copied, would find all of itself in them, and the exponent would be that of the
// machine. Neither copying the SDFG nor destroying the copy counts.
//
// Of kinds that are made at random there are several programs of the smaller sizes, up to ten, and
// the mean counts: one of 1,000 nodes lacks half of what one of 100,000 is made of.
//
// REGEX is searched in "operation/shape". A size is left out when the one before predicts more than
// the limit (10 s), taking growth as quadratic if it is not known to be less.

#include <malloc.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <ctime>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "codegen/gpu.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "passes/pipeline.h"
#include "serialize/load.h"
#include "serialize/save.h"
#include "support/deep_stack.h"
#include "support/text.h"
#include "tools/common/generate.h"
#include "tools/common/memory.h"

namespace sdfg {
namespace {

struct Settings {
  std::regex only{""};
  std::vector<std::size_t> sizes{1000, 10000, 100000};
  double limit = 10, aim = 1.15;
};

/// A generated SDFG, as value, JSON text and text form.
struct Input {
  Sdfg sdfg;
  std::string json, text;
  std::size_t nodes = 0;
};
Input make_input(Shape shape, std::size_t size, std::uint64_t seed) {
  Input input;
  input.sdfg = generate({.shape = shape, .size = size, .seed = seed});
  input.json = *save(input.sdfg, {SaveProfile::Head});
  input.text = print(input.sdfg);
  for_each_sdfg(input.sdfg, [&](const Sdfg& s) {
    for_each_state(s, [&](const State& state) { input.nodes += state.node_count(); });
  });
  return input;
}

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

#ifdef __x86_64__
/// Puts the memory out of the caches line by line: false on a processor that cannot.
[[gnu::target("clflushopt")]] bool flush(std::span<const std::byte> memory) {
  if (!__builtin_cpu_supports("clflushopt")) return false;
  for (std::size_t i = 0; i < memory.size(); i += 64)
    _mm_clflushopt(const_cast<std::byte*>(memory.data() + i));
  _mm_mfence();
  return true;
}
#else
bool flush(std::span<const std::byte>) { return false; }
#endif

/// Leaves nothing useful in the caches: 300 MB on some hosts, so other data are the second choice.
void cool_down() {
  if (flush(memory_in_use())) return;
  static std::vector<char> memory(std::size_t(64) << 20);
  for (std::size_t i = 0; i < memory.size(); i += 64) ++memory[i];
}

/// Runs the operation once on an input and gives the seconds that count; an error is a message.
using Operation = std::function<Result<double>(const Input&)>;

template <class F>
Operation timed(F work) {
  return [work](const Input& input) -> Result<double> {
    cool_down();
    const double begin = cpu_seconds();
    const auto result = work(input);
    const double seconds = cpu_seconds() - begin;
    if constexpr (requires { result.error(); })
      if (!result) return result.error();
    return seconds;
  };
}

/// What passes need that do nothing by themselves.
std::string with_options(const Registered& pass) {
  if (pass.name == "loop-blocking") return "loop-blocking{blocking_size=4 blocking_parameters=i}";
  if (pass.name == "map-dim-shuffle") return "map-dim-shuffle{parameters=i}";
  return std::string(pass.name);
}

Operation pass(const Registered& registered) {
  return [&registered](const Input& input) -> Result<double> {
    SDFG_TRY(const Pipeline pipeline, parse_pipeline(with_options(registered), all_passes()));
    const auto copy = std::make_unique<Sdfg>(input.sdfg);
    Diagnostics warnings;
    cool_down();
    const double begin = cpu_seconds();
    const auto result = run(pipeline, *copy, {}, warnings);
    const double seconds = cpu_seconds() - begin;
    if (!result) return result.error();
    return seconds;
  };
}

Result<double> generate_for_cpu(const Input& input) {
  auto copy = std::make_unique<Sdfg>(input.sdfg);
  cool_down();
  const double begin = cpu_seconds();
  const auto result = generate_cpu(std::move(*copy));
  const double seconds = cpu_seconds() - begin;
  if (!result) return result.error();
  return seconds;
}

/// Of the program with all maps on the GPU.
Result<double> generate_on(GpuDialect dialect, const Input& input) {
  SDFG_TRY(const Pipeline pipeline, parse_pipeline("gpu-transformation", all_passes()));
  const auto copy = std::make_unique<Sdfg>(input.sdfg);
  Diagnostics warnings;
  if (const auto moved = run(pipeline, *copy, {}, warnings); !moved) return moved.error();
  cool_down();
  const double begin = cpu_seconds();
  const auto result = generate_gpu(std::move(*copy), {.dialect = dialect});
  const double seconds = cpu_seconds() - begin;
  if (!result) return result.error();
  return seconds;
}

std::vector<std::pair<std::string, Operation>> operations() {
  std::vector<std::pair<std::string, Operation>> all{
      {"load", timed([](const Input& i) { return load(i.json); })},
      {"save", timed([](const Input& i) { return save(i.sdfg, {SaveProfile::Head}); })},
      {"verify", timed([](const Input& i) { return verify(i.sdfg); })},
      {"print", timed([](const Input& i) { return print(i.sdfg); })},
      {"parse", timed([](const Input& i) { return parse(i.text); })},
      {"generate-cpp", generate_for_cpu},
      {"generate-cuda", std::bind_front(generate_on, GpuDialect::Cuda)},
      {"generate-hip", std::bind_front(generate_on, GpuDialect::Hip)}};
  for (const Registered& registered : all_passes())
    all.emplace_back(registered.name, pass(registered));
  return all;
}

/// The least of several runs: as many as fit into a tenth of a second, at least two, at most seven.
Result<double> best(const Operation& operation, const Input& input) {
  double best = 1e9, spent = 0;
  for (int i = 0; i < 2 || (i < 7 && spent < 0.1); ++i) {
    SDFG_TRY(const double seconds, operation(input));
    best = std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

struct Row {
  std::string name, error;
  std::vector<std::pair<double, double>> points;  ///< nodes, seconds

  /// The slope of the line through the logarithms that fits best.
  std::optional<double> exponent() const {
    if (points.size() < 2) return std::nullopt;
    double x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [nodes, seconds] : points) {
      const double a = std::log(nodes), b = std::log(seconds);
      x += a, y += b, xx += a * a, xy += a * b;
    }
    const double n = double(points.size());
    return (n * xy - x * y) / (n * xx - x * x);
  }
  bool too_long(double nodes, double limit) const {
    if (points.empty()) return false;
    const auto [last_nodes, last] = points.back();
    const double power = points.size() < 2 ? 2 : std::max(1.0, *exponent());
    return last * std::pow(nodes / last_nodes, power) > limit;
  }
};

void print(const Row& row, const Settings& settings) {
  std::printf("%-44s", row.name.c_str());
  for (std::size_t i = 0; i < settings.sizes.size(); ++i)
    i < row.points.size() ? std::printf(" %10.3f", 1e3 * row.points[i].second)
                          : std::printf(" %10s", "-");
  const auto e = row.exponent();
  e ? std::printf(" %9.2f", *e) : std::printf(" %9s", "");
  if (!row.points.empty())
    std::printf(" %8.0f", 1e-3 * row.points.back().first / row.points.back().second);
  std::printf("%s%s\n", row.error.empty() ? "" : "  ", row.error.c_str());
  std::fflush(stdout);
}

/// How many programs of a size are made.
std::size_t programs(Shape shape, std::size_t size, const Settings& settings) {
  if (shape != Shape::Mixed && shape != Shape::Patterns && shape != Shape::Pieces) return 1;
  return std::clamp<std::size_t>(std::ranges::max(settings.sizes) / size, 1, 10);
}

/// All operations on one shape, size by size, so that each input is made once.
std::vector<Row> measure(std::string_view shape_name, Shape shape, const Settings& settings) {
  std::vector<Row> rows;
  std::vector<Operation> work;
  for (auto& [name, operation] : operations()) {
    const std::string full = name + "/" + std::string(shape_name);
    if (!std::regex_search(full, settings.only)) continue;
    rows.push_back({full, {}, {}});
    work.push_back(std::move(operation));
  }
  for (std::size_t size : settings.sizes) {
    if (rows.empty()) break;
    std::vector<Input> inputs;
    for (std::size_t seed = 1; seed <= programs(shape, size, settings); ++seed)
      inputs.push_back(make_input(shape, size, seed));
    double nodes = 0;
    for (const Input& input : inputs) nodes += double(input.nodes) / double(inputs.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Row& row = rows[i];
      if (!row.error.empty() || row.too_long(nodes, settings.limit)) continue;
      std::fprintf(stderr, "%s %zu\n", row.name.c_str(), size);
      double mean = 0;
      for (const Input& input : inputs) {
        const auto seconds = best(work[i], input);
        if (!seconds) {
          row.error = seconds.error().text();
          break;
        }
        mean += *seconds / double(inputs.size());
      }
      if (row.error.empty()) row.points.emplace_back(nodes, std::max(mean, 1e-6));
    }
  }
  return rows;
}

int run_all(const Settings& settings) {
  std::printf("%-44s", "operation/shape (CPU ms at about … nodes)");
  for (std::size_t size : settings.sizes) std::printf(" %10zu", size);
  std::printf(" %9s %8s\n", "exponent", "nodes/ms");
  std::vector<Row> above;
  for (std::size_t s = 0; s < shape_names.size(); ++s)
    for (Row& row : measure(shape_names[s], Shape(s), settings)) {
      print(row, settings);
      const bool unfinished = row.error.empty() && row.points.size() < settings.sizes.size();
      if (unfinished || row.exponent().value_or(0) > settings.aim) above.push_back(std::move(row));
    }
  std::printf("\nabove %.2f, or not finished: %zu\n", settings.aim, above.size());
  for (const Row& row : above) print(row, settings);
  return above.empty() ? 0 : 1;
}

bool set(Settings& settings, std::string_view flag, const std::string& value) {
  if (flag == "--only") return settings.only = value, true;
  if (flag == "--limit") return settings.limit = std::atof(value.c_str()), true;
  if (flag == "--aim") return settings.aim = std::atof(value.c_str()), true;
  if (flag != "--sizes") return false;
  settings.sizes.clear();
  for (std::string_view size : split(value, ','))
    settings.sizes.push_back(std::size_t(std::atoll(std::string(size).c_str())));
  return true;
}

}  // namespace
}  // namespace sdfg

int main(int count, char** words) {
  // As sdfg-opt: memory that is freed is kept.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
  sdfg::Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string value(word.substr(std::min(equals + 1, word.size())));
    if (!sdfg::set(settings, word.substr(0, equals), value)) {
      std::fprintf(stderr, "growth_bench: unknown flag '%s'\n", words[i]);
      return 2;
    }
  }
  int status = 0;
  sdfg::with_deep_stack([&] { status = sdfg::run_all(settings); });
  return status;
}
