#include "support/json_tree.h"

#include <gtest/gtest.h>

namespace sdfg::json {
namespace {

std::string error_of(std::string_view text) {
  const auto tree = Tree::parse(text);
  return tree ? "" : tree.error().text();
}

TEST(JsonTree, KeepsOrderTokensAndPlaces) {
  const std::string text = R"( {"b": [1, 1.0, -0e5], "a\"": "x\n", "c": {}} )";
  const auto tree = Tree::parse(text);
  ASSERT_TRUE(tree) << tree.error().text();
  const Value root = tree->root();
  EXPECT_EQ(root.size(), 3u);
  std::vector<std::string> keys;
  for (Value member : root) keys.push_back(member.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"b", "a\"", "c"}));
  std::vector<std::string> numbers;
  for (Value item : root.find("b")) numbers.emplace_back(item.raw());
  EXPECT_EQ(numbers, (std::vector<std::string>{"1", "1.0", "-0e5"}));
  EXPECT_EQ(root.find("a\"").string(), "x\n");
  EXPECT_EQ(root.find("c").size(), 0u);
  EXPECT_FALSE(root.find("d").valid());
  EXPECT_EQ(tree->path(*++root.find("b").begin()), "b[1]");
  EXPECT_EQ(tree->depth(), 3u);
  EXPECT_EQ(tree->at_offset(root.find("b").begin_offset()), root.find("b"));
}

TEST(JsonTree, TheLastOfTwoEqualKeysCounts) {
  const auto tree = Tree::parse(R"({"a": 1, "a": 2})");
  EXPECT_EQ(tree->root().find("a").raw(), "2");
}

TEST(JsonTree, ReadsPythonsNumbers) {
  const auto tree = Tree::parse("[NaN, Infinity, -Infinity, 123456789012345678901234567890]");
  ASSERT_TRUE(tree) << tree.error().text();
  for (Value item : tree->root()) EXPECT_TRUE(item.is_number()) << item.raw();
}

TEST(JsonTree, SaysWhereTheGrammarIsBroken) {
  EXPECT_EQ(error_of("{\"a\": }"), "1:7: expected a value, found '}'");
  EXPECT_EQ(error_of("{\"a\" 1}"), "1:6: expected ':' after the key, found '1'");
  EXPECT_EQ(error_of("{\n  a: 1}"), "2:3: expected a key in double quotes, found 'a'");
  EXPECT_EQ(error_of("[1 2]"), "1:4: expected ',' or ']', found '2'");
  EXPECT_EQ(error_of("[1,]"), "1:4: expected a value, found ']'");
  EXPECT_EQ(error_of("{\"a\":1,}"), "1:8: expected a key in double quotes, found '}'");
  EXPECT_EQ(error_of("[01]"), "1:2: expected a value, found '01'");
  EXPECT_EQ(error_of("[1.]"), "1:2: expected a value, found '1.'");
  EXPECT_EQ(error_of("[+1]"), "1:2: expected a value, found '+1'");
  EXPECT_EQ(error_of("[truee]"), "1:2: expected a value, found 'truee'");
  EXPECT_EQ(error_of("[1\"a\"]"), "1:3: expected ',' or ']', found '\"a\"'");
  EXPECT_EQ(error_of("[\"a\"\"b\"]"), "1:5: expected ',' or ']', found '\"b\"'");
  EXPECT_EQ(error_of("{\"a\": [1, 2"), "1:12: expected ',' or ']', found the end of the file");
  EXPECT_EQ(error_of("{} {}"), "1:4: expected the end of the file, found '{'");
  EXPECT_EQ(error_of(" "), "1:1: expected a value, found an empty file");
}

TEST(JsonTree, SaysWhichBytesAreNoText) {
  EXPECT_EQ(error_of("[\"ab\xff\"]"), "1:5: a byte that is not UTF-8");
  EXPECT_EQ(error_of("[\"\xc3\"]"), "1:3: a byte that is not UTF-8");
  const std::string far = "[\"" + std::string(10000, 'x') + "\xed\xa0\x80\"]";
  EXPECT_EQ(error_of(far), "1:10003: a byte that is not UTF-8");
  EXPECT_EQ(error_of("[\"a\nb\"]"),
            "1:4: a control character inside a string; write it as \\u00XX");
  EXPECT_EQ(error_of("[\"abc]"), "1:2: the string that begins here has no end");
  EXPECT_EQ(error_of("[\"a\\x\"]"),
            "1:4: an escape that JSON does not have; the escapes are "
            "\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
  EXPECT_TRUE(error_of("[\"\\u12G4\"]").starts_with("1:3: an escape"));
}

TEST(JsonTree, StopsAtAMillionLevels) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_EQ(error_of(deep), "1:200001: nested deeper than 200000 levels");
  const std::string fine = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(error_of(fine), "");
}

TEST(JsonTree, OnlyBytesThatAreNoTextAreReplaced) {
  std::string out;
  append_string(out, "a\xe9\n b\xff");
  EXPECT_EQ(out, R"("a\ufffd\n b\ufffd")");
}

TEST(JsonTree, StringsSurviveWritingAndReading) {
  const std::string text = "q\" b\\ n\n t\t \x01 é \xf0\x9f\x8c\x8d";
  const std::string json = json::quoted(text);
  EXPECT_EQ(json, "\"q\\\" b\\\\ n\\n t\\t \\u0001 \\u00e9 \\ud83c\\udf0d\"");
  EXPECT_EQ(unescape(std::string_view(json).substr(1, json.size() - 2)), text);
  EXPECT_EQ(unescape("\\ud800x"), "\xef\xbf\xbdx");
}

}  // namespace
}  // namespace sdfg::json
