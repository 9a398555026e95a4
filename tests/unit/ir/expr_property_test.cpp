// Properties of normal form on random expressions: the value stays, simplifying twice is
// simplifying once, printed text reads back as the same tree, in every dialect.

#include <gtest/gtest.h>

#include <random>

#include "ir/expr.h"
#include "tests/unit/ir/print_expr.h"

namespace sdfg {
namespace {

using Environment = ByName<std::int64_t>;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}
  bool extremes = false;  ///< use integers at the end of 64 bits
  std::int64_t below(std::int64_t n) { return std::int64_t(random_() % std::uint64_t(n)); }

  Expr number(int depth) {
    if (depth <= 0 || below(8) == 0) return leaf();
    static constexpr Op binary[] = {Op::Add, Op::Add,      Op::Sub, Op::Sub, Op::Mul, Op::Mul,
                                    Op::Div, Op::FloorDiv, Op::FloorDiv, Op::CeilDiv, Op::Mod,
                                    Op::Min, Op::Max};
    switch (below(16)) {
      case 0: return Expr::make(Op::Neg, {number(depth - 1)});
      case 1: return Expr::make(Op::Pow, {number(depth - 1), below(4)});
      case 2:
        return Expr::make(Op::Select, {truth(depth - 1), number(depth - 1), number(depth - 1)});
      case 3: {
        static constexpr const char* functions[] = {"floor", "ceil", "abs"};
        return Expr::make(Op::Call, {number(depth - 1)}, functions[below(3)]);
      }
      case 4:
        return Expr::make(below(2) ? Op::Min : Op::Max,
                          {number(depth - 1), number(depth - 1), number(depth - 1)});
      case 5:
        return Expr::make(below(2) ? Op::LeftShift : Op::RightShift, {number(depth - 1), below(4)});
      case 6: return Expr::make(below(2) ? Op::FloorDiv : Op::Mod, {number(depth - 1), constant()});
      default:
        return Expr::make(binary[below(std::size(binary))], {number(depth - 1), number(depth - 1)});
    }
  }
  Expr truth(int depth) {
    static constexpr Op comparisons[] = {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge};
    if (depth > 0) {
      switch (below(6)) {
        case 0: return Expr::make(Op::Not, {truth(depth - 1)});
        case 1:
        case 2:
          return Expr::make(below(2) ? Op::And : Op::Or, {truth(depth - 1), truth(depth - 1)});
        case 3: return Expr::boolean(below(2));
        default: break;
      }
    }
    return Expr::make(comparisons[below(6)], {number(depth - 1), number(depth - 1)});
  }
  Environment environment() {
    Environment env;
    for (const char* name : names) env[name] = below(24) - 8;
    return env;
  }

 private:
  static constexpr const char* names[] = {"a", "b", "c", "n"};
  Expr constant() {
    static constexpr std::int64_t values[] = {-4, -3, -2, -1, 1, 2, 3, 4, 6, 8, 12};
    return values[below(std::size(values))];
  }
  Expr leaf() {
    if (extremes && below(10) == 0) return below(2) ? INT64_MAX : INT64_MIN;
    if (below(3) == 0) return below(9) - 4;
    return Expr::symbol(names[below(4)]);
  }

  std::mt19937_64 random_;
};

void check_text(const Expr& written, const Expr& normal) {
  // As text, because a normal expression knows that it is one.
  for (const Dialect dialect : {Dialect::Plain, Dialect::Typed}) {
    const std::string text = print_symbolic(normal, dialect);
    const auto again = parse_symbolic(text, dialect);
    ASSERT_TRUE(again) << text << ": " << again.error().text();
    EXPECT_EQ(*again, normal) << text;
  }
  const auto python = parse_python(print_python(written));
  ASSERT_TRUE(python) << python.error().text();
  EXPECT_EQ(*python, written);
  const auto normal_python = parse_python(print_python(normal));
  ASSERT_TRUE(normal_python) << print_python(normal);
  EXPECT_EQ(simplify(*normal_python), normal) << print_python(normal);
}

void check_value(const Expr& written, const Expr& normal, Generator& random) {
  for (int i = 0; i < 8; ++i) {
    const Environment env = random.environment();
    const auto before = evaluate(written, env);
    if (!before) continue;
    const auto after = evaluate(normal, env);
    // A huge intermediate value may overflow in one form only.
    if (!after) continue;
    ASSERT_EQ(*before, *after) << "normal form " << to_text(normal) << " at a=" << env.at("a")
                               << " b=" << env.at("b") << " c=" << env.at("c")
                               << " n=" << env.at("n");
  }
}

TEST(ExprProperties, normal_form_keeps_the_value_and_reads_back) {
  // --gtest_random_seed=N tries other expressions.
  Generator random(20240501 + std::uint64_t(GTEST_FLAG_GET(random_seed)));
  for (int round = 0; round < 20000 && !testing::Test::HasFailure(); ++round) {
    // What overflows stays unfolded, which is right but not unique; so only its value is compared.
    random.extremes = round % 8 == 0;
    const Expr written = round % 4 ? random.number(1 + round % 5) : random.truth(1 + round % 4);
    SCOPED_TRACE(print_python(written));
    const Expr normal = simplify(written);
    check_value(written, normal, random);
    if (!random.extremes) check_text(written, normal);
  }
}

}  // namespace
}  // namespace sdfg
