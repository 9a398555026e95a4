// Decisions against brute force: what is certain must hold at every point that the assumptions
// allow, and a fair share of the questions must get an answer.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "ir/expr_linear.h"
#include "tests/unit/ir/print_expr.h"

namespace sdfg {
namespace {

using Environment = ByName<std::int64_t>;
using Points = std::set<std::vector<std::int64_t>>;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}
  std::int64_t below(std::int64_t n) { return std::int64_t(random_() % std::uint64_t(n)); }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  Expr symbol() { return Expr::symbol(names[below(3)]); }
  Expr linear() {
    Expr e = between(-4, 6);
    for (std::int64_t n = below(3); n > 0; --n) e = e + symbol() * between(-2, 2);
    return e;
  }
  Expr expression() {
    switch (below(9)) {
      case 0: return min(linear(), linear());
      case 1: return max(linear(), linear());
      case 2: return floor_div(linear(), between(1, 4));
      case 3: return ceil_div(linear(), between(1, 4)) + linear();
      case 4: return mod(linear(), between(1, 4));
      case 5: return linear() * symbol();
      default: return linear();
    }
  }
  Expr condition(int depth = 1) {
    static constexpr Op comparisons[] = {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge};
    if (depth > 0 && below(4) == 0)
      return below(2) ? logical_and(condition(depth - 1), condition(depth - 1))
                      : logical_or(condition(depth - 1), condition(depth - 1));
    return compare_expr(comparisons[below(6)], expression(), expression());
  }
  Assumptions assumptions() {
    Assumptions out;
    const std::int64_t low = between(-3, 2);
    out.assume("a", low, below(3) ? Expr(between(low, 5)) : Expr(5));
    out.assume("b", below(2) ? Expr::symbol("a") - between(0, 2) : Expr(between(-4, 0)),
               below(2) ? Expr::symbol("a") + between(0, 3) : Expr(between(0, 5)));
    out.assume("c", between(-4, 1), between(1, 4));
    if (below(3) == 0) out.add_fact(condition());
    return out;
  }
  /// Each symbol has some values, whatever the others are.
  Assumptions independent() {
    Assumptions out;
    out.assume("a", between(-3, 0), between(0, 5));
    out.assume("b", between(-5, 1), between(1, 8));
    out.assume("c", between(-4, 1), between(1, 4));
    return out;
  }
  Range range() {
    const Expr begin = below(2) ? linear() : Expr(between(-3, 3));
    if (below(3) == 0) return Range::index(begin);
    const Expr end = below(3) ? begin + between(-1, 7) : linear();
    if (below(5) == 0) return {end, begin, -between(1, 3)};
    Range r{begin, end};
    if (below(3) == 0) r.step = between(1, 4);
    if (below(4) == 0) r.tile = between(1, 4);
    return r;
  }
  Subset subset(std::size_t rank) {
    Subset s;
    while (s.rank() < rank) s.ranges.push_back(range());
    return s;
  }

  static constexpr const char* names[] = {"a", "b", "c"};

 private:
  std::mt19937_64 random_;
};

bool allowed(const Assumptions& given, const Environment& env) {
  for (const auto& [name, bounds] : given.bounds()) {
    if (bounds.low && *evaluate(*bounds.low, env) > env.at(name)) return false;
    if (bounds.high && *evaluate(*bounds.high, env) < env.at(name)) return false;
  }
  for (const Expr& fact : given.facts())
    if (evaluate(fact, env) != 1) return false;
  return true;
}

std::vector<Environment> environments(const Assumptions& given) {
  std::vector<Environment> out;
  for (std::int64_t a = -3; a <= 5; ++a)
    for (std::int64_t b = -5; b <= 8; ++b)
      for (std::int64_t c = -4; c <= 4; ++c)
        if (const Environment env{{"a", a}, {"b", b}, {"c", c}}; allowed(given, env))
          out.push_back(env);
  return out;
}

