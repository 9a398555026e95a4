#include <gtest/gtest.h>

#include "findings.h"

namespace sdfg {
namespace {

TEST(VerifyData, SoundContainersHaveNoFindings) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[N, 4] {strides = [1, N], total_size = 4*N}, s: int32)
  symbol N: int32
  constant k: int32 = 3
  transient v: view float64[4*N]
  transient q: stream float32[1]
  state main
)sdfg"),
            "");
}

TEST(VerifyData, NamesMustBeValidAndUnique) {
  EXPECT_EQ(findings(R"sdfg(
sdfg "1st"(N: float64[4], "x y": float64[1])
  symbol N: int32
  symbol "a b": int32
  state main
)sdfg"),
            "the SDFG's name '1st' is not valid; use letters, digits and underscores, not starting "
            "with a digit\n"
            "symbol 'N': the name is used by a container, too; rename one of the two\n"
            "symbol 'a b': the name is not valid\n"
            "data 'x y': the name is not valid; use letters, digits and underscores, not starting "
            "with a digit\n");
}

TEST(VerifyData, ConstantsShouldHaveTheTypeOfTheirNamesake) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p()
  symbol N: int32
  constant N: int64 = 3
  state main
)sdfg"),
            "constant 'N': warning: has type int64, but the symbol of that name has type int32\n");
}

TEST(VerifyData, SizesFitAndAreNotNegative) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[-4, 2] {strides = [2], offset = [0, 0, 0], total_size = 8},
       B: float64[4] {strides = [-1], total_size = -2})
  state main
)sdfg"),
            "data 'A': shape[0] must not be negative, found -4\n"
            "data 'A': has 2 dimensions but 1 stride\n"
            "data 'A': has 2 dimensions but 3 offsets\n"
            "data 'B': strides[0] must not be negative, found -1\n"
            "data 'B': total_size[0] must not be negative, found -2\n");
}

TEST(VerifyData, SizesThatReadThemselves) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(A: float64[N] {strides = [A]}, B: float64[n], n: int64)
  symbol N: int64
  transient C: float64[B]
  state main
)sdfg"),
            "data 'A': its sizes read 'A', whose own sizes read 'A'; a size may read containers of "
            "known size only\n"
            "data 'C': its sizes read 'B', whose own sizes read 'n'; a size may read containers of "
            "known size only\n");
}

TEST(VerifyData, TransientsNeedKnownSizesAndFittingStorage) {
  EXPECT_EQ(findings(R"sdfg(
sdfg p(__return: float64)
  transient A: float64[4] {storage = Register, lifetime = Persistent}
  transient r: reference float64[4] {lifetime = SDFG}
  state main
)sdfg"),
            "data '__return': a return value of the program cannot be a Scalar; use an Array of "
            "shape [1]\n"
            "data 'A': a container of lifetime Persistent cannot be stored in a Register; choose "
            "another storage\n"
            "data 'r': an ArrayReference must have lifetime Scope, found SDFG\n");
  Result<Sdfg> sdfg = parse("sdfg p()\n  transient A: float64[4]\n  state main\n");
  ASSERT_TRUE(sdfg);
  sdfg->arrays.at("A").shape = {Expr::leaf(Op::Constant, "?")};
  ASSERT_EQ(verify(*sdfg).size(), 1u);
  EXPECT_EQ(verify(*sdfg)[0].text(),
            "data 'A': shape[0] is undefined (?), but needed to allocate memory");
}

TEST(VerifyData, StructuresAreCheckedInside) {
  EXPECT_EQ(
      findings(R"sdfg(
sdfg p()
  transient s: reference structure S("set": float64[-1] {total_size = 1}) of pointer(struct(S, {"set" = pointer(float64)}, {}, 8))[1]
  data g: other "ProcessGrid" int32[2]
  state main
)sdfg"),
      "data 's' / member 'set': a structure that is referenced cannot have a member named "
      "'set'; rename the member: the connector that sets references has this name\n"
      "data 's' / member 'set': shape[0] must not be negative, found -1\n"
      "data 'g': warning: containers of kind ProcessGrid are only carried: the program cannot "
      "be run\n");
}

TEST(VerifyData, AProgramHasABlock) {
  EXPECT_EQ(findings("sdfg p()\n"), "the SDFG has no blocks; add at least one state\n");
}

}  // namespace
}  // namespace sdfg
