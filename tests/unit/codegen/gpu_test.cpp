#include "codegen/gpu.h"

#include <gtest/gtest.h>

#include "ir/parse.h"

namespace sdfg {
namespace {

constexpr std::string_view two_dimensions = R"(sdfg p(A: float64[N, 80] {strides = [1, N], storage = GPU_Global}, B: float64[N, 80] {strides = [1, N], storage = GPU_Global}, c: float64[N] {storage = GPU_Global})
  symbol N: int64
  state s
    n0 = access A
    n1 = access c
    n2 = map m (k, i) in [0:80, 0:N] {schedule = GPU_Device}
      n3 = tasklet f: "o = x * a"
    n4 = exit n2
    n5 = access B
    n0 -> n2.IN_A : A[0:N, 0:80]
    n1 -> n2.IN_c : c[0:N]
    n2.OUT_A -> n3.a : A[i, k]
    n2.OUT_c -> n3.x : c[i]
    n3.o -> n4.IN_B : B[i, k]
    n4.OUT_B -> n5 : B[0:N, 0:80]
)";

Sdfg program(std::string_view text) {
  auto parsed = parse(text);
  EXPECT_TRUE(parsed) << parsed.error().text();
  return *std::move(parsed);
}
std::string generated(const GpuOptions& options) {
  const auto bundle = generate_gpu(program(two_dimensions), options);
  return bundle ? bundle->files.front().text : bundle.error().text();
}
/// The text of a kernel, to its last line.
std::string kernel(const std::string& text) {
  const std::size_t begin = text.find("__global__"), end = text.find("\n}\n", begin);
  return begin == text.npos ? text : text.substr(begin, end - begin + 3);
}

TEST(Gpu, RowsAndLanes) {
  EXPECT_EQ(kernel(generated({})),
            R"(__global__ void __launch_bounds__(256) m(const double* __restrict__ A, double* __restrict__ B,
    const double* __restrict__ c, int64_t N, int64_t i_count) {
  const int x = int(blockIdx.x) * 256 + int(threadIdx.x);
  if (x >= i_count) return;
  const int y = int(blockIdx.y);
  auto* const A_row = A + N * y;
  auto* const B_row = B + N * y;
  B_row[x] = c[x] * A_row[x];  // f
}
)");
}