std::string describe(const Assumptions& given) {
  std::string out;
  for (const auto& [name, bounds] : given.bounds())
    out += " " + to_text(*bounds.low) + " <= " + name + " <= " + to_text(*bounds.high) + ";";
  for (const Expr& fact : given.facts()) out += " " + to_text(fact) + ";";
  return out;
}

/// What the range means, by the comment of Range.
std::vector<std::int64_t> points(const Range& r, const Environment& env) {
  std::vector<std::int64_t> out;
  const auto begin = *evaluate(r.begin, env), end = *evaluate(r.end, env);
  const auto step = *evaluate(r.step, env), tile = *evaluate(r.tile, env);
  EXPECT_NE(step, 0);
  for (std::int64_t at = begin; step > 0 ? at <= end : at >= end; at += step)
    for (std::int64_t t = 0; t < tile; ++t) out.push_back(at + t);
  return out;
}
Points points(const Subset& s, const Environment& env) {
  Points out{{}};
  for (const Range& r : s.ranges) {
    Points next;
    for (const auto& prefix : out)
      for (const std::int64_t p : points(r, env)) {
        next.insert(prefix);
        auto longer = prefix;
        longer.push_back(p);
        next.insert(std::move(longer));
      }
    out.clear();
    for (const auto& p : next)
      if (p.size() == std::size_t(&r - s.ranges.data()) + 1) out.insert(p);
  }
  return out;
}
bool contains(const Points& outer, const Points& inner) {
  return std::ranges::includes(outer, inner);
}
bool meet(const Points& a, const Points& b) {
  return std::ranges::any_of(a, [&](const auto& p) { return b.contains(p); });
}

/// Checks an answer against the truth at each point, and counts how often the question that has an
/// answer got it.
struct Score {
  int decided = 0, decidable = 0;
  void check(Truth answer, const std::vector<bool>& truths) {
    const bool all = std::ranges::all_of(truths, std::identity{});
    const bool none = std::ranges::none_of(truths, std::identity{});
    EXPECT_TRUE(answer != Truth::Yes || all) << "answered yes";
    EXPECT_TRUE(answer != Truth::No || none) << "answered no";
    decidable += all || none;
    decided += answer != Truth::Unknown;
  }
};

class Decide : public testing::Test {
 protected:
  Generator random{7 + std::uint64_t(GTEST_FLAG_GET(random_seed))};
};

TEST_F(Decide, conditions_are_sound) {
  Score score;
  for (int round = 0; round < 3000 && !HasFailure(); ++round) {
    const Assumptions given = random.assumptions();
    const Expr condition = random.condition();
    SCOPED_TRACE(to_text(condition) + " given" + describe(given));
    std::vector<bool> truths;
    for (const Environment& env : environments(given))
      truths.push_back(*evaluate(condition, env) != 0);
    score.check(is_true(condition, given), truths);
  }
  RecordProperty("decided", score.decided);
  RecordProperty("decidable", score.decidable);
  EXPECT_GT(score.decided * 100, score.decidable * 80)
      << score.decided << " of " << score.decidable;
}

TEST_F(Decide, linear_questions_are_answered_without_isl) {
  int decided = 0;
  for (int round = 0; round < 1000 && !HasFailure(); ++round) {
    const Assumptions given = random.independent();
    const Expr condition = random.condition();
    const auto answer = detail::linear_decide(condition, given);
    decided += answer.has_value();
    if (answer != Truth::Unknown) continue;
    SCOPED_TRACE(to_text(condition) + " given" + describe(given));
    std::set<bool> truths;
    for (const Environment& env : environments(given))
      truths.insert(*evaluate(condition, env) != 0);
    EXPECT_EQ(truths.size(), 2u) << "called open";
  }
  EXPECT_GT(decided, 500);
}

