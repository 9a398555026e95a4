#include "ir/subset.h"

#include <gtest/gtest.h>

#include "tests/unit/ir/print_expr.h"

namespace sdfg {
namespace {

Subset box(std::string_view text) {
  auto s = parse_subset(text);
  EXPECT_TRUE(s) << text << ": " << (s ? "" : s.error().text());
  return s ? *s : Subset();
}
Expr expr(std::string_view text) {
  auto e = parse_symbolic(text, Dialect::Plain);
  EXPECT_TRUE(e) << text;
  return e ? *e : Expr();
}
/// "N >= 1, i < N" as facts; "i in 0:N" as bounds.
Assumptions given(const std::vector<std::string>& lines) {
  Assumptions out;
  for (const std::string& line : lines) {
    if (const std::size_t in = line.find(" in "); in != std::string::npos) {
      const Range r = *parse_range(line.substr(in + 4));
      out.assume(line.substr(0, in), r.begin, r.end);
    } else if (const std::size_t least = line.find(" >= "); least != std::string::npos) {
      out.assume(line.substr(0, least), expr(line.substr(least + 4)), {});
    } else {
      out.add_fact(expr(line));
    }
  }
  return out;
}
std::string text(const std::vector<std::optional<Range>>& ranges) {
  std::string out;
  for (const auto& r : ranges)
    out += (out.empty() ? "" : ", ") + (r ? to_text(*r) : std::string("?"));
  return out;
}

TEST(Subset, text_has_exclusive_ends) {
  for (const char* t : {"0:N, i, 2:8:2", "i:i + 1:1:4", "", "0:Max(M, N), -1"})
    EXPECT_EQ(to_text(box(t)), t);
  EXPECT_EQ(parse_subset("0:N, 3:").error().text(),
            "column 8: expected an expression, found the end of the text");
  EXPECT_EQ(box("0:N")[0].end, expr("N - 1"));
}

TEST(Subset, sizes) {
  EXPECT_EQ(num_elements(box("0:N, 2:M")), expr("N*(M - 2)"));
  EXPECT_EQ(box("0:N:4")[0].size(), expr("int_ceil(N, 4)"));
  EXPECT_EQ(box("0:7:2")[0].size(), Expr(4));
  EXPECT_EQ(box("0:8:4:2")[0].size(), Expr(4));
  EXPECT_EQ((Range{9, 0, -1}.size()), Expr(10));
  EXPECT_EQ(num_elements(Subset{}), Expr(1));
}

TEST(Subset, covers) {
  EXPECT_EQ(covers(box("0:N"), box("i"), given({"i in 0:N"})), Truth::Yes);
  EXPECT_EQ(covers(box("0:N"), box("i")), Truth::Unknown);
  EXPECT_EQ(covers(box("0:N"), box("1:N - 1")), Truth::Yes);
  EXPECT_EQ(covers(box("0:N"), box("N")), Truth::No);
  EXPECT_EQ(covers(box("0:N:2"), box("0:N"), given({"N >= 2"})), Truth::No);
  EXPECT_EQ(covers(box("0:N:2"), box("0:N:4")), Truth::Yes);
  EXPECT_EQ(covers(box("0:N"), box("0:Min(M, N)")), Truth::Yes);
  EXPECT_EQ(covers(box("0:N, 0:M"), box("i, j"), given({"i in 0:N", "j in 0:M"})), Truth::Yes);
  EXPECT_EQ(covers(box("0:N"), box("0:M"), given({"M <= N"})), Truth::Yes);
  // What the optimistic rule of DaCe accepts is not known here.
  EXPECT_EQ(covers(box("5:N"), box("i:N")), Truth::Unknown);
  EXPECT_EQ(covers(box("0:N"), box("0:100")), Truth::Unknown);
  EXPECT_EQ(covers(box("0:Min(N, 4)"), box("0:4")), Truth::Unknown);
  // An empty set is covered by everything.
  EXPECT_EQ(covers(box("0"), box("5:5")), Truth::Yes);
  EXPECT_EQ(covers(box("0:N"), box("0, 0")), Truth::Unknown);
}

TEST(Subset, lieApart) {
  EXPECT_TRUE(lie_apart(box("3, 0:N"), box("4, 0:N")));
  EXPECT_TRUE(lie_apart(box("i, 5:10"), box("j, -2:5")));
  EXPECT_FALSE(lie_apart(box("5:10"), box("9:12")));
  EXPECT_FALSE(lie_apart(box("0:N"), box("N:M")));
  EXPECT_FALSE(lie_apart(box("0:4:4:8"), box("6")));  // a tile reaches beyond the end
  EXPECT_FALSE(lie_apart(box("5:-1:-1"), box("3")));  // from 5 down to 0
}
TEST(Subset, intersects) {
  EXPECT_EQ(intersects(box("0:4:4:8"), box("6")), Truth::Yes);
  EXPECT_EQ(intersects(box("i"), box("i + 1")), Truth::No);
  EXPECT_EQ(intersects(box("i"), box("j")), Truth::Unknown);
  EXPECT_EQ(intersects(box("0:N"), box("N:M")), Truth::No);
  EXPECT_EQ(intersects(box("0:N"), box("i"), given({"i in 0:N"})), Truth::Yes);
  EXPECT_EQ(intersects(box("0:N:2"), box("1:N:2")), Truth::No);
  EXPECT_EQ(intersects(box("0:N"), box("1:N:2")), Truth::Unknown);
  EXPECT_EQ(intersects(box("0:N"), box("1:N:2"), given({"N >= 2"})), Truth::Yes);
  EXPECT_EQ(intersects(box("0:N"), box("1:N:2"), given({"N <= 1"})), Truth::No);
  EXPECT_EQ(intersects(box("2*i"), box("2*j + 1")), Truth::No);
  EXPECT_EQ(intersects(box("i, i"), box("j, j + 1")), Truth::No);
  EXPECT_EQ(intersects(box("0:4, 3"), box("2:9, 3")), Truth::Yes);
  // The last block of two, from 8 on, has a point behind the last start.
  EXPECT_EQ(intersects(box("0:9:4:2"), box("9")), Truth::Yes);
}

TEST(Subset, same_points_whatever_the_spelling) {
  EXPECT_EQ(same_points(box("0:8:2"), box("0:7:2")), Truth::Yes);
  EXPECT_EQ(same_points(box("0:4*N:4:4"), box("0:4*N")), Truth::Yes);
  EXPECT_EQ(same_points(box("0:N"), box("0:M")), Truth::Unknown);
  EXPECT_EQ(same_points(box("0:N"), box("1:N + 1"), given({"N >= 1"})), Truth::No);
}

TEST(Subset, difference_in_disjoint_boxes) {
  const auto pieces = difference(box("0:N, 0:M"), box("0:N, 2:5"), given({"M >= 10"}));
  ASSERT_TRUE(pieces);
  ASSERT_EQ(pieces->size(), 2u);
  EXPECT_EQ((*pieces)[0], box("0:N, 0:2"));
  EXPECT_EQ((*pieces)[1], box("0:N, 5:M"));
  EXPECT_FALSE(difference(box("0:N"), box("2:5")));
  EXPECT_EQ(difference(box("0:N"), box("0:N + 1")), std::vector<Subset>{});
}

TEST(Subset, bounding_boxes) {
  EXPECT_EQ(bounding_box(box("0:5"), box("i")), box("Min(0, i):Max(4, i) + 1"));
  EXPECT_EQ(bounding_box(box("0:N"), box("N:M"), given({"N >= 1", "M > N"})), box("0:M"));
  EXPECT_EQ(bounding_box(box("0:8:2"), box("0:20:2")), box("0:20:2"));
}

TEST(Subset, images_under_maps) {
  const auto over_i = [&](const char* subset, const char* range, const Assumptions& a = {}) {
    return text(image(box(subset), {"i"}, {*parse_range(range)}, a));
  };
  EXPECT_EQ(over_i("i, i + 1, 3", "0:N"), "0:N, 1:N + 1, 3");
  EXPECT_EQ(over_i("N - i", "0:N"), "1:N + 1");
  EXPECT_EQ(over_i("2*i", "0:N"), "0:2*N - 1:2");
  EXPECT_EQ(over_i("4*i:4*i + 4", "0:N"), "0:4*N");
  EXPECT_EQ(over_i("i:i + 8", "0:N:8"), "0:8*int_floor(N + 7, 8)");
  EXPECT_EQ(over_i("4*i:4*i + 2", "0:3"), "0:9:4:2");
  EXPECT_EQ(over_i("Min(i, M)", "0:N"), "Min(0, M):Min(M, N - 1) + 1");
  EXPECT_EQ(over_i("int_floor(i, 2)", "0:8"), "0:4");
  EXPECT_EQ(over_i("Mod(i, 4)", "0:N"), "0:4");
  EXPECT_EQ(over_i("A[i]", "0:N"), "?");
  EXPECT_EQ(over_i("i*i - 3*i", "0:N"), "3 - 3*N:N**2 - 2*N + 2");
  EXPECT_EQ(over_i("i*j", "0:N", given({"j in 1:5"})), "0:N*j - j + 1:j");
  EXPECT_EQ(text(image(box("i + j"), {"i", "j"}, {*parse_range("0:N"), *parse_range("0:M")})),
            "0:M + N - 1");
  // The range of j depends on i.
  EXPECT_EQ(text(image(box("j"), {"i", "j"}, {*parse_range("0:N"), *parse_range("0:i + 1")})),
            "0:N");
}

TEST(Subset, composition) {
  const auto in = [](const char* outer, const char* inner) {
    return to_text(compose(box(outer)[0], box(inner)[0]));
  };
  EXPECT_EQ(in("2:N", "0:4"), "2:6");
  EXPECT_EQ(in("2:N:3", "1"), "5");
  EXPECT_EQ(in("0:N:2", "0:int_ceil(N, 2)"), "0:N:2");
  EXPECT_EQ(in("1:N:2", "3:int_ceil(N - 1, 2):2"), "7:N:4");
  EXPECT_EQ(in("0:N:2", "0:4"), "0:7:2");
  EXPECT_EQ(offset_by(box("i:i + 2"), box("i:N"), true), box("0:2"));
}

}  // namespace
}  // namespace sdfg
