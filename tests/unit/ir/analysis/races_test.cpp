#include "ir/analysis/races.h"

#include <gtest/gtest.h>

#include "ir/parse.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

/// The container of a race in the only state.
std::string race(const std::string& state, RaceIs kind) {
  const std::string head = "sdfg p(A: float64[8], B: float64[8])\n  symbol N: int64\n  state s\n";
  const auto sdfg = parse(head + state);
  if (!sdfg) return sdfg.error().text();
  std::string container;
  for_each_state(*sdfg, [&](const State& s) {
    if (const auto found = find_race(*sdfg, s, kind)) container = found->container;
  });
  return container;
}

const std::string two_writers = R"(
    n0 = tasklet one: "o = 1"
    n1 = access A
    n2 = tasklet two: "o = 2"
    n3 = access A
    n0.o -> n1 : A[0]
)";

TEST(Races, TwoWritersWithoutAPath) {
  EXPECT_EQ(race(two_writers + "    n2.o -> n3 : A[0]\n", RaceIs::Certain), "A");
  EXPECT_EQ(race(two_writers + "    n2.o -> n3 : A[0]\n    n1 -> n2\n", RaceIs::Possible), "");
  EXPECT_EQ(race(two_writers + "    n2.o -> n3 : A[1]\n", RaceIs::Possible), "");
}

TEST(Races, WhatIsNotCertainIsPossible) {
  for (const char* edge : {"    n2.o -> n3 : A[N]\n", "    n2.o -> n3 : A[0] {dynamic = true}\n"}) {
    EXPECT_EQ(race(two_writers + edge, RaceIs::Certain), "") << edge;
    EXPECT_EQ(race(two_writers + edge, RaceIs::Possible), "A") << edge;
  }
}

TEST(Races, ConflictsThatBothSidesResolve) {
  const std::string sums = R"(
    n0 = tasklet one: "o = 1"
    n1 = access A
    n2 = tasklet two: "o = 2"
    n0.o -> n1 : A[0] {wcr = "lambda a, b: a + b"}
    n2.o -> n1 : A[0])";
  EXPECT_EQ(race(sums + " {wcr = \"lambda a, b: a + b\"}\n", RaceIs::Possible), "");
  EXPECT_EQ(race(sums + "\n", RaceIs::Certain), "A");
}

// A map reads when it runs, a copy when its source is ready.
TEST(Races, ReadersThatWaitForAnotherNode) {
  const std::string write = R"(
    n0 = tasklet one: "o = 1"
    n1 = access A
    n2 = access A
    n0.o -> n1 : A[0]
)";
  const std::string by_map = R"(
    n3 = map m (i) in [0:8]
      n4 = tasklet t: "o = x"
    n5 = exit n3
    n6 = access B
    n2 -> n3.IN_A : A[0:8]
    n3.OUT_A -> n4.x : A[i]
    n4.o -> n5.IN_B : B[i]
    n5.OUT_B -> n6 : B[0:8]
)";
  EXPECT_EQ(race(write + by_map, RaceIs::Certain), "A");
  EXPECT_EQ(race(write + by_map + "    n1 -> n3\n", RaceIs::Possible), "");
  const std::string by_copy = "    n6 = access B\n    n2 -> n6 : A[0:8]\n";
  EXPECT_EQ(race(write + by_copy + "    n1 -> n6\n", RaceIs::Certain), "A");
  EXPECT_EQ(race(write + by_copy + "    n1 -> n2\n", RaceIs::Possible), "");
}

// The memlet outside says all from the first element to the last, whatever lies between.
TEST(Races, AScopeMayTouchLessThanItsMemletSays) {
  const auto reads = [](const std::string& index) {
    return R"(
    n0 = tasklet one: "o = 1"
    n1 = access A
    n2 = access A
    n0.o -> n1 : A[0]
    n3 = map m (i) in [0:8]
      n4 = tasklet t: "o = x"
    n5 = exit n3
    n6 = access B
    n2 -> n3.IN_A : A[0:8]
    n3.OUT_A -> n4.x : A[)" +
           index + R"(]
    n4.o -> n5.IN_B : B[i]
    n5.OUT_B -> n6 : B[0:8]
)";
  };
  EXPECT_EQ(race(reads("7 - i"), RaceIs::Certain), "A");
  EXPECT_EQ(race(reads("Mod(i, 3) + 1"), RaceIs::Certain), "");
  EXPECT_EQ(race(reads("Min(i + 1, 7)"), RaceIs::Certain), "");
  EXPECT_EQ(race(reads("Min(i + 1, 7)"), RaceIs::Possible), "A");
}

