#include "support/ordered_map.h"

#include <gtest/gtest.h>

namespace sdfg {
namespace {

TEST(OrderedMap, KeepsInsertionOrderAcrossTheSizeWhereItIsIndexed) {
  OrderedMap<int> map;
  for (int i = 0; i < 40; ++i) map.set("n" + std::to_string(39 - i), i);
  map.set("n39", 100);
  EXPECT_EQ(map.begin()->first, "n39");
  EXPECT_EQ(map.at("n39"), 100);
  EXPECT_EQ(map.at("n0"), 39);
  EXPECT_FALSE(map.insert("n7", 1));
  EXPECT_TRUE(map.erase("n20"));
  EXPECT_FALSE(map.contains("n20"));
  EXPECT_EQ(map.at("n19"), 20);
  map.rename("n19", "other");
  EXPECT_EQ(map.at("other"), 20);
  EXPECT_EQ(map.get("n19"), nullptr);
  EXPECT_EQ(map.size(), 39u);
}

TEST(OrderedMap, CopiesFindTheirOwnEntries) {
  OrderedMap<int> map;
  for (int i = 0; i < 20; ++i)
    map.set("a_long_name_beyond_the_small_string_" + std::to_string(i), i);
  OrderedMap<int> copy = map;
  map.clear();
  EXPECT_EQ(copy.at("a_long_name_beyond_the_small_string_13"), 13);
  EXPECT_EQ(map.get("a_long_name_beyond_the_small_string_13"), nullptr);
}

}  // namespace
}  // namespace sdfg
