#include "tools/common/generate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "tools/common/random.h"

namespace sdfg {
namespace {

std::size_t count_nodes(const Sdfg& sdfg) {
  std::size_t nodes = 0;
  for_each_sdfg(sdfg, [&](const Sdfg& s) { for_each_node(s, [&](const Node&) { ++nodes; }); });
  return nodes;
}

std::string findings(const Sdfg& sdfg) {
  std::string all;
  for (const Diagnostic& d : verify(sdfg))
    if (d.severity == Severity::Error) all += d.text() + "\n";
  return all;
}

class Generate : public testing::TestWithParam<std::size_t> {
 protected:
  Shape shape() const { return Shape(GetParam()); }
};

TEST_P(Generate, GivesValidSdfgsOfTheSizeAskedFor) {
  for (const std::size_t size : {1, 50, 1000}) {
    const Sdfg sdfg = generate({shape(), size, 1});
    EXPECT_EQ(findings(sdfg), "");
    if (size < 1000) continue;
    EXPECT_GT(count_nodes(sdfg), size * 8 / 10);
    EXPECT_LE(count_nodes(sdfg), size * 12 / 10);
  }
}

TEST_P(Generate, IsDeterministicAndReadsBack) {
  const Sdfg sdfg = generate({shape(), 300, 5});
  const std::string text = print(sdfg);
  EXPECT_EQ(print(generate({shape(), 300, 5})), text);
  const Result<Sdfg> again = parse(text);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(*again == sdfg);
}

TEST_P(Generate, HasDataForEveryArgument) {
  const Sdfg sdfg = generate({shape(), 100, 3});
  const Result<NamedArrays> data = generate_data(sdfg, 3);
  ASSERT_TRUE(data) << data.error().text();
  for (const auto& [name, descriptor] : sdfg.arrays)
    EXPECT_EQ(data->contains(name), !descriptor.transient) << name;
  EXPECT_TRUE(data->contains("N"));
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Generate, testing::Range<std::size_t>(0, shape_names.size()),
                         [](const auto& kind) {
                           std::string name(shape_names[kind.param]);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(GenerateMixed, ManySeedsAreValid) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Sdfg sdfg = generate({Shape::Mixed, 80, seed});
    EXPECT_EQ(findings(sdfg), "") << "seed " << seed;
  }
}

TEST(GenerateMixed, UsesEveryConstruct) {
  std::string text;
  for (std::uint64_t seed = 1; seed <= 30; ++seed)
    text += print(generate({Shape::Mixed, 200, seed}));
  for (const char* part : {"nested_sdfg", "loop ", "inverted = true", "conditional ", " if \"",
                           "break ", "Reduce", "wcr = ", "offset = [", "strides = [1, ", "[0:end]",
                           " set s", "index[", "-1:", "access t0_", "while "})
    EXPECT_NE(text.find(part), text.npos) << part;
}

TEST(Random, IsTheSameEverywhere) {
  Random random(42);
  EXPECT_EQ(random.next(), 13679457532755275413ull);
  EXPECT_EQ(random.next(), 2949826092126892291ull);
}

}  // namespace
}  // namespace sdfg