TEST(Races, InTheScopesOfMaps) {
  const auto body = [](const std::string& order) {
    return R"(
    n0 = access A
    n1 = map m (i) in [0:8]
      n2 = tasklet reads: "o = x"
      n3 = tasklet writes: "o = 2"
    n4 = exit n1
    n5 = access A
    n6 = access B
    n0 -> n1.IN_A : A[0:8]
    n1.OUT_A -> n2.x : A[i]
    n2.o -> n4.IN_B : B[i]
    n3.o -> n4.IN_A : A[i]
    n4.OUT_A -> n5 : A[0:8]
    n4.OUT_B -> n6 : B[0:8]
)" + order;
  };
  EXPECT_EQ(race(body("    n1 -> n3\n"), RaceIs::Certain), "A");
  EXPECT_EQ(race(body("    n2 -> n3\n"), RaceIs::Possible), "");
}

TEST(Races, AMapMayHaveNoPoints) {
  const auto writes = [](const std::string& range, const std::string& subset, RaceIs kind) {
    return race(two_writers + "    n2.o -> n3 : A[0]\n    n1 -> n2\n" +
                    "    n4 = map m (i) in [" + range + R"(]
      n5 = tasklet t: "o = 2"
    n6 = exit n4
    n7 = access A
    n4 -> n5
    n5.o -> n6.IN_A : A[0]
    n6.OUT_A -> n7 : A[)" + subset + "]\n",
                kind);
  };
  EXPECT_EQ(writes("0:4", "0", RaceIs::Certain), "A");
  EXPECT_EQ(writes("0:N", "0", RaceIs::Certain), "");
  EXPECT_EQ(writes("0:N", "0", RaceIs::Possible), "A");
}

TEST(Races, ReferencesMayBeToAnything) {
  const auto sdfg = parse(
      "sdfg p(A: float64[8], B: float64[8])\n  transient r: reference float64[8]\n  state s\n"
      "    n0 = access r\n    n1 = access B\n    n0 -> n1 : r[0:8]\n");
  ASSERT_TRUE(sdfg) << sdfg.error().text();
  for_each_state(*sdfg, [&](const State& s) {
    EXPECT_FALSE(find_race(*sdfg, s, RaceIs::Certain));
    EXPECT_TRUE(find_race(*sdfg, s, RaceIs::Possible));
  });
}

TEST(Races, IterationsMayMeet) {
  const auto writes = [](const std::string& element) {
    return race(R"(
    n1 = map m (i, j) in [0:4, 0:2]
      n2 = tasklet t: "o = i"
    n3 = exit n1
    n4 = access A
    n1 -> n2
    n2.o -> n3.IN_A : A[)" + element + "]\n    n3.OUT_A -> n4 : A[0:8]\n",
                RaceIs::Possible);
  };
  EXPECT_EQ(writes("i"), "A");
  EXPECT_EQ(writes("i + j"), "A");
}

}  // namespace
// Each iteration of a map has a transient of its own, but not where something else uses it, too.
TEST(SharedTransient, WhatIterationsWriteInOnePlace) {
  const auto shared = [](const std::string& index, const std::string& schedule,
                         const std::string& other) {
    const auto sdfg = parse("sdfg s(A: float64[8])\n  transient t: float64[8]\n  state main\n"
                            "    n0 = map m (i) in [0:8]" + schedule + R"(
      n1 = tasklet one: "o = 1"
      n2 = access t
      n3 = tasklet two: "o = x"
    n4 = exit n0
    n5 = access A
    n0 -> n1
    n1.o -> n2 : t[)" + index + R"(]
    n2 -> n3.x : t[)" + index + R"(]
    n3.o -> n4.IN_A : A[i]
    n4.OUT_A -> n5 : A[0:8]
)" + other);
    EXPECT_TRUE(sdfg) << sdfg.error().text();
    return find_shared_transient(*sdfg).value_or("");
  };
  const std::string behind = R"(
    n6 = tasklet three: "o = 3"
    n7 = access t
    n4 -> n6
    n6.o -> n7 : t[1]
)";
  const std::string next = R"(
  state after
    n0 = tasklet three: "o = 3"
    n1 = access t
    n0.o -> n1 : t[1]
  main -> after
)";
  EXPECT_EQ(shared("0", "", ""), "");
  for (const std::string& other : {behind, next}) {
    EXPECT_EQ(shared("0", "", other), "t");
    EXPECT_EQ(shared("i", "", other), "");
    EXPECT_EQ(shared("0", " {schedule = Sequential}", other), "");
  }
}

}  // namespace sdfg
