// Programs for a GPU, written by hand, on the stand-in for one: blocks, barriers, atomics, limits,
// and what the runner says of a second call.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "codegen/runtime_text.h"
#include "ir/builder.h"
#include "tools/common/gpu_build.h"
#include "tools/common/caller.h"

namespace sdfg {
namespace {

constexpr std::int64_t N = 1000;

/// An SDFG with the arrays A and S in a GPU's memory; what it does is in the text.
Sdfg declare() {
  Builder b("p");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N");
  b.array("S", BaseType::Float64, "4");
  Sdfg sdfg = b.take();
  for (auto& [name, data] : sdfg.arrays) data.storage = Storage::GpuGlobal;
  return sdfg;
}

/// `kernels`: device code. `call`: what the program does with gpu, arena, A, S and N.
Result<Executed> run(const std::string& kernels, const std::string& call) {
  Bundle bundle{.name = "p", .files = {}, .arguments = {}, .init_arguments = {}};
  const Argument a{"A", nullptr, BaseType::Float64, true}, s{"S", nullptr, BaseType::Float64, true},
      n{"N", nullptr, BaseType::Int64, false};
  bundle.arguments = {a, s, n};
  bundle.files.push_back(
      {"p.cu", "#include \"sdfg_gpu.h\"\nusing namespace sdfg::gpu;\n" + kernels + R"(
struct p_state { Context gpu; Arena arena; };
SDFG_EXPORT p_state* __dace_init_p() { return device_present() ? new p_state() : nullptr; }
SDFG_EXPORT void __program_p(p_state* state, double* A, double* S, [[maybe_unused]] int64_t N) {
  Context& gpu = state->gpu;
  [[maybe_unused]] Arena& arena = state->arena;
)" + call + R"(
}
SDFG_EXPORT int __dace_exit_p(p_state* state) {
  state->arena.release(state->gpu);
  const int error = state->gpu.error;
  delete state;
  return error;
}
)"});
  for (const RuntimeHeader& header : runtime_headers())
    bundle.files.push_back({std::string(header.name), std::string(header.text)});
  BuildOptions options = stand_in_build();
  for (const char* flag : {"-Wall", "-Wextra", "-Werror"}) options.flags.emplace_back(flag);
  options.cache = testing::TempDir() + "sdfg-gpu-stand-in-test";
  NamedArrays arguments{{"A", NdArray::zeros(BaseType::Float64, {N})},
                        {"S", NdArray::zeros(BaseType::Float64, {4})},
                        {"N", NdArray::zeros(BaseType::Int64, {})}};
  std::memcpy(arguments.at("N").bytes.data(), &N, sizeof N);
  for (std::int64_t i = 0; i < N; ++i) {
    const double value = double(i);
    std::memcpy(arguments.at("A").bytes.data() + i * 8, &value, sizeof value);
  }
  return gpu_backend([&](const Sdfg&) -> Result<Bundle> { return bundle; }, options)(declare(),
                                                                                     arguments);
}

double element(const Executed& executed, const char* name, std::size_t i) {
  double value = 0;
  std::memcpy(&value, executed.arguments.at(name).bytes.data() + i * 8, sizeof value);
  return value;
}

TEST(GpuStandIn, RunsEveryThreadOfEveryBlock) {
  const auto found = run(R"(
__global__ void twice(double* A, int64_t N) {
  const int64_t i = int64_t(blockIdx.y * blockDim.y + threadIdx.y) * 64 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) A[i] *= 2.0;
}
)", "  launch(gpu, \"twice\", twice, 2, 4, 1, dim3{32, 4, 1}, A, N);\n  (void)S;");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_TRUE(found->warnings.empty()) << found->warnings.front().text();
  for (std::int64_t i = 0; i < N; ++i)
    EXPECT_EQ(element(*found, "A", i), double(i < 1000 ? 2 * i : i)) << i;
}

TEST(GpuStandIn, ThreadsMeetAtBarriers) {
  // Each thread reads what its neighbour wrote before the barrier, in a loop whose length differs
  // from block to block.
  const auto found = run(R"(
__global__ void turn(double* A) {
  __shared__ double shared[100];
  double* const mine = A + blockIdx.x * 100;
  for (unsigned round = 0; round <= blockIdx.x; ++round) {
    shared[threadIdx.x] = mine[threadIdx.x];
    __syncthreads();
    mine[threadIdx.x] = shared[(threadIdx.x + 1) % 100];
    __syncthreads();
  }
}
)", "  launch(gpu, \"turn\", turn, 10, 1, 1, dim3{100, 1, 1}, A);\n  (void)S;");
  ASSERT_TRUE(found) << found.error().text();
  for (int block = 0; block < 10; ++block)
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(element(*found, "A", block * 100 + i), 100 * block + (i + block + 1) % 100);
}

TEST(GpuStandIn, ReducesInBlocksAndByAtomics) {
  const auto found = run(R"(
__global__ void add(const double* A, double* S, int64_t N) {
  const int64_t i = int64_t(blockIdx.x) * 256 + threadIdx.x;
  const double sum = sdfg::reduce_block<256>(i < N ? A[i] : 0.0, sdfg::Sum());
  if (threadIdx.x == 0) sdfg::update_atomic(&S[0], sum, sdfg::Sum());
  if (i < N) sdfg::update_atomic(&S[1], A[i], sdfg::Max());
}
)", "  launch(gpu, \"add\", add, 4, 1, 1, dim3{256, 1, 1}, (const double*)A, S, N);");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(element(*found, "S", 0), 999 * 500);
  EXPECT_EQ(element(*found, "S", 1), 999);
}

TEST(GpuStandIn, RefusesLaunchesBeyondTheLimits) {
  const std::string kernel = "__global__ void nothing() {}\n";
  for (const char* block : {"dim3{1025, 1, 1}", "dim3{1, 1, 65}", "dim3{64, 32, 1}"}) {
    const auto found = run(kernel, std::string("  launch(gpu, \"nothing\", nothing, 1, 1, 1, ") +
                                       block + ");\n  (void)A, (void)S;");
    ASSERT_FALSE(found) << block;
    EXPECT_EQ(found.error().message, "the program ended with status 9");
  }
  for (const char* grid : {"int64_t(1) << 31, 1, 1", "1, 65536, 2", "1, 1, 65536"}) {
    const auto found = run(kernel, std::string("  launch(gpu, \"nothing\", nothing, ") + grid +
                                       ", dim3{1, 1, 1});\n  (void)A, (void)S;");
    ASSERT_FALSE(found) << grid;
    EXPECT_EQ(found.error().message, "the program ended with status 9");
  }
}

TEST(GpuStandIn, GraphsAreRecordedForArgumentsThatComeAgain) {
  const auto found = run(R"(
#include "sdfg_gpu_graph.h"
__global__ void add(double* S, double value) { S[0] += value; }
)", R"(
  Graphs<1> graphs;
  const cpu::Counters before = cpu::counters;
  const auto step = [&](int value) {
    const uint64_t arguments[] = {bits(value)};
    graphs.call(gpu, arguments, [&] { launch(gpu, "add", add, 1, 1, 1, dim3{1, 1, 1}, S, double(value)); });
  };
  for (int value : {1, 1, 1, 2, 2, 2, 1}) step(value);
  S[1] = double(cpu::counters.launches - before.launches), S[2] = double(cpu::counters.graphs - before.graphs);
  // Recordings know addresses of the program's memory; and the oldest one makes room for a fifth.
  arena.release(gpu);
  for (int value : {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 2, 1}) step(value);
  S[3] = double(cpu::counters.graphs - before.graphs);
  graphs.release(gpu);
  (void)A;
)");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(element(*found, "S", 0), 10 + 33);
  EXPECT_EQ(element(*found, "S", 1), 2);
  EXPECT_EQ(element(*found, "S", 2), 5);
  EXPECT_EQ(element(*found, "S", 3), 5 + 6);
}

TEST(GpuStandIn, AMissingCompilerIsNamedWithAWayOut) {
  const char* const names[] = {"PATH", "CUDACXX", "HIPCXX", "CUDA_HOME", "VIRTUAL_ENV"};
  std::map<std::string, std::string> kept;
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) kept[name] = value;
    unsetenv(name);
  }
  const auto cuda = gpu_compiler(GpuDialect::Cuda), hip = gpu_compiler(GpuDialect::Hip);
  for (const auto& [name, value] : kept) setenv(name.c_str(), value.c_str(), 1);
  if (!cuda) {
    EXPECT_EQ(cuda.error().text(),
              "there is no CUDA compiler: nvcc is not on the path, in CUDA_HOME, in "
              "/usr/local/cuda or in .venv; name it in the environment variable CUDACXX, or "
              "install NVIDIA's wheels with scripts/setup --gpu");
  }
  if (!hip) {
    EXPECT_EQ(hip.error().text(),
              "there is no HIP compiler: hipcc is not on the path or in /opt/rocm; name it in "
              "the environment variable HIPCXX, or install Debian's hipcc");
  }
}

