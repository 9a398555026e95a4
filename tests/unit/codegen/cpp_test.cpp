#include "codegen/codegen.h"

#include <gtest/gtest.h>

#include "ir/parse.h"

namespace sdfg {
namespace {

std::string generated(std::string_view text) {
  const auto program = parse(text);
  EXPECT_TRUE(program) << program.error().text();
  const auto bundle = generate_cpu(*program);
  return bundle ? bundle->files.front().text : bundle.error().text();
}

TEST(Cpp, StructuresByNamesInAnyOrder) {
  const std::string text =
      generated(R"--(sdfg best_of(A: float64[8], o: float64[1])
  transient best: struct(value_and_index, {index = int32, value = float64}, {}, 12)[1]
  state s
    n0 = access A
    n1 = access best
    n2 = access o
    n3 = tasklet pack: "__out = __DACESTRUCT_value_and_index(value=a * 2, index=3)"
    n4 = tasklet unpack: "__out = b.value + b.index"
    n0 -> n3.a: A[1]
    n3.__out -> n1: best[0]
    n1 -> n4.b: best[0]
    n4.__out -> n2: o[0]
)--");
  EXPECT_NE(text.find("best[0] = [&] { value_and_index structure_{}; structure_.value = A[1] * 2; "
                      "structure_.index = 3;\n        return structure_; }();"),
            std::string::npos)
      << text;
}

TEST(Cpp, ConditionsReadElementsOfMembers) {
  const std::string text = generated(R"--(sdfg p(A: float64[4, 3], B: float64[1])
  transient s: structure pair(x: float64[4, 3] {transient = true}) of pointer(struct(pair,
      {x = pointer(float64)}, {}, 8))[1]
  state first
    n0 = access A
    n1 = access s.x
    n0 -> n1: A[0:4, 0:3] -> [0:4, 0:3]
  conditional asked
    branch large if "s.x[2, 1] > 1"
      state second
        n0 = tasklet g: "o = 1"
        n1 = access B
        n0.o -> n1: B[0]
  first -> asked
)--");
  EXPECT_NE(text.find("if (s->x[7] > 1) {"), std::string::npos) << text;
}

// A declaration without a value says the type of a local value, and nothing new about a connector.
TEST(Cpp, DeclarationsWithoutAValueStoreNothing) {
  const std::string text = generated(R"--(sdfg declared(A: float64[8], o: float32[1])
  state s
    n0 = access A
    n1 = access o
    n2 = tasklet t: "r: dace.float32\ntwice: dace.int32\ntwice = 2 * a\nr = twice"
    n0 -> n2.a: A[1]
    n2.r -> n1: o[0]
)--");
  EXPECT_NE(text.find("int32_t twice{};"), std::string::npos) << text;
  EXPECT_EQ(text.find("nullptr;"), std::string::npos) << text;
}

// In subsets `v` is the map's parameter, in the code a local value.
TEST(Cpp, LocalsHideNoParameters) {
  const std::string text = generated(R"--(sdfg p(A: float64[20], I: int64[8], B: float64[8])
  state s
    n0 = access A
    n1 = access I
    n2 = map m (v) in [0:8]
      n3 = tasklet f: |
        | w = a[k] + 1
        | v = w * 2
        | for k in range(2):
        |     v = v + a[k]
        | o = v
    n5 = exit n2
    n6 = access B
    n0 -> n2.IN_A : A[0:20]
    n1 -> n2.IN_I : I[0:8]
    n2.OUT_A -> n3.a : A[v:v + 5]
    n2.OUT_I -> n3.k : I[7 - v]
    n3.o -> n5.IN_B : B[v]
    n5.OUT_B -> n6 : B[0:8]
)--");
  for (const char* part : {"auto v_2 = w * 2;", "const auto w = A[v + k] + 1;",
                           "v_2 = v_2 + A[v + k];"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

// Each term alone would be rounded, or be the inverse of an integer, which is 0.
TEST(Cpp, IndicesThatDivideAreOneFraction) {
  const std::string text = generated(R"--(sdfg strided(A: float64[20], B: float64[20])
  symbol START: int64
  symbol STEP: int64
  state s
    n0 = access A
    n1 = map each (i) in [START:20:STEP]
      n2 = tasklet t: "b = a + 1"
    n3 = exit n1
    n4 = access B
    n0 -> n1.IN_A: A[0:20]
    n1.OUT_A -> n2.a: A[i/2 + START/2]
    n2.b -> n3.IN_B: B[(i - START)/STEP]
    n3.OUT_B -> n4: B[0:20]
)--");
  EXPECT_NE(text.find("B[(i - START) / STEP] = A[(START + i) / 2] + 1;"), std::string::npos)
      << text;
}

// DaCe's loader asks for Default where its SDFG leaves the storage open, or for what it filled in.
TEST(Cpp, WorkspacesOfOpenStorage) {
  const std::string text = generated(R"--(sdfg workspaces(A: float64[8], B: float64[8])
  transient v: float64[8] {storage = CPU_Heap, lifetime = External}
  transient w: float64[4] {lifetime = External}
  state s
    n0 = access A
    n1 = access v
    n2 = access w
    n3 = access B
    n0 -> n1 : A[0:8]
    n1 -> n2 : v[0:4]
    n2 -> n3 : w[0:4]
)--");
  const auto body = [&](const std::string& name) {
    const std::size_t entry = text.find("__dace_set_external_memory_" + name + "(");
    EXPECT_NE(entry, text.npos) << text;
    const std::size_t from = text.rfind("static void", entry);
    return text.substr(from, entry - from);
  };
  EXPECT_EQ(body("Default").find("__state->__0_v = "), std::string::npos) << text;
  EXPECT_NE(body("Default").find("__state->__0_w = "), std::string::npos) << text;
  EXPECT_NE(body("CPU_Heap").find("__state->__0_v = "), std::string::npos) << text;
  EXPECT_NE(body("CPU_Heap").find("__state->__0_w = "), std::string::npos) << text;
}

TEST(Cpp, ConstantsOfSeveralDimensions) {
  const std::string text = generated(R"--(sdfg weighted(A: float64[3], B: float64[1])
  constant kernel: float64[2, 3] = {"type": "ndarray", "data": [[1, 2, 3], [4, 5, 6]]}
  state s
    n0 = access A
    n1 = tasklet t: "b = kernel[1, 2] * a[0] + kernel[0, 1] * a[1]"
    n2 = access B
    n0 -> n1.a: A[0:3]
    n1.b -> n2: B[0]
)--");
  EXPECT_NE(text.find("B[0] = kernel[3 * 1 + 2] * A[0] + kernel[1] * A[1];"), std::string::npos)
      << text;
}

// Functions of the caller get the address of an array of one element, as DaCe's do.
TEST(Cpp, CallbacksTakeAddresses) {
  const std::string text = generated(R"--(sdfg asks(A: float64[4], B: float64[4])
  symbol twice: callback([
      {"type": "Array", "attributes": {"dtype": "float64", "shape": ["1"]}}], [
      {"type": "Array", "attributes": {"dtype": "float64", "shape": ["1"]}}])
  state s
    n0 = access A
    n1 = tasklet t in (a: pointer(float64)) out (b: pointer(float64)): "twice(a, b)" {
        side_effects = true}
    n2 = access B
    n0 -> n1.a: A[0]
    n1.b -> n2: B[2]
)--");
  EXPECT_NE(text.find("twice(A, B + 2);"), std::string::npos) << text;
}

TEST(Cpp, ArraysAreNotAssignedAsAWhole) {
  EXPECT_EQ(generated(R"--(sdfg whole(A: float64[4], B: float64[4])
  state s
    n0 = access A
    n1 = tasklet t: "b = a"
    n2 = access B
    n0 -> n1.a: A[0:4]
    n1.b -> n2: B[0:4]
)--"),
            "state s / node 1 (tasklet t): 'b' is assigned as a whole, but is an array");
}

TEST(Cpp, TaskletsSetNoReferences) {
  EXPECT_EQ(generated(R"--(sdfg sets(A: float64[20], B: float64[19])
  transient ref: reference float64[19]
  state s
    n0 = tasklet ptrset in (a: pointer(float64)): "o = a + 1"
    n1 = access A
    n2 = access ref
    n3 = access B
    n1 -> n0.a: A[0:20]
    n0.o -> n2."set": ref[0:19]
    n2 -> n3: ref[0:19]
)--"),
            "state s / edge n0.o -> n2.set: a tasklet cannot set the reference 'ref'; set it with "
            "an edge from the container that it shows");
}

// An element of an array of containers is the address of what a view of it shows.
TEST(Cpp, ViewsOfArraysOfContainers) {
  const std::string text = generated(R"--(sdfg jagged(
    A: container_array pointer(pointer(float64))[K] of (
        container_array pointer(float64)[M] of (float64[N])),
    B: float64[1])
  symbol K: int32
  symbol M: int32
  symbol N: int32
  transient v: view container_array pointer(float64)[M] of (float64[N])
  transient vv: view float64[N]
  state s
    n0 = access A
    n1 = access v
    n2 = access vv
    n3 = access B
    n2 -> n3: vv[3]
    n0 -> n1.views: A[1]
    n1 -> n2.views: v[2]
)--");
  EXPECT_NE(text.find("double** const v = A[1];"), std::string::npos) << text;
  EXPECT_NE(text.find("double* const vv = v[2];"), std::string::npos) << text;
}

TEST(Cpp, FunctionsOfNumPy) {
  const std::string text = generated(R"--(sdfg functions(
    A: float64[1], B: float64[1], C: float64[3])
  state s
    n0 = access A
    n1 = access B
    n2 = tasklet t: |
      | py_divmod(a, b, c[0], c[1])
      | np_modf(a, c[0], c[1])
      | np_frexp(b, c[0], c[1])
      | c[2] = np_float_pow(a, b)
      | c[0] = Modulo_float(a, b) + Mod_float(a, b)
    n3 = access C
    n0 -> n2.a: A[0]
    n1 -> n2.b: B[0]
    n2.c -> n3: C[0:3]
)--");
  EXPECT_NE(text.find("C[0] = sdfg::py_floor(a, b);\n      C[1] = sdfg::py_mod(a, b);\n"
                      "      C[0] = sdfg::trunc(a);\n      C[1] = sdfg::modf_fraction(a);\n"
                      "      C[0] = sdfg::frexp_mantissa(b);\n      C[1] = sdfg::frexp(b);\n"
                      "      C[2] = sdfg::float_pow(a, b);\n"
                      "      C[0] = sdfg::py_mod(a, b) + sdfg::fmod(a, b);"),
            std::string::npos)
      << text;
}

// As in DaCe, blocks side by side may give a name values of two types; what is read behind the
// block of its first assignment is there before.
TEST(Cpp, LocalsLiveInTheirBlocks) {
  const std::string text = generated(R"--(sdfg blocks(A: int32[1], B: float64[2])
  state s
    n0 = access A
    n1 = tasklet t: |
      | if a > 0:
      |     y = 1
      |     b[0] = y / 2
      |     z = 4000000000
      | else:
      |     y = 2.5
      |     b[0] = y / 2
      | b[1] = z
    n2 = access B
    n0 -> n1.a: A[0]
    n1.b -> n2: B[0:2]
)--");
  for (const char* part : {"auto y = 1;", "auto y = 2.5;",
                           "decltype(sdfg::as_value(4000000000u)) z{};", "z = 4000000000u;"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Cpp, ConversionsAndPowersOfGt4pyCartesian) {
  const std::string text = generated(
      "sdfg powers(A: float64[1], B: float64[1])\n"
      "  state s\n    n0 = access A\n    n1 = access B\n"
      "    n2 = tasklet t: \"b = dace.math.ipow(a, int64_t(2)) + uint8_t(3)\"\n"
      "    n0 -> n2.a : A[0]\n    n2.b -> n1 : B[0]\n");
  EXPECT_NE(text.find("B[0] = sdfg::ipow(A[0], int64_t(2)) + uint8_t(3);"), std::string::npos)
      << text;
}

// Of literals, those that DaCe makes a number of.
TEST(Cpp, ExponentsThatAreQuotients) {
  const std::string text = generated(
      "sdfg quotients(A: float64[1], B: float64[1])\n"
      "  state s\n    n0 = access A\n    n1 = access B\n"
      "    n2 = tasklet t: \"b = a ** (1 / 2) + a ** (3 / 2) + a ** (1 / 3)\"\n"
      "    n0 -> n2.a : A[0]\n    n2.b -> n1 : B[0]\n");
  EXPECT_NE(text.find("B[0] = sdfg::square_root(A[0]) + sdfg::pow(A[0], 1.5) + "
                      "sdfg::pow(A[0], 1 / 3);"),
            std::string::npos)
      << text;
}

// Where the sizes fit as they are, dimensions of one element are rows and columns, too.
TEST(Cpp, BatchesOfProductsOfVectors) {
  const std::string text = generated(R"--(sdfg p(
    A: float64[3, 1, 5], B: float64[3, 5, 1], C: float64[3, 1, 1])
  state s
    n0 = access A
    n1 = access B
    n2 = access C
    n3 = library dace.libraries.blas.nodes.matmul.MatMul dots {name = "dots"}
    n0 -> n3._a : A[0:3, 0, 0:5]
    n1 -> n3._b : B[0:3, 0:5, 0]
    n3._c -> n2 : C[0:3, 0, 0]
)--");
  EXPECT_NE(text.find("for (int64_t b0 = 0; b0 < 3; ++b0) {\n"
                      "      sdfg::gemm<true>(sdfg::Matrix<double>{A + 5 * b0, 1, 5, 5, 1},"),
            std::string::npos)
      << text;
}

TEST(Cpp, ConstantsThatOnlyUint64Holds) {
  const std::string text = generated(
      "sdfg hash(A: uint64[1], B: uint64[1])\n"
      "  symbol s: uint64\n"
      "  state first\n    n0 = access A\n    n1 = access B\n"
      "    n2 = tasklet t: \"b = (a ^ s) * 0x9E3779B97F4A7C15\"\n"
      "    n0 -> n2.a : A[0]\n    n2.b -> n1 : B[0]\n"
      "  state second\n"
      "  first -> second set s = s * 14695981039346656037\n");
  EXPECT_NE(text.find("B[0] = (A[0] ^ s) * UINT64_C(11400714819323198485);"), std::string::npos)
      << text;
  EXPECT_NE(text.find("s = s * UINT64_C(14695981039346656037);"), std::string::npos) << text;
}

// As DaCe's Vectorization leaves them: vectors at tasklets, numbers in containers.
TEST(Cpp, VectorsOfElements) {
  const std::string text = generated(R"--(sdfg vectors(A: float32[8], B: float32[8])
  state s
    n0 = access A
    n1 = tasklet t in (a: vector(float32, "4")) out (b: vector(float32, "4")): "b = a * 2"
    n2 = access B
    n0 -> n1.a: A[4:8]
    n1.b -> n2: B[0:4]
)--");
  EXPECT_NE(text.find("sdfg::store_vector<sdfg::vec<float, 4>>(B, "
                      "sdfg::load_vector<sdfg::vec<float, 4>>(A + 4) * 2);"),
            std::string::npos)
      << text;
}

// NumPy's arange and linspace, as DaCe's front end spells them.
TEST(Cpp, AValueAsWhatAnotherOneIs) {
  const std::string text = generated(R"--(sdfg arange(o: int64[8])
  state s
    n0 = map m (i) in [0:8]
      n1 = tasklet t: "__out = (decltype(__out)(0) + (i * decltype(__out)(2)))"
    n2 = exit n0
    n3 = access o
    n0 -> n1
    n1.__out -> n2.IN_o : o[i]
    n2.OUT_o -> n3 : o[0:8]
)--");
  EXPECT_NE(text.find("o[i] = sdfg::like(o[i], 0) + i * sdfg::like(o[i], 2);"), std::string::npos)
      << text;
}

// DaCe's math.f has one type for its arguments and its result.
TEST(Cpp, FunctionsOfTwoIntegersGiveAnInteger) {
  const std::string text = generated(R"--(sdfg angle(I: int64[2], A: float64[2])
  state s
    n0 = access I
    n1 = tasklet t: "o = math.atan2(x, y)"
    n2 = access A
    n3 = tasklet t: "o = atan2(x, y)"
    n0 -> n1.x : I[0]
    n0 -> n1.y : I[1]
    n1.o -> n2 : A[0]
    n0 -> n3.x : I[0]
    n0 -> n3.y : I[1]
    n3.o -> n2 : A[1]
)--");
  EXPECT_NE(text.find("A[0] = sdfg::like(I[0] + I[1], sdfg::atan2(I[0], I[1]));"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("A[1] = sdfg::atan2(I[0], I[1]);"), std::string::npos) << text;
}

// DFT, as DaCe's FFT nodes expand.
TEST(Cpp, AComplexNumberAsWhatAnotherOneIs) {
  const std::string text = generated(R"--(sdfg dft(o: complex64[1], x: float32)
  state s
    n0 = access x
    n1 = tasklet t: "b = decltype(b)(math.cos(v), -math.sin(v)) * v"
    n2 = access o
    n0 -> n1.v : x[0]
    n1.b -> n2 : o[0]
)--");
  EXPECT_NE(text.find("sdfg::like(o[0], sdfg::complex128(sdfg::cos(x), -sdfg::sin(x))) * x"),
            std::string::npos)
      << text;
}

// DaCe's LoopToMap calls the connectors for bounds like the scalars that they come from.
TEST(Cpp, BoundsCalledLikeContainers) {
  const std::string text = generated(R"--(sdfg bounds(A: float64[N], lo: int32, hi: int32)
  symbol N: int64
  state s
    n0 = access lo
    n1 = access hi
    n2 = map swapped (i) in [lo:hi] in (lo: int32, hi: int32)
      n3 = tasklet t: "o = 1.0"
    n4 = exit n2
    n5 = access A
    n0 -> n2.hi : lo[0]
    n1 -> n2.lo : hi[0]
    n2 -> n3
    n3.o -> n4.IN_A : A[i]
    n4.OUT_A -> n5 : A[0:N]
  state t
    n0 = access lo
    n1 = map same (i) in [lo:N] in (lo: int32)
      n2 = tasklet t: "o = 2.0"
    n3 = exit n1
    n4 = access A
    n0 -> n1.lo : lo[0]
    n1 -> n2
    n2.o -> n3.IN_A : A[i]
    n3.OUT_A -> n4 : A[0:N]
  s -> t
)--");
  EXPECT_NE(text.find("const int64_t lo_outer = hi;\n"
                      "      [[maybe_unused]] const int64_t hi = lo;\n"
                      "      [[maybe_unused]] const int64_t lo = lo_outer;\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("const int64_t lo_outer_2 = lo;\n"
                      "      [[maybe_unused]] const int64_t lo = lo_outer_2;\n"),
            std::string::npos)
      << text;
}

// What GT4Py lowers a sum over neighbours to, some of which are missing.
TEST(Cpp, ASumLeavesOutMissingNeighbors) {
  const std::string text = generated(R"--(sdfg sums(V: float64[E], T: int32[9, 3], B: float64[9])
  symbol E: int64
  transient v: float64[3]
  state s
    n0 = access V
    n1 = access T
    n2 = map m (i) in [0:9]
      n3 = map gather (k) in [0:3]
        n4 = tasklet t: "__out = v[n if n != -1 else 0]"
      n5 = exit n3
      n6 = access v
      n7 = library gt4py.next.program_processors.runners.dace.library_nodes.)--"
                R"--(reduce_with_skip_values.ReduceWithSkipValues sum {
          name = "sum", extras = {wcr = "(lambda x, y: (x + y))", identity = "0.0", init = "1.0",
          input_conn = "_in", mask_conn = "_mask", output_conn = "_out"}}
    n8 = exit n2
    n9 = access B
    n0 -> n2.IN_V : V[0:E]
    n1 -> n2.IN_T : T[0:9, 0:3]
    n2.OUT_V -> n3.IN_V : V[0:E]
    n2.OUT_T -> n3.IN_T : T[i, 0:3]
    n3.OUT_V -> n4.v : V[0:E]
    n3.OUT_T -> n4.n : T[i, k]
    n4.__out -> n5.IN_v : v[k]
    n5.OUT_v -> n6 : v[0:3]
    n6 -> n7._in : v[0:3]
    n2.OUT_T -> n7._mask : T[i, 0:3]
    n7._out -> n8.IN_B : B[i]
    n8.OUT_B -> n9 : B[0:9]
)--");
  for (const char* part : {"double result = double(1.0);", "for (int64_t i0 = 0; i0 < 3; ++i0)",
                           "!= -1) sdfg::update(&result, double((v)[i0]), sdfg::Sum", "= result;"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

// A program may call its symbols and containers as the generator calls its loops and pointers.
TEST(Cpp, NamesOfCopiesAndReductionsAreFree) {
  const std::string text =
      generated(R"--(sdfg names(result: float64[N, M], sums: float64[N, M], i1: float64[N, M, i0])
  symbol N: int64
  symbol M: int64
  symbol i0: int64
  state main
    n0 = access i1
    n1 = access result
    n0 -> n1 : i1[0:N - i0, 0:M - i0, i0 - 1] -> [i0:N, i0:M]
    n2 = access i1
    n3 = library dace.libraries.standard.nodes.reduce.Reduce sum {name = "Reduce",
        extras = {axes = raw "[2]", identity = "0", wcr = "(lambda a, b: (a + b))"}}
    n4 = access sums
    n2 -> n3 : i1[0:N, 0:M, 0:i0]
    n3 -> n4 : sums[0:N, 0:M]
)--");
  for (const char* part :
       {"for (int64_t i1_2 = 0;", "for (int64_t i0_2 = 0; i0_2 < N - i0; ++i0_2)",
        "double result_2 = double(0);", "for (int64_t i0_2 = 0; i0_2 < i0; ++i0_2)"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

// What a tasklet reads from a stream is one element, however often the code names it.
TEST(Cpp, AStreamIsPoppedOnce) {
  const std::string text = generated(R"--(sdfg pops(A: float64[4], B: float64[4])
  transient q: stream float64[1]
  state push
    n0 = access A
    n1 = access q
    n0 -> n1 : A[0:4:3] -> [0]
  state pop
    n0 = access q
    n1 = tasklet t: "o = x if x > 0 else -x"
    n2 = access B
    n0 -> n1.x : q[0]
    n1.o -> n2 : B[0]
  state row
    n0 = access q
    n1 = access B
    n0 -> n1 : q[0] -> [1:4:2] {volume = 2}
  push -> pop
  pop -> row
)--");
  EXPECT_NE(text.find("double x = q.pop();"), std::string::npos) << text;
  EXPECT_NE(text.find("o = x > 0 ? x : -x;"), std::string::npos) << text;
  EXPECT_NE(text.find("sdfg::Odometer<1> place{{2}, {3}};\n"
                      "      for (; place.more(); place.next()) {\n"
                      "        q.push((A)[place.at]);"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("for (double value; place.more() && q.try_pop(value); place.next()) {\n"
                      "        (B + 1)[place.at] = value;"),
            std::string::npos)
      << text;
}

// How many elements of the array there are to push is known at run time only.
TEST(Cpp, WhatAStreamHasFilledIsNotPushed) {
  EXPECT_EQ(generated(R"--(sdfg fills(A: float64[10], N: int64)
  transient local: stream float64[1]
  transient all: stream float64[1]
  transient few: float64[4]
  state main
    n0 = map par (i) in [0:10]
      n1 = tasklet t: "o = i"
      n2 = access local
      n3 = access few
    n4 = exit n0
    n5 = access all
    n6 = access A
    n0 -> n1
    n1.o -> n2 : local[0]
    n2 -> n3 : local[0] -> [0:4]
    n3 -> n4.IN_all : few[0:4] -> [0]
    n4.OUT_all -> n5 : all[0]
    n5 -> n6 : all[0] -> [0:10]
)--"),
            "state main / edge n3 -> n4.IN_all: 'few' is pushed as far as the stream 'local' has "
            "filled it, which generated code does not count; copy one stream to the other");
}

// It is no argument of the program either, so nothing outside may be asked for it.
TEST(Cpp, ASymbolThatIsAssignedInsideFirstIsNotPassed) {
  const std::string text = generated(R"--(sdfg outside(A: float64[4])
  symbol N: int64
  state s
    n0 = access A
    n1 = nested_sdfg inner with (k = N)
      sdfg inner(a: float64)
        symbol k: int64
        loop twice (k) from "k = 0" while "k < 2" next "k = k + 1"
          state body
            n0 = access a
            n1 = tasklet t: "o = x + k"
            n2 = access a
            n0 -> n1.x : a[0]
            n1.o -> n2 : a[0]
    n2 = access A
    n0 -> n1.a : A[0]
    n1.a -> n2 : A[0]
)--");
  EXPECT_NE(text.find("inner(A[0]);"), std::string::npos) << text;
  EXPECT_EQ(text.find("int64_t N"), std::string::npos) << text;
}

// Nor is one that a map's parameter hides wherever it would be read.
TEST(Cpp, ASymbolThatScopesHideIsNotPassed) {
  const std::string text = generated(R"--(sdfg outer(A: int64[4])
  symbol M: int64
  state s
    n0 = nested_sdfg inner with (M)
      sdfg inner(x: int64[4])
        symbol M: int64
        state t
          n0 = map part (M) in [0:4]
            n1 = tasklet f: "o = M"
          n2 = exit n0
          n3 = access x
          n0 -> n1
          n1.o -> n2.IN_x : x[M]
          n2.OUT_x -> n3 : x[0:4]
    n1 = access A
    n0.x -> n1 : A[0:4]
)--");
  EXPECT_NE(text.find("inner(A);"), std::string::npos) << text;
}

// A popped element goes into maps, copies and nested SDFGs; of several queues, the one named.
TEST(Cpp, WhatIsConsumedGoesAnywhere) {
  const std::string text = generated(R"--(sdfg places(A: int64[4], R: int64[1])
  transient q: stream int64[2]
  transient e: int64
  state main
    n0 = access q
    n2 = consume c (p) {num_pes = 2, condition = "R[0] > 3"}
      n3 = map each (j) in [0:2]
        n4 = tasklet at: "o[k] = j"
      n5 = exit n3
      n6 = access e
      n7 = nested_sdfg inner
        sdfg inner(x: int64, y: int64, z: int64)
          state s
            n0 = access x
            n1 = access y
            n2 = tasklet t: "o = a + b"
            n3 = access z
            n0 -> n2.a : x[0]
            n1 -> n2.b : y[0]
            n2.o -> n3 : z[0]
    n8 = consume_exit n2
    n9 = access A
    n10 = access R
    n0 -> n2.IN_stream : q[1] {volume = 0, dynamic = true}
    n2.OUT_stream -> n3.IN_k : q[1]
    n3.OUT_k -> n4.k : q[1]
    n4.o -> n5.IN_A : A[0:4] {volume = 0, dynamic = true}
    n5.OUT_A -> n8.IN_A : A[0:4] {volume = 0, dynamic = true}
    n8.OUT_A -> n9 : A[0:4] {volume = 0, dynamic = true}
    n2.OUT_stream -> n6 : q[1] -> [0]
    n2.OUT_stream -> n7.x : q[1]
    n6 -> n7.y : e[0]
    n7.z -> n8.IN_R : R[0]
    n8.OUT_R -> n10 : R[0]
)--");
  EXPECT_NE(text.find("if (R[0] > 3) break;\n        int64_t q_element[1]{};\n"
                      "        const int64_t q_count = q[1].pop(q_element, 1);"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("int64_t k = q_element[0];"), std::string::npos) << text;
  EXPECT_NE(text.find("e = q_element[0];"), std::string::npos) << text;
  EXPECT_NE(text.find("inner(q_element[0], e, R[0]);"), std::string::npos) << text;
}

// DaCe's code does the first only; what a text says is done here.
TEST(Cpp, ALoopDoesAllItsAssignments) {
  const std::string text = generated(R"--(sdfg walk(A: float64[8], B: float64[8])
  symbol j: int64
  loop down (k) from "k = 0\nj = 7" while "k < 7" next "k = k + 1\nj = k - 1"
    state body
      n0 = access A
      n1 = access B
      n0 -> n1 : A[j] -> [k]
)--");
  EXPECT_NE(text.find("for (k = 0, j = 7; k < 7; k = k + 1, j = k - 1)"), text.npos) << text;
}

}  // namespace
}  // namespace sdfg
