#include "codegen/writer.h"

#include <gtest/gtest.h>

namespace sdfg {
namespace {

std::string written(std::string_view line) {
  Writer out(1);
  out.line(line);
  return out.take();
}

TEST(Writer, LongLinesEndAtTheOutermostCommaOfTheirRightHalf) {
  EXPECT_EQ(
      written("launch(gpu, blocks(number_of_cells, 256), blocks(number_of_levels, 2), a_first, "
              "b_first, blocks(more, 2));"),
      "  launch(gpu, blocks(number_of_cells, 256), blocks(number_of_levels, 2), a_first, b_first,\n"
      "      blocks(more, 2));\n");
}

TEST(Writer, ASumEndsBeforeItsProducts) {
  EXPECT_EQ(written("const int64_t name_of_a_container_at = stride_of_cells * first_of_cells + "
                    "stride_of_levels * first_of_levels;"),
            "  const int64_t name_of_a_container_at = stride_of_cells * first_of_cells +\n"
            "      stride_of_levels * first_of_levels;\n");
}

TEST(Writer, LiteralsCommentsAndDirectivesStayWhole) {
  const std::string words(120, 'x'), text = "note(\"a, b, " + words + ", c\");";
  EXPECT_EQ(written(text), "  " + text + "\n");
  const std::string comment = "a = b;  // c, d, " + words + ", e";
  EXPECT_EQ(written(comment), "  " + comment + "\n");
  EXPECT_EQ(written("#pragma a, b, " + words + ", c"), "  #pragma a, b, " + words + ", c\n");
}

TEST(Writer, WhatCannotBreakIsLong) {
  const std::string word(120, 'x');
  EXPECT_EQ(written("f(" + word + ", b);"), "  f(" + word + ",\n      b);\n");
}

TEST(Writer, ForeignTextStaysAsItIs) {
  const std::string text = "f(" + std::string(80, 'x') + ", " + std::string(80, 'y') + ");";
  Writer out(1);
  out.verbatim(text);
  EXPECT_EQ(out.text(), "  " + text + "\n");
}

}  // namespace
}  // namespace sdfg
