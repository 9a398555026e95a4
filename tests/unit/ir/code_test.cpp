#include "ir/code.h"

#include <gtest/gtest.h>

namespace sdfg {
namespace {

std::string round_trip(const std::string& text) {
  const Code code(text);
  if (code.syntax_error()) return code.syntax_error()->text();
  const std::string printed = print_python(*code.statements());
  const ParsedCode again = parse_python_code(printed);
  EXPECT_FALSE(again.error);
  EXPECT_EQ(again.statements, *code.statements()) << printed;
  return printed;
}

TEST(Code, statements_print_as_written) {
  for (const char* text :
       {"a = b + c", "a[i] = b[i] * 2", "x += 1", "z: dace.float64", "z: dace.float64 = 1.0",
        "(a, b) = (b, a)", "pass", "return", "return x",
        "if (a > 1):\n    b = 1\nelif c:\n    b = 2\nelse:\n    b = 3",
        "for i in range(0, n):\n    if s[i] == 1:\n        continue\n    x **= 2",
        "while True:\n    break", "printf('%d', x)"})
    round_trip(text);
  EXPECT_EQ(round_trip("if a: b = 1; c = 2\nd = 3"), "if a:\n    b = 1\n    c = 2\nd = 3");
  EXPECT_EQ(round_trip("a = b = c  # comment\n\n"), "a = c\nb = a");
  EXPECT_EQ(round_trip("  a = (1 +\n   2)\n  b = 3"), "a = 1 + 2\nb = 3");
  EXPECT_EQ(round_trip("a = 1; b = 2;"), "a = 1\nb = 2");
  EXPECT_EQ(round_trip(""), "");
}

TEST(Code, errors_are_located) {
  EXPECT_EQ(round_trip("a = 1\nb = = 2"), "line 2, column 5: expected an expression, found '='");
  EXPECT_EQ(round_trip("import os"), "column 1: 'import' is not supported in the code of an SDFG");
  EXPECT_EQ(round_trip("if a:\nb = 1"), "line 2, column 1: expected an indented block, found 'b'");
  EXPECT_EQ(round_trip("1 = a"), "column 3: cannot assign to this expression");
  EXPECT_EQ(round_trip("a = 'x"), "column 5: the string does not end");
  EXPECT_EQ(round_trip("if a:\n    b = 1\n  c = 2"),
            "line 3, column 3: the indentation matches no outer block");
}

TEST(Code, knows_what_it_reads) {
  const auto reads = [](const Code& code) {
    SymbolSet out;
    collect_symbols(code, {"f", "N"}, out);
    return out;
  };
  EXPECT_EQ(reads(Code("t = a + b\nc = t * N")), (SymbolSet{"N", "a", "b"}));
  EXPECT_EQ(reads(Code("if c:\n    x = 1\ny = x")), (SymbolSet{"c", "x"}));
  EXPECT_EQ(reads(Code("a[i] = f(g(x))")), (SymbolSet{"a", "f", "i", "x"}));
  EXPECT_EQ(reads(Code("y = N + 1; s.N = \"N\"; f(3)", Language::Cpp)), (SymbolSet{"N", "f"}));
}

TEST(Code, replaces_names) {
  const Substitution s{{"i", Expr::symbol("N") - 1}, {"a", Expr::symbol("b")}};
  EXPECT_EQ(substitute(Code("x = a * i"), s).text(), "x = b * (N - 1)");
  EXPECT_EQ(substitute(Code("x  =  y"), s).text(), "x  =  y");
  EXPECT_EQ(substitute(Code("x = a[i] + s.i;", Language::Cpp), s).text(), "x = b[(N - 1)] + s.i;");
}

TEST(Code, conditions_that_always_hold) {
  EXPECT_TRUE(Code("1").always_true());
  EXPECT_TRUE(Code("True").always_true());
  EXPECT_TRUE(Code("").always_true());
  EXPECT_FALSE(Code("0").always_true());
  EXPECT_FALSE(Code("a").always_true());
}

TEST(Code, recognises_reductions) {
  const auto reduction = [](const char* text) { return detect_reduction(Code(text)); };
  EXPECT_EQ(reduction("(lambda a, b: (a + b))"), Reduction::Sum);
  EXPECT_EQ(reduction("lambda x, y: y * x"), Reduction::Product);
  EXPECT_EQ(reduction("lambda x, y: min(x, y)"), Reduction::Min);
  EXPECT_EQ(reduction("lambda a, b: b"), Reduction::Exchange);
  EXPECT_EQ(reduction("lambda a, b: a + 2 * b"), Reduction::Custom);
  EXPECT_EQ(reduction("lambda a, b: a - b"), Reduction::Sub);
  EXPECT_EQ(reduction("lambda a, b: b - a"), Reduction::Custom);
}

}  // namespace
}  // namespace sdfg