TEST_F(Decide, boxes_with_linear_borders_are_compared_without_isl) {
  int decided = 0;
  for (int round = 0; round < 300 && !HasFailure(); ++round) {
    const Assumptions given = random.independent();
    const auto dense = [&] {
      const Expr begin = max(random.linear(), random.linear());
      return Subset{{{begin, min(random.linear(), begin + random.between(-1, 5))},
                     Range::half_open(0, random.symbol())}};
    };
    const Subset a = dense(), b = dense();
    SCOPED_TRACE("[" + to_text(a) + "] and [" + to_text(b) + "] given" + describe(given));
    const auto cover = detail::linear_covers(a, b, given),
               meeting = detail::linear_intersects(a, b, given);
    decided += cover.has_value() + meeting.has_value();
    std::set<bool> covered, met;
    for (const Environment& env : environments(given)) {
      const Points x = points(a, env), y = points(b, env);
      covered.insert(contains(x, y));
      met.insert(meet(x, y));
    }
    const auto check = [](std::optional<Truth> answer, const std::set<bool>& truths) {
      if (!answer || truths.empty()) return;
      if (*answer == Truth::Unknown) EXPECT_EQ(truths.size(), 2u) << "called open";
      else EXPECT_EQ(truths, std::set{*answer == Truth::Yes});
    };
    check(cover, covered);
    check(meeting, met);
  }
  EXPECT_GT(decided, 400);
}

TEST_F(Decide, boxes_with_gaps_are_called_open_only_where_both_answers_occur) {
  int open = 0;
  for (int round = 0; round < 1000 && !HasFailure(); ++round) {
    const Assumptions given = random.independent();
    const auto with_gaps = [&](std::int64_t step) {
      const Expr begin = random.linear();
      return Subset{{{begin, min(random.linear(), begin + random.between(-1, 9)), step},
                     Range::half_open(0, random.symbol())}};
    };
    Subset a = with_gaps(random.between(2, 4)), b = with_gaps(random.between(1, 3));
    if (random.between(0, 2) == 0) a[0].tile = random.between(1, 3);
    SCOPED_TRACE("[" + to_text(a) + "] and [" + to_text(b) + "] given" + describe(given));
    // (A range of one point has no gaps.)
    const auto answer = detail::linear_intersects(a, b, given);
    if (!answer) continue;
    std::set<bool> met;
    for (const Environment& env : environments(given))
      met.insert(meet(points(a, env), points(b, env)));
    if (*answer != Truth::Unknown) {
      EXPECT_TRUE(met.empty() || met == std::set{*answer == Truth::Yes});
      continue;
    }
    ++open;
    EXPECT_EQ(met.size(), 2u) << "called open";
  }
  EXPECT_GT(open, 50);
}

TEST_F(Decide, what_covers_boxes_with_gaps_is_decided_without_isl) {
  int decided = 0;
  for (int round = 0; round < 2000 && !HasFailure(); ++round) {
    const Assumptions given = random.independent();
    const bool known_extent = random.between(0, 1);
    const auto box = [&] {
      const Expr begin = random.linear(), far = begin + random.between(-1, 9);
      Range gaps{begin, known_extent ? far : min(random.linear(), far), random.between(1, 4)};
      if (random.between(0, 3) == 0) gaps.tile = random.between(1, 3);
      return Subset{{gaps, Range::half_open(0, random.symbol())}};
    };
    const Subset a = box(), b = box();
    SCOPED_TRACE("[" + to_text(a) + "] and [" + to_text(b) + "] given" + describe(given));
    const auto answer = detail::linear_covers(a, b, given);
    decided += answer.has_value();
    std::set<bool> truths;
    for (const Environment& env : environments(given))
      truths.insert(contains(points(a, env), points(b, env)));
    if (!answer || truths.empty()) continue;
    if (*answer == Truth::Unknown) EXPECT_EQ(truths.size(), 2u) << "called open";
    else EXPECT_EQ(truths, std::set{*answer == Truth::Yes});
  }
  EXPECT_GT(decided, 1000);
}

