#include "support/name_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace sdfg {
namespace {

TEST(NameIndex, AnswersLikeAMapWhileNamesComeAndGo) {
  std::mt19937 random(1);
  std::vector<std::string> names;
  std::map<std::string, std::uint32_t> expected;
  NameIndex index;
  const auto name_at = [&](std::uint32_t at) -> std::string_view { return names[at]; };
  for (int step = 0; step < 20000; ++step) {
    const std::string name = "n" + std::to_string(random() % 500);
    const auto known = expected.find(name);
    EXPECT_EQ(index.find(name, name_at), known == expected.end() ? NameIndex::none : known->second);
    if (known != expected.end()) {
      index.erase(name, name_at);
      expected.erase(known);
    } else if (random() % 3 != 0) {
      names.push_back(name);
      index.add(name, std::uint32_t(names.size() - 1));
      expected[name] = std::uint32_t(names.size() - 1);
    }
    EXPECT_EQ(index.empty(), expected.empty());
  }
  for (const auto& [name, at] : expected) EXPECT_EQ(index.find(name, name_at), at);
}

TEST(NameIndex, AnEmptyOneKnowsNothing) {
  NameIndex index;
  const auto nowhere = [](std::uint32_t) -> std::string_view { return ""; };
  EXPECT_EQ(index.find("n", nowhere), NameIndex::none);
  index.erase("n", nowhere);
  index.reserve(1000);
  EXPECT_EQ(index.find("n", nowhere), NameIndex::none);
  index.add("n", 7);
  EXPECT_EQ(index.find("n", [](std::uint32_t) -> std::string_view { return "n"; }), 7u);
  index.clear();
  EXPECT_TRUE(index.empty());
  EXPECT_EQ(index.find("n", nowhere), NameIndex::none);
}

}  // namespace
}  // namespace sdfg
