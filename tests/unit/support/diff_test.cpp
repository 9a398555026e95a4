#include "support/diff.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sdfg {
namespace {

TEST(Diff, EqualTextsDifferInNothing) {
  EXPECT_EQ(diff_lines("", ""), "");
  EXPECT_EQ(diff_lines("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(diff_lines("a\nb", "a\nb\n"), "");
}

TEST(Diff, LinesAddedRemovedAndReplaced) {
  EXPECT_EQ(diff_lines("a\nc\n", "a\nb\nc\n"), "+b\n");
  EXPECT_EQ(diff_lines("a\nb\nc\n", "a\nc\n"), "-b\n");
  EXPECT_EQ(diff_lines("a\nb\nc\n", "a\nx\nc\n"), "-b\n+x\n");
  EXPECT_EQ(diff_lines("", "a\n"), "+a\n");
  EXPECT_EQ(diff_lines("a\n", ""), "-a\n");
}

TEST(Diff, ContextSurroundsEachGroup) {
  EXPECT_EQ(diff_lines("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\nx\n4\n5\n6\n7\ny\n9\n", 1),
            " 2\n-3\n+x\n 4\n...\n 7\n-8\n+y\n 9\n");
}

/// Applies a difference with unlimited context: removed lines must be there.
std::string patched(const std::string& diff) {
  std::string out;
  for (std::size_t at = 0; at < diff.size();) {
    const std::size_t end = diff.find('\n', at);
    if (diff[at] != '-') out += diff.substr(at + 1, end - at);
    at = end + 1;
  }
  return out;
}

TEST(Diff, RandomEditsRebuildTheNewText) {
  std::uint32_t seed = 1;
  const auto next = [&](std::uint32_t bound) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 16) % bound;
  };
  for (int round = 0; round < 200; ++round) {
    std::string before, after;
    const std::uint32_t lines = next(30);
    for (std::uint32_t i = 0; i < lines; ++i) {
      const std::string line(1, char('a' + next(4)));
      if (next(5)) before += line + "\n";
      if (next(5)) after += line + "\n";
    }
    if (before == after) continue;
    EXPECT_EQ(patched(diff_lines(before, after, 1000)), after) << before << "---\n" << after;
  }
}

}  // namespace
}  // namespace sdfg