TEST_F(Decide, subset_relations_are_sound) {
  Score cover, meeting;
  for (int round = 0; round < 1500 && !HasFailure(); ++round) {
    const Assumptions given = random.assumptions();
    const std::size_t rank = std::size_t(random.between(1, 2));
    const Subset a = random.subset(rank), b = random.subset(rank);
    SCOPED_TRACE("[" + to_text(a) + "] and [" + to_text(b) + "] given" + describe(given));
    std::vector<bool> covered, met;
    for (const Environment& env : environments(given)) {
      const Points x = points(a, env), y = points(b, env);
      covered.push_back(contains(x, y));
      met.push_back(meet(x, y));
    }
    cover.check(covers(a, b, given), covered);
    meeting.check(intersects(a, b, given), met);
  }
  EXPECT_GT(cover.decided * 100, cover.decidable * 70)
      << cover.decided << " of " << cover.decidable;
  EXPECT_GT(meeting.decided * 100, meeting.decidable * 70)
      << meeting.decided << " of " << meeting.decidable;
}

TEST_F(Decide, differences_and_boxes_hold_what_they_must) {
  int found = 0;
  for (int round = 0; round < 1500 && !HasFailure(); ++round) {
    const Assumptions given = random.assumptions();
    const std::size_t rank = std::size_t(random.between(1, 2));
    const Subset a = random.subset(rank), b = random.subset(rank);
    SCOPED_TRACE("[" + to_text(a) + "] and [" + to_text(b) + "] given" + describe(given));
    const auto pieces = difference(a, b, given);
    const Subset hull = bounding_box(a, b, given);
    found += pieces.has_value();
    for (const Environment& env : environments(given)) {
      const Points x = points(a, env), y = points(b, env), around = points(hull, env);
      EXPECT_TRUE(contains(around, x)) << to_text(hull);
      EXPECT_TRUE(contains(around, y)) << to_text(hull);
      if (!pieces) continue;
      Points left;
      std::size_t count = 0;
      for (const Subset& piece : *pieces) {
        const Points p = points(piece, env);
        count += p.size();
        left.insert(p.begin(), p.end());
      }
      Points expected;
      for (const auto& p : x)
        if (!y.contains(p)) expected.insert(p);
      EXPECT_EQ(left, expected);
      EXPECT_EQ(count, left.size()) << "the boxes overlap";
    }
  }
  EXPECT_GT(found, 200);
}

TEST_F(Decide, images_hold_all_points) {
  int bounded = 0;
  for (int round = 0; round < 1500 && !HasFailure(); ++round) {
    Assumptions given = random.assumptions();
    Subset inner;
    const Expr index = random.expression();
    inner.ranges.push_back(random.below(2) ? Range::index(index)
                                           : Range{index, index + random.below(4)});
    inner.ranges.push_back(random.range());
    // The parameters of the map are a and c; b is a symbol around it.
    const std::vector<std::string> params{"a", "c"};
    std::vector<Range> ranges{{random.between(-2, 1), random.between(-1, 4), random.between(1, 3)},
                              {random.between(-2, 1), Expr::symbol("b")}};
    if (random.below(4) == 0) ranges[0] = {ranges[0].end, ranges[0].begin, -1};
    const auto b_low = random.between(-2, 2), b_high = random.between(2, 5);
    given = {};
    given.assume("b", b_low, b_high);
    SCOPED_TRACE("[" + to_text(inner) + "] over a in " + to_text(ranges[0]) + ", c in " +
                 to_text(ranges[1]) + " given" + describe(given));
    const auto outer = image(inner, params, ranges, given);
    for (std::int64_t b = b_low; b <= b_high; ++b) {
      const Environment outside{{"b", b}};
      std::set<std::int64_t> reached[2];
      for (const std::int64_t a : points(ranges[0], outside))
        for (const std::int64_t c : points(ranges[1], outside))
          for (int d = 0; d < 2; ++d)
            for (const std::int64_t p :
                 points(inner[std::size_t(d)], {{"a", a}, {"b", b}, {"c", c}}))
              reached[d].insert(p);
      for (std::size_t d = 0; d < 2; ++d) {
        if (!outer[d]) continue;
        ++bounded;
        const auto held = points(*outer[d], outside);
        const std::set<std::int64_t> all(held.begin(), held.end());
        EXPECT_TRUE(std::ranges::includes(all, reached[d]))
            << to_text(*outer[d]) << " at b = " << b;
      }
    }
  }
  EXPECT_GT(bounded, 3000);
}

}  // namespace
}  // namespace sdfg
