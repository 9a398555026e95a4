#include <gtest/gtest.h>

#include "ir/expr_answers.h"
#include "ir/subset.h"

namespace sdfg {
namespace {

const Expr n = Expr::symbol("n"), i = Expr::symbol("i");

Assumptions at_least_one() {
  Assumptions out;
  out.assume("n", 1, {});
  return out;
}

TEST(Assumptions, ACopyChangesAlone) {
  const Assumptions original = at_least_one();
  Assumptions copy = original;
  EXPECT_TRUE(copy.shared_by(original));
  copy.assume("n", 5, {});
  copy.add_fact(compare_expr(Op::Lt, i, n));
  EXPECT_FALSE(copy.shared_by(original));
  EXPECT_EQ(*original.bounds_of("n")->low, Expr(1));
  EXPECT_TRUE(original.facts().empty());
  EXPECT_EQ(less_equal(5, n, original), Truth::Unknown);
  EXPECT_EQ(less_equal(5, n, copy), Truth::Yes);
  EXPECT_EQ(less(i, n, copy), Truth::Yes);

  copy.keep_facts(0);
  copy.forget("n");
  copy.forget("i");  // has no bounds
  EXPECT_TRUE(copy.empty());
  EXPECT_EQ(copy.bounds_of("n"), nullptr);
}

TEST(Assumptions, EmptyOnesAreShared) {
  EXPECT_TRUE(Assumptions().shared_by(Assumptions()));
  EXPECT_FALSE(at_least_one().shared_by(at_least_one()));
  EXPECT_FALSE(at_least_one().shared_by(Assumptions()));
}

TEST(Assumptions, AnswersAreThoseOfTheQuestion) {
  Assumptions known = at_least_one();
  known.keep_answers();
  const Subset box{{{0, n}}}, longer{{{0, n + 1}}};
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(less(0, n, known), Truth::Yes);
    EXPECT_EQ(less(n, 0, known), Truth::No);
    EXPECT_EQ(less(1, n, known), Truth::Unknown);
    EXPECT_EQ(less_equal(1, n, known), Truth::Yes);
    EXPECT_EQ(equal(0, n, known), Truth::No);
    EXPECT_EQ(covers(longer, box, known), Truth::Yes);
    EXPECT_EQ(covers(box, longer, known), Truth::No);
    EXPECT_EQ(intersects(box, longer, known), Truth::Yes);
  }
}

TEST(Assumptions, AnswersAreKeptUntilTheyChange) {
  Assumptions known = at_least_one();
  EXPECT_EQ(answers_kept(known), nullptr);
  known.keep_answers();
  const auto* answers = answers_kept(known);
  ASSERT_NE(answers, nullptr);
  EXPECT_EQ(less_equal(5, n, known), Truth::Unknown);

  Assumptions copy = known;
  EXPECT_EQ(answers_kept(copy), answers);
  copy.forget("i");
  EXPECT_EQ(answers_kept(copy), answers) << "nothing was forgotten";
  copy.assume("n", 5, {});
  EXPECT_EQ(answers_kept(copy), nullptr);
  EXPECT_EQ(less_equal(5, n, copy), Truth::Yes);
  EXPECT_EQ(less_equal(5, n, known), Truth::Unknown);

  known.assume("n", 5, {});  // alone again, and still not to be asked for old answers
  EXPECT_EQ(less_equal(5, n, known), Truth::Yes);
}

TEST(Assumptions, WhatIsRememberedIsNotAskedAgain) {
  Assumptions known = at_least_one();
  known.keep_answers();
  int asked = 0;
  const auto ask = [&](detail::Answers::About about, const Expr& a, const Expr& b) {
    answer(about, a, b, known, [&] { return ++asked, Truth::Yes; });
  };
  using About = detail::Answers::About;
  ask(About::Less, i, n);
  ask(About::Less, i, n);
  EXPECT_EQ(asked, 1);
  ask(About::Less, n, i);
  ask(About::LessEqual, i, n);
  EXPECT_EQ(asked, 3);
  known.add_fact(compare_expr(Op::Lt, i, n));
  ask(About::Less, i, n);
  ask(About::Less, i, n);
  EXPECT_EQ(asked, 5);
}

}  // namespace
}  // namespace sdfg