// C's function of that name returns nothing, too, and would be as good.
TEST(Gpu, KernelsCalledLikeFunctionsOfC) {
  const auto bundle = generate_gpu(program(R"(
sdfg p(A: float64[64] {storage = GPU_Global})
  state s
    n0 = map "exit" (i) in [0:64] {schedule = GPU_Device}
      n1 = tasklet t: "o = i"
    n2 = exit n0
    n3 = access A
    n0 -> n1
    n1.o -> n2.IN_A : A[i]
    n2.OUT_A -> n3 : A[0:64]
)"), {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  EXPECT_NE(text.find(" exit_(double* __restrict__ A)"), text.npos) << text;
}

// What the host computes ahead, it computes without names that only the tasklet has.
TEST(Gpu, IndicesOfALoopInATasklet) {
  const auto bundle = generate_gpu(program(R"(
sdfg p(A: float64[64, K] {storage = GPU_Global}, B: float64[4, 16, K] {storage = GPU_Global})
  symbol K: int64
  state s
    n0 = access A
    n1 = map m (i, k) in [0:16, 0:K] {schedule = GPU_Device}
      n2 = tasklet t: "for j in range(4):\n  o[j] = a[j] + 1"
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[0:64, 0:K]
    n1.OUT_A -> n2.a : A[i:i + 48:16, k]
    n2.o -> n3.IN_B : B[0:4, i, k]
    n3.OUT_B -> n4 : B[0:4, 0:16, 0:K]
)"), {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string text = kernel(bundle->files.front().text);
  EXPECT_NE(text.find("B_row[B_stride * j + x] = A[K * ((j * 16) + i) + x] + 1;"), text.npos)
      << text;
}

TEST(Gpu, IndicesThatDivideAreOneFraction) {
  const auto bundle = generate_gpu(program(R"(sdfg strided(A: float64[20] {storage = GPU_Global}, B: float64[20] {storage = GPU_Global})
  symbol START: int64
  symbol STEP: int64
  state s
    n0 = access A
    n1 = map each (i) in [START:20:STEP] {schedule = GPU_Device}
      n2 = tasklet t: "b = a + 1"
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A: A[0:20]
    n1.OUT_A -> n2.a: A[i/2 + START/2 + 1]
    n2.b -> n3.IN_B: B[(i - START)/STEP]
    n3.OUT_B -> n4: B[0:20]
)"), {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string text = kernel(bundle->files.front().text);
  EXPECT_NE(text.find("B[((i - START) / STEP)] = A[((START + i) / 2) + 1] + 1;"), text.npos)
      << text;
}

// Zeros are written before all else: memory that others have had before would lose them.
TEST(Gpu, WhatBeginsWithZerosSharesNoMemoryWithWhatComesBefore) {
  const auto bundle = generate_gpu(program(R"(sdfg p(A: float64[8] {storage = GPU_Global}, B: float64[8] {storage = GPU_Global})
  transient early: float64[8] {storage = GPU_Global}
  transient middle: float64[8] {storage = GPU_Global}
  transient sum: float64[8] {storage = GPU_Global}
  state first
    n0 = access A
    n1 = access early
    n0 -> n1 : A[0:8] -> [0:8]
  state second
    n0 = access early
    n1 = access middle
    n0 -> n1 : early[0:8] -> [0:8]
  state third
    n0 = access middle
    n1 = access sum {setzero = true}
    n0 -> n1 : middle[0:4] -> [4:8]
  state fourth
    n0 = access sum
    n1 = access B
    n0 -> n1 : sum[0:8] -> [0:8]
  first -> second
  second -> third
  third -> fourth
)"),
                                   {});
  const std::string text = bundle ? bundle->files.front().text : bundle.error().text();
  EXPECT_NE(text.find("3 containers in 3 slots"), text.npos) << text;
}

TEST(Gpu, BlocksGoAlongLevelsFirst) {
  GpuOptions options;
  options.plan = "kernel m\n  rows_first = 1000\n";
  const std::string text = generated(options);
  for (std::string_view line :
       {"  const int x = sdfg::gpu::block_x(rows_first) * 256 + int(threadIdx.x);\n",
        "  const int y = sdfg::gpu::block_row(rows_first);\n  if (y >= 80) return;\n",
        "const bool rows_first = i_count >= 1000;\n",
        "rows_first ? 80 : sdfg::gpu::blocks(i_count, 256)",
        "rows_first ? sdfg::gpu::blocks(i_count, 256) : 80"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
  options.plan = "kernel m\n  rows_first = 1\n";
  const std::string always = generated(options);
  EXPECT_NE(always.find("sdfg::gpu::block_x(true)"), std::string::npos) << always;
  EXPECT_NE(always.find("\"m\", m, 80, sdfg::gpu::blocks(i_count, 256), 1,"), std::string::npos)
      << always;
}

TEST(Gpu, KnownRowsBeyondAGridGoOnAlongZ) {
  std::string text(two_dimensions);
  for (std::size_t at; (at = text.find("80")) != text.npos;) text.replace(at, 2, "70000");
  const auto bundle = generate_gpu(program(text), {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_NE(bundle->files.front().text.find(
                "  const int y = sdfg::gpu::block_row();\n  if (y >= 70000) return;\n"),
            std::string::npos)
      << bundle->files.front().text;
}

TEST(Gpu, WhatATaskletDeclaresHidesNoLane) {
  const auto bundle = generate_gpu(program(R"(sdfg p(A: float64[9] {storage = GPU_Global}, B: float64[8] {storage = GPU_Global}, C: float64[8] {storage = GPU_Global})
  state s
    n0 = access A
    n1 = map m (i) in [0:8] {schedule = GPU_Device}
      n2 = tasklet f: "p = x + y\nq = x - y"
    n3 = exit n1
    n4 = access B
    n5 = access C
    n0 -> n1.IN_A : A[0:9]
    n1.OUT_A -> n2.x : A[i]
    n1.OUT_A -> n2.y : A[i + 1]
    n2.p -> n3.IN_B : B[i]
    n2.q -> n3.IN_C : C[i]
    n3.OUT_B -> n4 : B[0:8]
    n3.OUT_C -> n5 : C[0:8]
)"), {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string text = kernel(bundle->files.front().text);
  EXPECT_NE(text.find("const int x_2 = int(blockIdx.x)"), std::string::npos) << text;
  EXPECT_NE(text.find("double x = A[x_2];"), std::string::npos) << text;
}

// `j` is the map's parameter in subsets, and what was read from I in the code.
TEST(Gpu, AConnectorHidesTheLane) {
  const auto bundle = generate_gpu(program(R"(sdfg p(A: float64[20] {storage = GPU_Global}, I: int64[8] {storage = GPU_Global}, B: float64[8] {storage = GPU_Global}, C: float64[8] {storage = GPU_Global})
  state s
    n0 = access A
    n1 = access I
    n2 = map m (j) in [0:8] {schedule = GPU_Device}
      n3 = tasklet f: "o = a[j] + 1"
      n4 = tasklet g: "v = a[j]\nif v > 2:\n    v = v * 2\no = v + a[0]"
    n5 = exit n2
    n6 = access B
    n7 = access C
    n0 -> n2.IN_A : A[0:20]
    n1 -> n2.IN_I : I[0:8]
    n2.OUT_A -> n3.a : A[j:j + 5]
    n2.OUT_I -> n3.j : I[7 - j]
    n2.OUT_A -> n4.a : A[j:j + 5]
    n2.OUT_I -> n4.j : I[7 - j]
    n3.o -> n5.IN_B : B[j]
    n4.o -> n5.IN_C : C[j]
    n5.OUT_B -> n6 : B[0:8]
    n5.OUT_C -> n7 : C[0:8]
)"),
                                   {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string text = kernel(bundle->files.front().text);
  for (const char* part : {"B[x] = A[j + I[(-j) + 7]] + 1;", "int64_t j_2 = I[(-j) + 7];",
                           "v = A[j + j_2];"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

TEST(Gpu, AnInnerParameterHidesTheLane) {
  const auto bundle = generate_gpu(program(R"(sdfg p(A: float64[8] {storage = GPU_Global}, B: float64[8, 5] {storage = GPU_Global})
  state s
    n0 = access A
    n1 = map m (x) in [0:8] {schedule = GPU_Device}
      n2 = map inner (x) in [0:5] {schedule = Sequential}
        n3 = tasklet f: "b = a + x"
      n4 = exit n2
    n5 = exit n1
    n6 = access B
    n0 -> n1.IN_A : A[0:8]
    n1.OUT_A -> n2.IN_A : A[0:5]
    n2.OUT_A -> n3.a : A[x]
    n3.b -> n4.IN_B : B[0, x]
    n4.OUT_B -> n5.IN_B : B[0, 0:5]
    n5.OUT_B -> n6 : B[0, 0:5]
)"), {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string text = kernel(bundle->files.front().text);
  EXPECT_NE(text.find("const int x_2 = int(blockIdx.x)"), std::string::npos) << text;
  EXPECT_NE(text.find("A_row = A + x;"), std::string::npos) << text;
}

// The rest of a loop whose loads go ahead is printed apart; rows farther out keep their names.
TEST(Gpu, TheRestOfABatchedLoopHidesNoRow) {
  const auto bundle = generate_gpu(program(R"(sdfg p(A: float64[20] {storage = GPU_Global}, A1: float64[8] {storage = GPU_Global})
  state s
    n0 = access A
    n1 = map m (i) in [0:8] {schedule = GPU_Device}
      n2 = nested_sdfg body
        sdfg body(A: float64[20], B: float64[1])
          symbol t: int64
          loop l (t) from "t = 0" while "t < 3" next "t = t + 1"
            state b
              n0 = access A
              n1 = tasklet f: "o = x + y"
              n2 = access B
              n0 -> n1.x : A[1]
              n0 -> n1.y : A[t]
              n1.o -> n2 : B[0]
    n3 = exit n1
    n4 = access A1
    n0 -> n1.IN_A : A[0:20]
    n1.OUT_A -> n2.A : A[0:20]
    n2.B -> n3.IN_B : A1[i]
    n3.OUT_B -> n4 : A1[0:8]
)"),
                                   {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  for (const char* part : {"A_row = A + 1;", "B[0] = A_row[0] + A_ahead[u];",
                           "A_row_3 = A + t;", "B[0] = A_row[0] + A_row_3[0];"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text.substr(text.find("void body"));
}

TEST(Gpu, HipLooksUpLanesThroughAt) {
  GpuOptions hip;
  hip.dialect = GpuDialect::Hip;
  EXPECT_NE(kernel(generated(hip)).find(
                "sdfg::gpu::at(B_row, x) = sdfg::gpu::at(c, x) * sdfg::gpu::at(A_row, x);  // f"),
            std::string::npos);
}

TEST(Gpu, LevelsOfAThreadShareLoads) {
  GpuOptions options;
  options.plan = "kernel m\n  block = [128, 1, 1]\n  levels = 4\n";
  EXPECT_EQ(kernel(generated(options)),
            R"(__global__ void __launch_bounds__(128) m(const double* __restrict__ A, double* __restrict__ B,
    const double* __restrict__ c, int64_t N, int64_t i_count) {
  const int x = int(blockIdx.x) * 128 + int(threadIdx.x);
  if (x >= i_count) return;
  const int y_first = int(blockIdx.y) * 4;
  const double c_here = c[x];
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    const int y = y_first + u;
    if (y >= 80) break;
    auto* const A_row = A + N * y;
    auto* const B_row = B + N * y;
    B_row[x] = c_here * A_row[x];  // f
  }
}
)");
}

/// A tile that is read backwards, a sum over all elements, and a count of the blocks.
constexpr std::string_view thread_blocks = R"(sdfg blocks(A: float64[N] {storage = GPU_Global}, B: float64[N] {storage = GPU_Global}, S: float64[2] {storage = GPU_Global})
  symbol N: int64
  transient tile: float64[64] {storage = GPU_Shared}
  state s
    n0 = access A
    n1 = map grid (b) in [0:N:64] {schedule = GPU_Device}
      n2 = map load (i) in [0:64] {schedule = GPU_ThreadBlock}
        n3 = tasklet f: "o = a"
      n4 = exit n2
      n5 = access tile
      n6 = map store (i) in [0:64] {schedule = GPU_ThreadBlock}
        n7 = tasklet g: "o = t; s = t"
      n8 = exit n6
    n9 = exit n1
      n12 = tasklet one: "o = 1.0"
    n10 = access B
    n11 = access S
    n0 -> n1.IN_A : A[0:N]
    n1.OUT_A -> n2.IN_A : A[b:b + 64]
    n2.OUT_A -> n3.a : A[b + i]
    n3.o -> n4.IN_tile : tile[i]
    n4.OUT_tile -> n5 : tile[0:64]
    n1 -> n12
    n12.o -> n9.IN_S2 : S[1] {wcr = "lambda a, b: a + b"}
    n5 -> n6.IN_tile : tile[0:64]
    n6.OUT_tile -> n7.t : tile[63 - i]
    n7.o -> n8.IN_B : B[b + i]
    n7.s -> n8.IN_S : S[0] {wcr = "lambda a, b: a + b"}
    n8.OUT_B -> n9.IN_B : B[b:b + 64]
    n8.OUT_S -> n9.IN_S : S[0] {wcr = "lambda a, b: a + b"}
    n9.OUT_S2 -> n11 : S[1] {wcr = "lambda a, b: a + b"}
    n9.OUT_B -> n10 : B[0:N]
    n9.OUT_S -> n11 : S[0] {wcr = "lambda a, b: a + b"}
)";

TEST(Gpu, AGatherIsCompiledForEachValueOfAFlag) {
  const auto bundle = generate_gpu(program(R"(sdfg p(c: float64[E] {storage = GPU_Global}, r: float64[E] {storage = GPU_Global}, table: int32[E] {storage = GPU_Global})
  symbol E: int64
  symbol flag: bool
  state s
    n0 = access c
    n2 = access table
    n3 = map m (e) in [0:E] {schedule = GPU_Device}
      n4 = tasklet f: "o = a[t] if flag else 0"
    n5 = exit n3
    n6 = access r
    n0 -> n3.IN_a : c[0:E]
    n2 -> n3.IN_t : table[0:E]
    n3.OUT_a -> n4.a : c[0:E]
    n3.OUT_t -> n4.t : table[e]
    n4.o -> n5.IN_r : r[e]
    n5.OUT_r -> n6 : r[0:E]
)"),
                                   {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  EXPECT_NE(text.find("template <bool flag>\n__global__ void __launch_bounds__(128) m("),
            text.npos);
  EXPECT_NE(text.find("launch(__state->gpu, \"m\", (flag ? m<true> : m<false>),"), text.npos);
}

TEST(Gpu, AGatherOverFewLevelsHasFewThreadsAlongThem) {
  const auto bundle = generate_gpu(program(R"(sdfg p(c: float64[E, K] {strides = [1, E], storage = GPU_Global}, r: float64[E, K] {strides = [1, E], storage = GPU_Global}, table: int32[E, K] {strides = [1, E], storage = GPU_Global})
  symbol E: int64
  symbol K: int64
  state s
    n0 = access c
    n2 = access table
    n3 = map m (k, e) in [0:K, 0:E] {schedule = GPU_Device}
      n4 = tasklet f: "o = a[e, t]"
    n5 = exit n3
    n6 = access r
    n0 -> n3.IN_a : c[0:E, 0:K]
    n2 -> n3.IN_t : table[0:E, 0:K]
    n3.OUT_a -> n4.a : c[0:E, 0:K]
    n3.OUT_t -> n4.t : table[e, k]
    n4.o -> n5.IN_r : r[e, k]
    n5.OUT_r -> n6 : r[0:E, 0:K]
)"),
                                   {.plan = "kernel m\n  block = [32, 8, 1]\n  levels = 4\n"});
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_NE(bundle->files.front().text.find("dim3{32, sdfg::gpu::rows(k_count, 4, 8), 1}"),
            std::string::npos);
}

TEST(Gpu, ThreadBlocksShareTheirMaps) {
  const auto bundle = generate_gpu(program(thread_blocks));
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string text = kernel(bundle->files.front().text);
  for (const std::string_view line :
       {"__launch_bounds__(64) grid(", "  __shared__ double tile[64];\n",
        "  for (int64_t i = int64_t(threadIdx.x); i < 64; i += int64_t(blockDim.x)) {\n    tile[i] "
        "= A[b + i];  // f\n  }\n"
        "  __syncthreads();\n",
        "sdfg::update_atomic(&S[0], double(s), sdfg::Sum{});",
        "  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {\n    sdfg::update_atomic("})
    EXPECT_NE(text.find(line), text.npos) << line << "\nin\n" << text;
}

TEST(Gpu, SameInputSameBytes) {
  EXPECT_EQ(generated({}), generated({}));
}

TEST(Gpu, PlanRoundTrip) {
  const Sdfg sdfg = program(two_dimensions);
  const auto plan = gpu_plan(sdfg);
  ASSERT_TRUE(plan);
  for (const std::string& text : {to_text(*plan), to_json(*plan)}) {
    GpuOptions options;
    options.plan = text;
    const auto again = gpu_plan(sdfg, options);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*again, *plan);
  }
}

TEST(Gpu, BadPlans) {
  const auto refusal = [](const std::string& plan) {
    GpuOptions options;
    options.plan = plan;
    return generated(options);
  };
  EXPECT_EQ(refusal("kernel n\n"), "plan: there is no kernel 'n' in p; did you mean 'm'?");
  EXPECT_EQ(
      refusal("kernel m\n  block = [1024, 2, 1]\n"),
      "plan: kernel m: a block of 1024 x 2 x 1 has 2048 threads, and devices run at most 1024; "
      "make it smaller, and give each thread more with levels");
  EXPECT_EQ(refusal("kernel m\n  levels = 100\n"),
            "plan: kernel m: levels = 100 is not between 1 and 64");
  EXPECT_EQ(refusal("kernel m\n  params = [i, j]\n"),
            "plan: kernel m: params must be i, k in some order, found [i, j]");
  EXPECT_EQ(refusal("kernel m\n  level = 2\n"),
            "plan: kernel m: there is no 'level'; did you mean 'levels'?");
  EXPECT_EQ(refusal("block = 3\n"),
            "plan: line 1: expected 'kernel NAME' or '  PROPERTY = VALUE', found "
            "'block = 3'; --emit=plan writes one to start from");
  EXPECT_EQ(refusal("kernel m\n  block = [64, 1]\n"),
            "plan: kernel m: block has 2 numbers; write [x, y, z]");
  EXPECT_EQ(refusal("kernel m\n  block = [wide, 1, 1]\n"),
            "plan: expected a whole number, found 'wide'");
  EXPECT_EQ(refusal("kernel m\n  block = [64, 1, 2]\n"),
            "plan: kernel m: threads along z have nothing to do; write [x, y, 1]");
  EXPECT_EQ(refusal("kernel m\n  rows_first = -1\n"),
            "plan: kernel m: rows_first = -1 is not between 0 and 1099511627776");
  EXPECT_EQ(refusal("  grph = on\n"), "plan: the program has no 'grph'; did you mean 'graph'?");
  EXPECT_EQ(refusal("  levels = 4\n"),
            "plan: the program has no 'levels'; it has graph, timers, ranges; what belongs to a "
            "kernel stands "
            "below 'kernel NAME'");
  EXPECT_EQ(refusal("  graph = 1\n"), "plan: graph: expected on or off, found '1'");
  EXPECT_EQ(
      refusal("  graph = on\n  timers = on\n"),
      "plan: graph and timers exclude each other: the kernels of a graph are not timed one by one; "
      "switch one of them off");
  EXPECT_EQ(refusal("{\"graph\": true}"), "plan: the plan is no JSON with a list of \"kernels\"; "
                                         "--emit=plan-json writes one to start from");
}

TEST(Gpu, MapsOfOneDimensionHaveNoRows) {
  GpuOptions options;
  options.plan = "kernel m\n  rows_first = 1\n";
  const auto bundle = generate_gpu(program(R"(sdfg q(A: float64[8] {storage = GPU_Global})
  state s
    n0 = map m (i) in [0:8] {schedule = GPU_Device}
      n1 = tasklet f: "o = 1"
    n2 = exit n0
    n3 = access A
    n0 -> n1
    n1.o -> n2.IN_A : A[i]
    n2.OUT_A -> n3 : A[0:8]
)"), options);
  ASSERT_FALSE(bundle);
  EXPECT_EQ(
      bundle.error().text(),
      "plan: kernel m: only maps of two dimensions have rows of blocks; write rows_first = 0");
}

std::string with_graph(std::string_view text) {
  GpuOptions options;
  options.plan = "  graph = on\n";
  const auto bundle = generate_gpu(program(text), options);
  return bundle ? bundle->files.front().text : bundle.error().text();
}

TEST(Gpu, GraphsTellCallsApartByWhatIsUsed) {
  const std::string text = with_graph(two_dimensions);
  EXPECT_NE(text.find("  const uint64_t arguments[] = {sdfg::gpu::bits(A), sdfg::gpu::bits(B), "
                      "sdfg::gpu::bits(c),\n      sdfg::gpu::bits(N)};\n"
                      "  __state->graphs.call(__state->gpu, arguments, [&] { run_p(__state, A, B, "
                      "c, N); });\n"),
            std::string::npos)
      << text;
}

TEST(Gpu, GraphsNeedCallsThatFollowFromTheirArguments) {
  constexpr std::string_view kernel = R"(
    n0 = access A
    n1 = map m (i) in [0:8] {schedule = GPU_Device}
      n2 = tasklet f: "o = a"
    n3 = exit n1
    n4 = access A
    n0 -> n1.IN_a : A[0:8]
    n1.OUT_a -> n2.a : A[i]
    n2.o -> n3.IN_o : A[i]
    n3.OUT_o -> n4 : A[0:8]
)";
  EXPECT_EQ(with_graph(std::string("sdfg p(A: float64[8] {storage = GPU_Global}, flag: int32[1] "
                                   "{storage = GPU_Global})\n"
                                   "  state s") +
                       std::string(kernel) + "  state t\n  s -> t if \"flag[0] > 0\"\n"),
            "the program cannot be a graph: the host waits for the device; it reads 'flag'; "
            "write graph = off in the plan");
  EXPECT_EQ(with_graph("sdfg p(A: float64[8] {storage = GPU_Global}, h: float64[8])\n"
                       "  state s" +
                       std::string(kernel) + "    n5 = access h\n    n4 -> n5 : A[0:8]\n"),
            "argument 'h': the program cannot be a graph: this is memory of the host, and what it "
            "holds may "
            "change; write graph = off in the plan");
  EXPECT_EQ(
      with_graph("sdfg p(A: float64[8] {storage = GPU_Global})\n"
                 "  transient step: int32 {lifetime = Persistent}\n  state s" +
                 std::string(kernel)),
      "data 'step': the program cannot be a graph: it keeps what the host knows from call to call; "
      "write graph = off in the plan");
  EXPECT_EQ(
      with_graph("sdfg p(A: float64[8] {storage = GPU_Global})\n  state s" + std::string(kernel) +
                 "    n5 = tasklet g: \"o = 1\"\n    n6 = access A\n    n4 -> n5\n    n5.o -> n6 : "
                 "A[0]\n"),
      "state s / node 5 (tasklet g): the program cannot be a graph: the host writes to the device; "
      "write graph = off in the plan");
}

TEST(Gpu, TimersAndRangesStandAroundLaunches) {
  GpuOptions options;
  options.plan = "  timers = on\n  ranges = on\n";
  const std::string text = generated(options);
  EXPECT_NE(
      text.find(
          "      const sdfg::gpu::Range range(\"m\");\n"
          "      const sdfg::gpu::Timed timed(__state->timers, __state->gpu, {\"m\", 0, 0, 2});\n"
          "      sdfg::gpu::launch("),
      std::string::npos)
      << text;
  EXPECT_EQ(generated({}).find("sdfg_gpu_timers.h"), std::string::npos);
}

// What is i inside is no more what the thread is, once it has been assigned.
TEST(Gpu, SymbolsThatChangeInsideAreNoLanes) {
  const auto bundle = generate_gpu(program(R"(
sdfg p(A: float64[64] {storage = GPU_Global}, T: float64[64] {storage = GPU_Global})
  state s
    n0 = access T
    n1 = map m (i) in [0:64] {schedule = GPU_Device}
      n2 = nested_sdfg inner with (i)
        sdfg inner(t: float64[64], r: float64)
          symbol i: int64
          state first
          state second
            n0 = access t
            n1 = access r
            n0 -> n1 : t[i] -> [0]
          first -> second set i = 3
    n3 = exit n1
    n4 = access A
    n0 -> n1.IN_T : T[0:64]
    n1.OUT_T -> n2.t : T[0:64]
    n2.r -> n3.IN_A : A[i]
    n3.OUT_A -> n4 : A[0:64]
)"),
                                           {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  EXPECT_NE(text.find("r = t[i];"), std::string::npos) << text;
}

// A kernel has them by value, and a nested SDFG in it may see one as an array of one element.
TEST(Gpu, ScalarsOfTheHostAreArraysOfOneInside) {
  const auto bundle = generate_gpu(program(R"(sdfg by_value(A: float64[N] {storage = GPU_Global}, s: float64)
  symbol N: int64
  state main
    n0 = access s
    n1 = map m (i) in [0:N] {schedule = GPU_Device}
      n2 = nested_sdfg inner
        sdfg inner(p: float64[1], q: float64[1])
          state body
            n0 = access p
            n1 = tasklet t: "o = x"
            n2 = access q
            n0 -> n1.x : p[0]
            n1.o -> n2 : q[0]
    n3 = exit n1
    n4 = access A
    n0 -> n1.IN_s : s[0]
    n1.OUT_s -> n2.p : s[0]
    n2.q -> n3.IN_A : A[i]
    n3.OUT_A -> n4 : A[0:N]
)"),
                                           {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  EXPECT_NE(text.find("  inner(&s, A + x);"), std::string::npos) << text;
}

// K is no argument: each of the two scopes has its own.
TEST(Gpu, ParametersWithNamesOfSymbolsAreNoArguments) {
  const auto bundle = generate_gpu(program(R"(
sdfg p(A: float64[64, 2] {storage = GPU_Global})
  symbol K: int64
  state s
    n0 = map m (i) in [0:64] {schedule = GPU_Device}
      n1 = map inner (K) in [0:2] {schedule = Sequential}
        n2 = tasklet f: "o = K"
      n3 = exit n1
    n4 = exit n0
    n5 = access A
    n0 -> n1
    n1 -> n2
    n2.o -> n3.IN_A : A[i, K]
    n3.OUT_A -> n4.IN_A : A[i, 0:2]
    n4.OUT_A -> n5 : A[0:64, 0:2]
)"),
                                           {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  EXPECT_NE(text.find("m(double* __restrict__ A) {"), std::string::npos) << text;
}

// The function of a nested SDFG is not given K, which each read of it hides.
TEST(Gpu, ParametersWithNamesOfSymbolsAreNoArgumentsInNestedSdfgs) {
  const auto bundle = generate_gpu(program(R"(
sdfg p(A: float64[64, 2] {storage = GPU_Global})
  symbol K: int64
  state s
    n0 = nested_sdfg inside with (K)
      sdfg inside(A: float64[64, 2] {storage = GPU_Global})
        symbol K: int64
        state a
        state s
          n0 = map m (i) in [0:64] {schedule = GPU_Device}
            n1 = map inner (K) in [0:2] {schedule = Sequential}
              n2 = tasklet f: "o = K"
            n3 = exit n1
          n4 = exit n0
          n5 = access A
          n0 -> n1
          n1 -> n2
          n2.o -> n3.IN_A : A[i, K]
          n3.OUT_A -> n4.IN_A : A[i, 0:2]
          n4.OUT_A -> n5 : A[0:64, 0:2]
        a -> s
    n1 = access A
    n0.A -> n1 : A[0:64, 0:2]
)"),
                                           {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  EXPECT_NE(text.find("m(double* __restrict__ A) {"), std::string::npos) << text;
}

// Code of the host hands on where a scalar lies in memory of the GPU; it cannot load it.
TEST(Gpu, NestedSdfgsAreGivenScalarsOfTheGpuByReference) {
  const auto bundle = generate_gpu(program(R"(
sdfg p(s: float64 {storage = GPU_Global}, A: float64[64] {storage = GPU_Global})
  state first
    n0 = access s
    n1 = access A
    n2 = nested_sdfg inner
      sdfg inner(s: float64 {storage = GPU_Global}, x: float64 {storage = GPU_Global}, A: float64[64] {storage = GPU_Global})
        state a
        state b
          n0 = access s
          n1 = access x
          n2 = map m (i) in [0:64] {schedule = GPU_Device}
            n3 = tasklet f: "o = v + w"
          n4 = exit n2
          n5 = access A
          n0 -> n2.IN_s : s[0]
          n1 -> n2.IN_x : x[0]
          n2.OUT_s -> n3.v : s[0]
          n2.OUT_x -> n3.w : x[0]
          n3.o -> n4.IN_A : A[i]
          n4.OUT_A -> n5 : A[0:64]
        a -> b
    n3 = access A
    n0 -> n2.s : s[0]
    n1 -> n2.x : A[7]
    n2.A -> n3 : A[0:64]
)"),
                                   {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  EXPECT_NE(text.find(", double& s, double& x"), text.npos) << text;
}

// The array that goes in is the one that comes out, by another name, so it is not constant.
TEST(Gpu, NestedSdfgsChangeInPlaceWhatHasTwoNames) {
  const auto bundle = generate_gpu(program(R"(
sdfg p(A: float64[64, 8] {storage = GPU_Global})
  state s
    n0 = access A
    n1 = map m (i) in [0:64] {schedule = GPU_Device}
      n2 = nested_sdfg outer
        sdfg outer(r: float64[8], w: float64[8])
          state s
            n0 = access r
            n1 = nested_sdfg inner
              sdfg inner(x: float64[8])
                loop l (j) from "j = 1" while "j < 8" next "j = j + 1"
                  state s
                    n0 = access x
                    n1 = tasklet t: "o = v + 1"
                    n2 = access x
                    n0 -> n1.v : x[j - 1]
                    n1.o -> n2 : x[j]
            n2 = access w
            n0 -> n1.x : r[0:8]
            n1.x -> n2 : w[0:8]
    n3 = exit n1
    n4 = access A
    n0 -> n1.IN_A : A[0:64, 0:8]
    n1.OUT_A -> n2.r : A[i, 0:8]
    n2.w -> n3.IN_A : A[i, 0:8]
    n3.OUT_A -> n4 : A[0:64, 0:8]
)"),
                                   {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  EXPECT_NE(text.find("outer(double* r)"), text.npos) << text;
}

// A reference inside may be led to what is only read.
TEST(Gpu, FunctionsOfAKernelTakeNoPointersToConstantsWhereTheySetReferences) {
  const auto bundle = generate_gpu(program(R"(
sdfg p(A: float64[9] {storage = GPU_Global}, B: float64[9] {storage = GPU_Global})
  state use
    n0 = access A
    n1 = map each (i) in [0:9] {schedule = GPU_Device}
      n2 = nested_sdfg inner with (i)
        sdfg inner(x: float64[9], y: float64)
          symbol i: int64
          transient r: reference float64[9]
          state lead
            n0 = access x
            n1 = access r
            n0 -> n1."set" : x[0:9]
          state read
            n0 = access r
            n1 = access y
            n0 -> n1 : r[i] -> [0]
          lead -> read
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[0:9]
    n1.OUT_A -> n2.x : A[0:9]
    n2.y -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:9]
)"),
                                   {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  EXPECT_NE(text.find("inner(double* __restrict__ x"), text.npos) << text;
}

// The same where the host makes a pointer to what all threads begin at.
TEST(Gpu, KernelsTakeNoPointersToConstantsWhereThereAreReferences) {
  const auto code = [](const std::string& reference) {
    const auto bundle = generate_gpu(program(R"(
sdfg p(A: float64[N, 9] {storage = GPU_Global}, B: float64[9] {storage = GPU_Global})
  symbol N: int64
  symbol k: int64
)" + reference + R"(
  state use
    n0 = access A
    n1 = map each (i) in [0:9] {schedule = GPU_Device}
      n2 = nested_sdfg inner
        sdfg inner(x: float64, y: float64)
          state one
            n0 = access x
            n1 = tasklet t: "o = v + 1"
            n2 = access y
            n0 -> n1.v : x[0]
            n1.o -> n2 : y[0]
          state two
          one -> two if "y > 2"
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A : A[0:N, 0:9]
    n1.OUT_A -> n2.x : A[2 * k + 1, i]
    n2.y -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:9]
)"),
                                     {});
    EXPECT_TRUE(bundle) << bundle.error().text();
    return bundle ? bundle->files.front().text : "";
  };
  EXPECT_NE(code("").find("const double* __restrict__ A_first"), std::string::npos);
  const std::string with = code("  transient r: reference float64[9] {storage = GPU_Global}");
  EXPECT_EQ(with.find("const double* __restrict__ A"), std::string::npos) << with;
}

// A reference may lead to what the kernel writes.
TEST(Gpu, KernelsTakeNothingForRestrictedWhereTheyReadReferences) {
  const auto bundle = generate_gpu(program(R"(
sdfg p(A: float64[9] {storage = GPU_Global}, B: float64[9] {storage = GPU_Global})
  transient r: reference float64[9] {storage = GPU_Global}
  state choose
    n0 = access A
    n1 = access r
    n0 -> n1."set" : A[0:9]
  state use
    n0 = access r
    n1 = map each (i) in [0:9] {schedule = GPU_Device}
      n2 = nested_sdfg inner with (i)
        sdfg inner(x: float64[9], y: float64)
          symbol i: int64
          state a
            n0 = access x
            n1 = tasklet one: "o = v + 1"
            n2 = access y
            n0 -> n1.v : x[i]
            n1.o -> n2 : y[0]
          state b
            n0 = access x
            n1 = tasklet two: "o = v + w"
            n2 = access y
            n3 = access y
            n0 -> n1.v : x[8 - i]
            n2 -> n1.w : y[0]
            n1.o -> n3 : y[0]
          a -> b
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_r : r[0:9]
    n1.OUT_r -> n2.x : r[0:9]
    n2.y -> n3.IN_B : B[i]
    n3.OUT_B -> n4 : B[0:9]
  choose -> use
)"),
                                   {});
  ASSERT_TRUE(bundle) << bundle.error().text();
  const std::string& text = bundle->files.front().text;
  EXPECT_NE(text.find("each(double* B, double* r)"), text.npos) << text;
}

// A memcpy does not convert.
TEST(Gpu, CopiesOfOneElementConvert) {
  const auto bundle = generate_gpu(program(R"(sdfg p(A: float64[8] {storage = GPU_Global}, n: int32[2] {storage = GPU_Global}, h: int64[2])
  state s
    n0 = access n
    n1 = access A
    n2 = access h
    n3 = access A
    n0 -> n1 : n[0] -> [0]
    n0 -> n2 : n[1] -> [0]
    n2 -> n3 : h[1] -> [2]
)"), {});
  const std::string text = bundle ? bundle->files.front().text : bundle.error().text();
  for (const char* part :
       {"sdfg::gpu::copy(__state->gpu, &A[0], &n[0], sdfg::gpu::Box<1>{{1}, {1}, {1}});",
        "h[0] = int64_t(sdfg::gpu::read(__state->gpu, &n[1]));",
        "sdfg::gpu::write(__state->gpu, &A[2], double(h[1]));"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

}  // namespace
}  // namespace sdfg
