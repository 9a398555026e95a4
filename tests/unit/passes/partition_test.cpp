#include "passes/split/partition.h"

#include <gtest/gtest.h>

#include <set>

namespace sdfg {
namespace {

Subset box(std::string_view text) { return *parse_subset(text); }

using Values = ByName<std::int64_t>;
using Points = std::multiset<std::pair<std::int64_t, std::int64_t>>;

/// The points of a two-dimensional box for some values of its symbols.
Points points(const Subset& s, const Values& values) {
  Points out;
  const auto at = [&](const Expr& e) { return *evaluate(e, values); };
  for (std::int64_t i = at(s[0].begin); i <= at(s[0].end); ++i)
    for (std::int64_t j = at(s[1].begin); j <= at(s[1].end); ++j) out.emplace(i, j);
  return out;
}

/// All that the pieces hold, so that a point in two of them counts twice.
Points points(const Cut& cut, const Values& values) {
  Points out;
  if (cut.inside) out.merge(points(*cut.inside, values));
  for (const Subset& piece : cut.outside) out.merge(points(piece, values));
  return out;
}

TEST(Partition, PiecesAreTheBoxForAllValuesOfSymbols) {
  const Subset boxes[] = {box("0:4, 0:3"), box("0:M, 1:N"), box("M:N, 0:4"), box("1:M, 2:5"),
                          box("N:6, M:M + 3"), box("-2:N, 0:M")};
  for (const Subset& a : boxes)
    for (const Subset& b : boxes)
      for (const Undecided undecided : {Undecided::Refuse, Undecided::Clamp}) {
        const auto parts = cut(a, b, {}, undecided);
        if (!parts) {
          EXPECT_EQ(undecided, Undecided::Refuse);
          continue;
        }
        for (std::int64_t m = -2; m < 6; ++m)
          for (std::int64_t n = -2; n < 6; ++n) {
            const Values values{{"M", m}, {"N", n}};
            EXPECT_EQ(points(*parts, values), points(a, values))
                << to_text(a) << " by " << to_text(b) << ", M = " << m << ", N = " << n;
            if (!parts->inside) continue;
            const Points other = points(b, values);
            for (const auto& point : points(*parts->inside, values))
              EXPECT_TRUE(other.contains(point)) << to_text(a) << " by " << to_text(b);
          }
      }
}

TEST(Partition, CutsInTheOrderOfTheBorders) {
  const auto parts = cut(box("0:10, 0:4"), box("3:5, 1:9"), {});
  ASSERT_TRUE(parts && parts->inside);
  EXPECT_EQ(to_text(*parts->inside), "3:5, 1:4");
  ASSERT_EQ(parts->outside.size(), 3u);
  EXPECT_EQ(to_text(parts->outside[0]), "0:3, 0:4");
  EXPECT_EQ(to_text(parts->outside[1]), "5:10, 0:4");
  EXPECT_EQ(to_text(parts->outside[2]), "3:5, 0");
  EXPECT_FALSE(cut(box("0:10:2, 0:4"), box("3:5, 1:9"), {}));
  EXPECT_FALSE(cut(box("0:M, 0:4"), box("1:N, 0:4"), {}));
}

TEST(Partition, JoinsWhatTouchesWhateverTheOrder) {
  std::vector<Subset> boxes{box("0:2, 0:2"), box("2:5, 0:2"), box("0:5, 2:4"), box("7:9, 0:4"),
                            box("5:7, 0:4"), box("12:13, 0:4")};
  for (int i = 0; i < 6; ++i) {
    std::rotate(boxes.begin(), boxes.begin() + 1, boxes.end());
    const auto merged = merge_adjacent(boxes);
    ASSERT_EQ(merged.size(), 2u);
    EXPECT_EQ(to_text(merged[0]), "0:9, 0:4");
    EXPECT_EQ(to_text(merged[1]), "12, 0:4");
  }
  // Where the first may end far before it begins, the two together are no box.
  EXPECT_EQ(merge_adjacent({box("M:N, 0"), box("N:9, 0")}).size(), 2u);
}

TEST(Partition, IndexFindsWhatMayShareAPoint) {
  std::vector<Subset> boxes;
  for (int i = 0; i < 50; ++i)
    boxes.push_back({{{Expr::symbol("N") + 3 * i, Expr::symbol("N") + 3 * i + 4}, {0, 1}}});
  boxes.push_back(box("M, 0:2"));
  const Assumptions none;
  BoxIndex index(boxes, none);
  EXPECT_EQ(index.may_intersect(box("N + 6, 0:1")), (std::vector<std::size_t>{1, 2, 50}));
  EXPECT_EQ(index.may_intersect(box("M, 0")).size(), 51u);
  EXPECT_TRUE(index.may_intersect(box("N + 6, 2")).empty());
}

TEST(Partition, BoxesAreApartInOneDimensionOrInAllTogether) {
  const Assumptions none;
  Apart apart(none);
  EXPECT_TRUE(apart(box("0:N, 0:K"), box("N:M, 0:K")));
  EXPECT_TRUE(apart(box("N:M, 0:L"), box("0:N, 0:K")));  // the same ranges again, exchanged
  EXPECT_FALSE(apart(box("0:N, 0:K"), box("N - 1:M, 0:K")));
  EXPECT_FALSE(apart(box("0:K, 0:5"), box("4:9, 4:9")));
  // The first dimension meets for K above 4, the second one for K below 1.
  EXPECT_TRUE(apart(box("0:K, 0:5 - K"), box("4:9, 4:9")));
}

}  // namespace
}  // namespace sdfg