TEST(GpuStandIn, SaysWhatASecondCallDoes) {
  const auto steady = run("", "  arena.get<double>(gpu, 100);\n  (void)A, (void)S;");
  ASSERT_TRUE(steady) << steady.error().text();
  EXPECT_TRUE(steady->warnings.empty());
  const auto grows = run(
      "", "  arena.release(gpu);\n  arena.get<double>(gpu, N);\n  wait(gpu);\n  (void)A, (void)S;");
  ASSERT_TRUE(grows) << grows.error().text();
  ASSERT_EQ(grows->warnings.size(), 1u);
  EXPECT_EQ(grows->warnings[0].text(),
            "note: a second call with the same arguments allocates memory 1 times "
            "and waits for the device 3 times");
  const auto stale = run(R"(
__global__ void count(double* kept, double* S) { S[0] = kept[0] = kept[0] == kept[0] ? kept[0] + 1.0 : 0.0; }
)",
                         "  double* const kept = arena.get<double>(gpu, 1);\n  launch(gpu, "
                         "\"count\", count, 1, 1, 1, dim3{1, 1, 1}, kept, S);\n  (void)A;");
  ASSERT_TRUE(stale) << stale.error().text();
  ASSERT_EQ(stale->warnings.size(), 1u);
  EXPECT_EQ(stale->warnings[0].text(),
            "warning: a second call with the same arguments gives 2 other bytes");
}

}  // namespace
}  // namespace sdfg
