#include "ir/expr.h"

#include <gtest/gtest.h>

#include "ir/expr_budget.h"
#include "ir/expr_quotient.h"
#include "tests/unit/ir/print_expr.h"

namespace sdfg {
namespace {

Expr plain(std::string_view text) {
  auto e = parse_symbolic(text, Dialect::Plain);
  EXPECT_TRUE(e) << text << ": " << (e ? "" : e.error().text());
  return e ? *e : Expr();
}
Expr typed(std::string_view text) {
  auto e = parse_symbolic(text, Dialect::Typed);
  EXPECT_TRUE(e) << text << ": " << (e ? "" : e.error().text());
  return e ? *e : Expr();
}
Expr python(std::string_view text) {
  auto e = parse_python(text);
  EXPECT_TRUE(e) << text << ": " << (e ? "" : e.error().text());
  return e ? *e : Expr();
}
std::string error_of(std::string_view text, Dialect dialect = Dialect::Plain) {
  auto e = parse_symbolic(text, dialect);
  return e ? "no error: " + to_text(*e) : e.error().text();
}

TEST(Expr, equal_polynomials_are_the_same_tree) {
  EXPECT_EQ(plain("N + 1 - 1"), plain("N"));
  EXPECT_EQ(plain("(N + 1)*(M - 2)"), plain("M*N - 2*N + M - 2"));
  EXPECT_EQ(plain("(a + b)**2"), plain("a**2 + 2*a*b + b**2"));
  EXPECT_EQ(plain("N/2 + N/2"), plain("N"));
  EXPECT_EQ(plain("-(i - N)"), plain("N - i"));
  EXPECT_EQ(plain("2*(i + j) - i - i - 2*j"), Expr(0));
  EXPECT_EQ(plain("N*M/M"), plain("N"));
  EXPECT_NE(plain("N*M"), plain("N + M"));
}

TEST(Expr, sums_that_divide_are_one_fraction) {
  const auto over = [](std::string_view text) {
    const Fraction f = over_one_denominator(plain(text));
    EXPECT_FALSE(has_quotient(f.numerator) || has_quotient(f.denominator)) << text;
    return to_text(f.numerator) + " over " + to_text(f.denominator);
  };
  EXPECT_EQ(over("N + 1"), "N + 1 over 1");
  EXPECT_EQ(over("(i - S)/T"), to_text(plain("i - S")) + " over T");
  EXPECT_EQ(over("i/2 + j/3 - 1"), to_text(plain("3*i + 2*j - 6")) + " over 6");
  EXPECT_EQ(over("1/(N/2 + 1)"), "2 over N + 2");
  EXPECT_TRUE(has_quotient(plain("i*N/T")));
  EXPECT_FALSE(has_quotient(plain("int_floor(i, T) + 1")));
}

TEST(Expr, prints_the_plain_dialect) {
  EXPECT_EQ(to_text(plain("-1+N")), "N - 1");
  EXPECT_EQ(to_text(plain("1-N")), "1 - N");
  EXPECT_EQ(to_text(plain("M*N*2")), "2*M*N");
  EXPECT_EQ(to_text(plain("-N-1")), "-N - 1");
  EXPECT_EQ(to_text(plain("N/2")), "N/2");
  EXPECT_EQ(to_text(plain("1/(M*N)")), "1/(M*N)");
  EXPECT_EQ(to_text(plain("3*N/(2*M)")), "3*N/(2*M)");
  EXPECT_EQ(to_text(plain("N**2")), "N**2");
  EXPECT_EQ(to_text(plain("Max(0, N-1)")), "Max(0, N - 1)");
  EXPECT_EQ(to_text(plain("N // 2 + N % 4")), "int_floor(N, 2) + Mod(N, 4)");
  EXPECT_EQ(to_text(plain("A[i, j+1]")), "A[i, j + 1]");
  EXPECT_EQ(to_text(plain("2 < i and i < N")), "AND(i < N, i > 2)");
}

TEST(Expr, prints_the_typed_dialect) {
  EXPECT_EQ(print_symbolic(plain("N - 1"), Dialect::Typed), "-1 + $N");
  EXPECT_EQ(print_symbolic(plain("A[i]"), Dialect::Typed), "Subscript($A, $i)");
  EXPECT_EQ(print_symbolic(plain("s.x"), Dialect::Typed), "Attr($s, $x)");
}

TEST(Expr, reads_the_typed_dialect) {
  EXPECT_EQ(typed("-1 + $N"), plain("N - 1"));
  EXPECT_EQ(typed("symbol($N, dtype=dace.int64, positive=True)*2"), plain("2*N"));
  EXPECT_EQ(typed("--1*-5i64 + $x"), plain("x - 5"));
  EXPECT_EQ(typed("int_floor($N, 2)"), plain("N//2"));
  EXPECT_EQ(typed("Subscript($A, $i, 1)"), plain("A[i, 1]"));
  EXPECT_EQ(typed("AND($a > 1, $b)"), plain("a > 1 and b"));
  EXPECT_EQ(typed("$?"), Expr::leaf(Op::Constant, "?"));
}

TEST(Expr, bounds_with_an_approximation_are_their_exact_part) {
  EXPECT_EQ(plain("SymExpr(Min(I - 2, t + 4), t + 4) + 1"), plain("Min(I - 2, t + 4) + 1"));
  EXPECT_EQ(typed("SymExpr(Min($I, $t), $t)"), typed("Min($I, $t)"));
}

TEST(Expr, says_where_text_is_wrong) {
  EXPECT_EQ(error_of("N +"), "column 4: expected an expression, found the end of the text");
  EXPECT_EQ(error_of("N M"), "column 3: expected the end of the text, found 'M'");
  EXPECT_EQ(error_of("(N"),
            "column 3: expected ')' to close the bracket, found the end of the text");
  EXPECT_EQ(error_of("1 + N", Dialect::Typed),
            "column 5: expected a symbol, found the bare name 'N'; symbols are written '$N' here");
  EXPECT_EQ(error_of("99999999999999999999"),
            "column 1: the integer 99999999999999999999 does not fit into 64 bits");
  EXPECT_EQ(error_of("a \x80"), "column 3: unexpected character '\\x80'");
  EXPECT_EQ(error_of(std::string(100000, '(')),
            "column 501: brackets and operators are nested more than 500 deep");
}

TEST(Expr, rounded_quotients) {
  EXPECT_EQ(plain("(4*N + 6)//4"), plain("N + 1 + (2*N*0 + 1)//2"));
  EXPECT_EQ(plain("int_floor(4*N + 5, 4)"), plain("N + 1"));
  EXPECT_EQ(plain("int_ceil(4*N + 5, 4)"), plain("N + 2"));
  EXPECT_EQ(plain("int_floor(-1, 2)"), Expr(-1));
  EXPECT_EQ(plain("int_floor(N*M, M)"), plain("N"));
  EXPECT_EQ(plain("ceiling(N/2)"), plain("int_ceil(N, 2)"));
  EXPECT_EQ(plain("Mod(4*N + 7, 4)"), Expr(3));
  EXPECT_EQ(plain("int_floor(int_floor(N, 2), 3)"), plain("int_floor(N, 6)"));
}

TEST(Expr, overflow_is_left_unfolded) {
  const Expr big = plain("9223372036854775807");
  const Expr sum = big + 1;
  EXPECT_TRUE(sum.is(Op::Add));
  EXPECT_EQ(evaluate(sum, {}), std::nullopt);
  EXPECT_EQ(simplify(sum), sum);
  EXPECT_EQ(plain(to_text(sum)), sum);
  EXPECT_TRUE((big * big).is(Op::Mul));
  EXPECT_EQ(plain("2**2**99").op(), Op::Pow);
}

TEST(Expr, python_stays_as_written) {
  for (const char* text : {"a + b * c",
                           "(a + b) * c",
                           "a - (b - c)",
                           "a / b / c",
                           "a ** b ** c",
                           "(a ** b) ** c",
                           "-a ** 2",
                           "(-a) ** 2",
                           "-5",
                           "-(5)",
                           "not a == b",
                           "(not a) == b",
                           "a < b and b < c",
                           "(a and b) and c",
                           "x if c else y if d else z",
                           "f(x, y=1)",
                           "dace.float64(x)",
                           "math.sqrt(a[i, j + 1])",
                           "a[1:2, ::3, :]",
                           "lambda a, b: a + b",
                           "(lambda a: a)(3)",
                           "(a, b)",
                           "(a,)",
                           "[1, 2]",
                           "'it' + \"s'\"",
                           "a is not None",
                           "a not in b",
                           "min(a, b, c)",
                           "a // b % c",
                           "~a | b ^ c & d << 1",
                           "1.0",
                           "1e-07",
                           "2j",
                           "a[()]",
                           "s.x[0].y",
                           "1 + N",
                           "-1.5 * x",
                           "18446744073709551615",
                           "int_ceil(a, b)"}) {
    const Expr e = python(text);
    EXPECT_EQ(print_python(e), text);
    EXPECT_EQ(python(print_python(e)), e) << text;
  }
  EXPECT_EQ(python("a < b < c"), python("a < b and b < c"));
  EXPECT_EQ(python("a[(i, j)]"), python("a[i, j]"));
}

TEST(Expr, substitution_is_simultaneous) {
  const Substitution swap{{"i", Expr::symbol("j")}, {"j", Expr::symbol("i")}};
  EXPECT_EQ(substitute(plain("i - 2*j"), swap), plain("j - 2*i"));
  EXPECT_EQ(print_python(substitute_as_written(python("lambda i: i + j"), swap)),
            "lambda i: i + i");
}

TEST(Expr, affine_parts) {
  const auto m = match_affine(plain("3*i*N + i - 2 + M"), "i");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->coefficient, plain("3*N + 1"));
  EXPECT_EQ(m->rest, plain("M - 2"));
  EXPECT_FALSE(match_affine(plain("i*i"), "i"));
  EXPECT_FALSE(match_affine(plain("A[i]"), "i"));
}

TEST(Expr, affine_rest_is_the_sum_without_the_symbol) {
  struct Case {
    const char *sum, *coefficient, *rest;
  };
  for (const auto& [sum, coefficient, rest] :
       {Case{"i + 1", "1", "1"}, Case{"N + i", "1", "N"}, Case{"i + N/2", "1", "N/2"},
        Case{"i + j + N - 1", "1", "j + N - 1"}, Case{"i - N", "1", "-N"}, Case{"N - i", "-1", "N"},
        Case{"i + 2*i + N", "3", "N"}, Case{"i + i*N + j", "N + 1", "j"},
        Case{"i + min(j, N)", "1", "min(j, N)"}}) {
    const auto m = match_affine(plain(sum), "i");
    ASSERT_TRUE(m) << sum;
    EXPECT_EQ(m->coefficient, plain(coefficient)) << sum;
    EXPECT_EQ(m->rest, plain(rest)) << sum;
  }
  EXPECT_FALSE(match_affine(plain("i + i*i"), "i"));
  EXPECT_FALSE(match_affine(plain("i + A[i]"), "i"));
  EXPECT_FALSE(match_affine(plain("i + min(i, N)"), "i"));
  // Terms that do not fit into one number stay side by side, and are taken apart to see it.
  EXPECT_FALSE(match_affine(plain("9223372036854775807 + 9223372036854775807 + i"), "i"));
}

TEST(Expr, sums_of_any_length_do_not_depend_on_the_order) {
  for (int n = 2; n < 20; ++n) {
    Expr forwards = 1, backwards;
    for (int i = 0; i < n; ++i) {
      forwards = forwards + Expr::symbol("s" + std::to_string(i)) * Expr(i + 1);
      backwards = Expr::symbol("s" + std::to_string(n - 1 - i)) * Expr(n - i) + backwards;
    }
    backwards = backwards + 1;
    EXPECT_EQ(forwards, backwards) << n;
    EXPECT_EQ(forwards - backwards, Expr(0)) << n;
    EXPECT_EQ(forwards + backwards, forwards * Expr(2)) << n;
    EXPECT_EQ(forwards.args().size(), std::size_t(n) + 1) << n;
  }
}

TEST(Expr, conditions) {
  EXPECT_EQ(plain("i < N"), plain("N > i"));
  EXPECT_EQ(plain("i + 1 < N"), plain("i < N - 1"));
  EXPECT_EQ(plain("2*i < 2*N"), plain("i < N"));
  EXPECT_EQ(plain("N + 1 > N"), Expr::boolean(true));
  EXPECT_EQ(plain("not (i < N)"), plain("i >= N"));
  EXPECT_EQ(plain("i < N or i >= N"), Expr::boolean(true));
  EXPECT_EQ(to_text(plain("1 < N")), "N > 1");
  // Truth values are the numbers 1 and 0.
  EXPECT_EQ(plain("(i < N) == 1"), plain("i < N"));
  EXPECT_EQ(plain("0 == (i < N)"), plain("i >= N"));
  EXPECT_EQ(plain("(i < N) != 1"), plain("i >= N"));
  EXPECT_EQ(plain("((2 == 2) == 1) == 0"), Expr::boolean(false));
  EXPECT_EQ(plain("(i < N) == 2"), Expr::boolean(false));
  EXPECT_NE(plain("(i < N) == j"), plain("i < N"));
}

TEST(Expr, minimum_and_maximum) {
  EXPECT_EQ(plain("Min(N, Min(M, N + 1))"), plain("Min(M, N)"));
  EXPECT_EQ(plain("Max(3, 4, N)"), plain("Max(N, 4)"));
  EXPECT_EQ(plain("Min(a, Max(a, b))"), plain("a"));
  // Clamping twice is clamping once.
  EXPECT_EQ(plain("Max(a, Min(b, Max(a, c)))"), plain("Max(a, Min(b, c))"));
  EXPECT_EQ(plain("Min(a, Max(b, Min(a + 1, c, d)))"), plain("Min(a, Max(b, Min(c, d)))"));
  EXPECT_NE(plain("Max(a, Min(b, Max(a + 1, c)))"), plain("Max(a, Min(b, c))"));
  EXPECT_EQ(plain("Max(a, c, Min(b, Max(a, c)))"), plain("Max(a, c)"));
  EXPECT_EQ(plain("Max(0, Min(K - 1, Max(0, Min(K - 1, Max(0, K - 2)))))"), plain("Max(0, K - 2)"));
}

TEST(Expr, what_is_too_long_is_not_decided) {
  Assumptions assumptions;
  const auto products = [&](int count) {
    Expr sum;
    for (int i = 0; i < count; ++i) {
      const std::string a = "a" + std::to_string(i), b = "b" + std::to_string(i);
      for (const std::string& name : {a, b}) assumptions.assume(name, 0, std::nullopt);
      sum = sum + Expr::symbol(a) * Expr::symbol(b);
    }
    return sum;
  };
  const Expr few = products(int(most_terms_asked / 2)), many = products(int(most_terms_asked));
  EXPECT_TRUE(may_be_asked(few));
  EXPECT_FALSE(may_be_asked(many));
  EXPECT_EQ(less_equal(0, few, assumptions), Truth::Yes);
  EXPECT_EQ(less_equal(0, many, assumptions), Truth::Unknown);
}

}  // namespace
}  // namespace sdfg
