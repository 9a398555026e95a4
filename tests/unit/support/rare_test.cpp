#include "support/rare.h"

#include <string>

#include <gtest/gtest.h>

namespace sdfg {
namespace {

TEST(RareOptional, ReadsCopiesAndComparesLikeAnOptional) {
  static_assert(sizeof(RareOptional<std::string>) == sizeof(void*));
  RareOptional<std::string> none, some = std::string("a");
  EXPECT_FALSE(none);
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(*some, "a");
  EXPECT_EQ(some->size(), 1u);
  EXPECT_NE(none, some);
  RareOptional<std::string> copy = some;
  EXPECT_EQ(copy, some);
  *copy += "b";
  EXPECT_EQ(*some, "a");
  EXPECT_NE(copy, some);
  copy = none;
  EXPECT_EQ(copy, none);
  copy = std::optional<std::string>("c");
  EXPECT_EQ(*copy, "c");
  copy = std::nullopt;
  EXPECT_FALSE(copy);
  some.reset();
  EXPECT_EQ(some, none);
}

struct Ten {
  int operator()() const { return 10; }
};

TEST(Rare, IsItsDefaultUntilItIsSet) {
  static_assert(sizeof(Rare<std::string>) == sizeof(void*));
  Rare<std::string> text;
  EXPECT_TRUE(text->empty());
  text = std::string("x");
  EXPECT_EQ(*text, "x");
  Rare<int, Ten> number;
  EXPECT_EQ(*number, 10);
  number = 3;
  EXPECT_EQ(*number, 3);
  EXPECT_NE(number, (Rare<int, Ten>()));
  number = 10;
  EXPECT_EQ(number, (Rare<int, Ten>()));  // set to the default is the default
}

}  // namespace
}  // namespace sdfg
