#include "support/by_name.h"

#include <random>

#include <gtest/gtest.h>

namespace sdfg {
namespace {

TEST(NameLess, OrdersLikeStringsOfAllLengthsAndBytes) {
  std::mt19937 random(1);
  const NameLess less;
  // Few different bytes, one of them negative as a char, so that beginnings are often equal.
  const auto text = [&] {
    std::string out(random() % 28, 'a');
    for (char& c : out)
      if (random() % 8 == 0) c = "a_Z\xc3"[random() % 4];
    return out;
  };
  for (int i = 0; i < 100000; ++i) {
    const std::string a = text(), b = text();
    ASSERT_EQ(less(a, b), a < b) << a << " and " << b;
    ASSERT_EQ(less(b, a), b < a) << a << " and " << b;
    ASSERT_FALSE(less(a, a)) << a;
  }
}

TEST(NameLess, LooksUpStringViews) {
  const ByName<int> map{{"beta", 2}, {"alpha", 1}};
  EXPECT_EQ(map.find(std::string_view("alphabet").substr(0, 5))->second, 1);
  EXPECT_FALSE(NameSet({"x"}).contains(std::string_view("y")));
}

}  // namespace
}  // namespace sdfg
