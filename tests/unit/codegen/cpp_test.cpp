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
    n3 = tasklet pack: "__out = value_and_index(value=a * 2, index=3)"
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

}  // namespace
}  // namespace sdfg
