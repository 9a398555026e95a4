#include "support/text.h"

#include <array>

#include <gtest/gtest.h>

namespace sdfg {
namespace {

TEST(Text, NamesFollowDaCesRule) {
  EXPECT_TRUE(is_valid_name("a_1.b"));
  for (std::string_view bad : {"", "1a", "a.", ".a", "a b", "True", "None", "a-b", "ä"})
    EXPECT_FALSE(is_valid_name(bad)) << bad;
}

TEST(Text, FloatsPrintAsPythonPrintsThem) {
  EXPECT_EQ(python_float(1), "1.0");
  EXPECT_EQ(python_float(1e-7), "1e-07");
  EXPECT_EQ(python_float(1e16), "1e+16");
  EXPECT_EQ(python_float(0.1), "0.1");
  EXPECT_EQ(python_float(1e15), "1000000000000000.0");
  EXPECT_EQ(python_float(-0.0), "-0.0");
  EXPECT_EQ(python_float(0.0001), "0.0001");
}

TEST(Text, WhatBracesEncloseIsPassedOver) {
  EXPECT_EQ(find_outside_braces("a{b,c},d", ","), 6u);
  EXPECT_EQ(find_outside_braces("a{b{c},d} e", ", "), 9u);
  EXPECT_EQ(find_outside_braces("a{b}", ","), std::string_view::npos);
  EXPECT_EQ(find_outside_braces("{,", ","), std::string_view::npos);
  EXPECT_EQ(find_outside_braces("a{b}}c", "}"), 4u);
}

TEST(Text, NearestFindsAMisspeltWordAndNothingForAStranger) {
  constexpr std::array<std::string_view, 3> words{"map-fusion", "map-tiling", "dead-state-removal"};
  EXPECT_EQ(nearest("map-fuison", words), "map-fusion");
  EXPECT_EQ(nearest("zzzzzz", words), "");
}

}  // namespace
}  // namespace sdfg
