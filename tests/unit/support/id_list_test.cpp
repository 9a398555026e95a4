#include "support/id_list.h"

#include <gtest/gtest.h>

#include "support/id.h"

namespace sdfg {
namespace {

struct Tag;
using Number = Id<Tag>;

std::vector<std::uint32_t> numbers(const IdList<Number>& list) {
  std::vector<std::uint32_t> out;
  for (Number id : list.ids()) out.push_back(id.value);
  return out;
}

IdList<Number> list_of(std::initializer_list<std::uint32_t> values) {
  IdList<Number> list;
  for (std::uint32_t value : values) list.push_back({value});
  return list;
}

TEST(IdList, KeepsTheOrderInWhichIdsWereAdded) {
  for (const auto& values :
       {std::vector<std::uint32_t>{}, {3}, {1, 2, 5, 9}, {9, 1, 2}, {1, 2, 3, 4, 5, 7, 6, 8, 20}}) {
    IdList<Number> list;
    for (std::uint32_t value : values) list.push_back({value});
    EXPECT_EQ(numbers(list), values);
    EXPECT_EQ(list.empty(), values.empty());
  }
}

TEST(IdList, ErasesAscendingIdsAndOthers) {
  for (const auto& values : {std::vector<std::uint32_t>{1, 4, 6}, {4, 1, 6}, {1, 2, 3, 4, 5, 6, 7},
                             {7, 1, 2, 9, 4, 3, 8, 6}}) {
    for (std::uint32_t gone : values) {
      IdList<Number> list;
      for (std::uint32_t value : values) list.push_back({value});
      list.erase({gone});
      auto expected = values;
      std::erase(expected, gone);
      EXPECT_EQ(numbers(list), expected);
      list.push_back({gone});  // out of order unless it was the last
      expected.push_back(gone);
      list.erase({expected.front()});
      expected.erase(expected.begin());
      EXPECT_EQ(numbers(list), expected);
    }
  }
}

TEST(IdList, IsAValue) {
  for (IdList<Number> list : {list_of({}), list_of({2, 1}), list_of({1, 2, 3, 4, 5, 6})}) {
    IdList<Number> copy = list;
    EXPECT_EQ(copy, list);
    copy.push_back({100});
    EXPECT_NE(copy, list);
    IdList<Number> moved = std::move(copy);
    EXPECT_EQ(numbers(moved).back(), 100u);
    EXPECT_TRUE(copy.empty());  // NOLINT: moved from, and usable
    copy = moved;
    EXPECT_EQ(copy, moved);
    moved = list;
    EXPECT_EQ(moved, list);
  }
}

}  // namespace
}  // namespace sdfg
