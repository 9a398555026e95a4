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

TEST(OrderedMap, GapsOfErasedEntriesAreNotSeen) {
  OrderedMap<int> map;
  std::vector<std::string> left;
  for (int i = 0; i < 40; ++i) map.set("n" + std::to_string(i), i);
  const int* stays = map.get("n37");
  for (int i = 0; i < 40; ++i) {
    if (i % 4 == 1) {
      left.push_back("n" + std::to_string(i));
      continue;
    }
    EXPECT_TRUE(map.erase("n" + std::to_string(i)));
    EXPECT_EQ(map.begin()->second, i == 0 ? 1 : left.empty() ? i + 1 : 1);
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  EXPECT_EQ(names, left);
  EXPECT_EQ(map.size(), left.size());
  EXPECT_EQ(map.get("n37"), stays);
  EXPECT_EQ(map.find("n36"), map.end());
  map.set("n36", 1);
  EXPECT_EQ(map.find("n36")->second, 1);
  EXPECT_EQ(map.erase_if([](const auto& entry) { return entry.second > 1; }), left.size() - 1);
  EXPECT_EQ(map.size(), 2u);
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
