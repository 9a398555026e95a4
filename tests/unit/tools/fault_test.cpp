// Finding faults: a pass that is wrong in one place must be found out, named and made small.

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "passes/registry.h"
#include "support/assert.h"
#include "tools/common/bisect.h"
#include "tools/common/check_semantics.h"
#include "tools/common/reduce.h"
#include "tools/common/reduce_main.h"

namespace sdfg {
namespace {

/// Relabels every tasklet, and in the one called `victim` turns the code into another.
struct Relabel {
  static constexpr PassInfo info{"relabel", "relabel tasklets", ""};
  struct Options {};
  using Match = Path<Tasklet>;
  static Refusal check(const Sdfg&, const State& state, const Match& match, const Options&) {
    return state.get<Tasklet>(match.nodes[0]).label.ends_with("_") ? "it is relabelled" : "";
  }
  static void apply(Sdfg&, State& state, const Match& match, const Options&) {
    auto& tasklet = state.get<Tasklet>(match.nodes[0]);
    if (tasklet.label == "victim") tasklet.code = Code("o = a + 2");
    tasklet.label += "_";
  }
};
constexpr std::array passes{entry<Relabel>()};

/// A chain of maps t0 -> t1 -> … in one state each, the victim in the middle.
Sdfg program() {
  Builder b("chain");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N");
  b.array("B", BaseType::Float64, "N");
  for (int i = 0; i < 9; ++i) b.transient("t" + std::to_string(i), BaseType::Float64, "N");
  for (int i = 0; i <= 9; ++i) {
    const std::string from = i == 0 ? "A" : "t" + std::to_string(i - 1);
    const std::string to = i == 9 ? "B" : "t" + std::to_string(i);
    b.state().map(i == 5 ? "victim" : "step" + std::to_string(i), "i", "0:N", {{"a", from + "[i]"}},
                  "o = a + 1", {{"o", to + "[i]"}});
  }
  return b.take();
}

Pipeline relabel() { return *parse_pipeline("relabel", passes); }

TEST(CheckSemantics, ADifferenceIsThePassesFault) {
  Sdfg sdfg = program();
  CheckSemantics check(true);
  check.start(sdfg);
  ASSERT_FALSE(check.note());
  RunOptions options;
  options.observers = {&check};
  Diagnostics warnings;
  try {
    (void)run(relabel(), sdfg, options, warnings);
    FAIL() << "the difference was not seen";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("after relabel (run 1)"), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find("--tolerance"), std::string::npos);
  }
}

/// A loop of nine rounds; what counts them is one of the assignments on an edge.
Sdfg counting() {
  return *parse(
      "sdfg counting(B: float64[1])\n"
      "  symbol k: int64\n"
      "  state first\n"
      "  loop again while \"k < 9\"\n"
      "    state body\n"
      "      n0 = tasklet victim: \"o = 1\"\n"
      "      n1 = access B\n"
      "      n0.o -> n1 : B[0]\n"
      "    state count\n"
      "    body -> count set k = k + 1\n"
      "  first -> again set k = 0\n");
}

/// Takes the assignments off the edges in loops: those that count their rounds, too.
struct Forget {
  static constexpr PassInfo info{"forget", "forget what loops assign", ""};
  struct Options {};
  static Result<Changed> run(Sdfg& sdfg, const Options&, PassContext&) {
    for_each_block(sdfg, [](Block& block) {
      if (auto* loop = block.as<LoopRegion>())
        for (InterstateEdgeId id : loop->edges()) (*loop)[id].assignments.clear();
    });
    return Changed::Yes;
  }
};

TEST(CheckSemantics, AProgramThatNoLongerEndsIsThePassesFault) {
  const std::array passes{entry<Forget>()};
  Sdfg sdfg = counting();
  CheckSemantics check(true);
  check.start(sdfg);
  ASSERT_FALSE(check.note()) << check.note()->text();
  RunOptions options;
  options.observers = {&check};
  Diagnostics warnings;
  try {
    (void)run(*parse_pipeline("forget", passes), sdfg, options, warnings);
    FAIL() << "the endless loop was not seen";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("the step limit is reached"), std::string::npos)
        << error.what();
  }
}

TEST(CheckSemantics, ADifferenceAsOfSumsInAnotherOrderIsSaidToBeOne) {
  Sdfg sdfg = *parse(
      "sdfg total(A: float32[40], r: float32[1])\n"
      "  state s\n"
      "    n0 = access A\n"
      "    n1 = map tiles (ti) in [0:40:4]\n"
      "      n2 = map points (i) in [ti:ti + 4]\n"
      "        n3 = tasklet take: \"o = v * 0.1\"\n"
      "      n4 = exit n2\n"
      "    n5 = exit n1\n"
      "    n6 = access r\n"
      "    n0 -> n1.IN_A : A[0:40]\n"
      "    n1.OUT_A -> n2.IN_A : A[ti:ti + 4]\n"
      "    n2.OUT_A -> n3.v : A[i]\n"
      "    n3.o -> n4.IN_r : r[0] {wcr = \"lambda x, y: x + y\"}\n"
      "    n4.OUT_r -> n5.IN_r : r[0] {wcr = \"lambda x, y: x + y\"}\n"
      "    n5.OUT_r -> n6 : r[0] {wcr = \"lambda x, y: x + y\"}\n");
  CheckSemantics check(true);
  check.start(sdfg);
  RunOptions options;
  options.observers = {&check};
  Diagnostics warnings;
  try {
    (void)run(*parse_pipeline("accumulate-transient", all_passes()), sdfg, options, warnings);
    FAIL() << "the difference was not seen";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("--tolerance=1e-4"), std::string::npos);
  }
}

/// A tasklet reads what another one overwrites; which of them comes first may be left open.
Sdfg overwriting(bool in_order, const std::string& value = "7") {
  return *parse(std::string("sdfg overwriting(A: float64[1], B: float64[1])\n"
                            "  state s\n"
                            "    n0 = access A\n"
                            "    n1 = tasklet read: \"o = x\"\n"
                            "    n2 = tasklet write: \"o = " + value + "\"\n"
                            "    n3 = access A\n"
                            "    n4 = access B\n"
                            "    n0 -> n1.x : A[0]\n" +
                            (value == "x" ? "    n0 -> n2.x : A[0]\n" : "") +
                            "    n1.o -> n4 : B[0]\n"
                            "    n2.o -> n3 : A[0]\n") +
                (in_order ? "    n1 -> n2\n" : ""));
}

TEST(CheckSemantics, AnOrderThatIsLostShows) {
  CheckSemantics check(false);
  check.start(overwriting(true));
  check.finish(overwriting(true));
  EXPECT_THROW(check.finish(overwriting(false)), InternalError);
}

TEST(CheckSemantics, AnOrderThatIsLostShowsWhereResultsAreTheSame) {
  CheckSemantics check(false);
  check.start(overwriting(true, "x"));
  try {
    check.finish(overwriting(false, "x"));
    FAIL() << "nothing was thrown";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find(
                  "nothing orders two accesses of 'A': SDFG 'overwriting' / state s / edge n0 -> "
                  "n1.x, and edge n2.o -> n3"),
              std::string::npos)
        << error.what();
  }
}

TEST(CheckSemantics, AProgramMayLeaveAnOrderOpen) {
  CheckSemantics check(false);
  check.start(overwriting(false));
  check.finish(overwriting(false));
  EXPECT_EQ(check.compared(), 1u);
}

TEST(CheckSemantics, WhatCannotRunIsNotCompared) {
  Builder b("cpp");
  b.array("A", BaseType::Float64, "1");
  auto s = b.state();
  s.tasklet("t", {}, "o = 1", {{"o", "A[0]"}});
  Sdfg sdfg = b.take();
  for_each_node(sdfg, [](Node& node) {
    if (auto* tasklet = node.as<Tasklet>()) tasklet->code = Code("o = 1;", Language::Cpp);
  });
  CheckSemantics check(true);
  check.start(sdfg);
  EXPECT_TRUE(check.note());
  check.finish(sdfg);
  EXPECT_EQ(check.compared(), 0u);
}

/// Changes results without applying anything.
struct Silent {
  static constexpr PassInfo info{"silent", "", ""};
  struct Options {};
  static Result<Changed> run(Sdfg& sdfg, const Options&, PassContext&) {
    for_each_node(sdfg, [](Node& node) {
      if (auto* tasklet = node.as<Tasklet>()) tasklet->code = Code("o = 7.5", Language::Python);
    });
    return Changed::Yes;
  }
};

TEST(Bisect, BlamesNobodyForAChangeThatIsNotReported) {
  const std::array passes{entry<Relabel>(), entry<Silent>()};
  const Result<Pipeline> pipeline = parse_pipeline("silent,relabel", passes);
  ASSERT_TRUE(pipeline) << pipeline.error().text();
  const Sdfg sdfg = program();
  const Result<Judge> judge = semantics_judge(sdfg, {});
  ASSERT_TRUE(judge);
  const Result<Culprit> found = bisect(sdfg, *pipeline, {}, *judge);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().text().find("before any application"), std::string::npos)
      << found.error().text();
}

TEST(Bisect, NamesTheApplication) {
  const Sdfg sdfg = program();
  const Result<Judge> judge = semantics_judge(sdfg, {});
  ASSERT_TRUE(judge);
  const Result<Culprit> found = bisect(sdfg, relabel(), {}, *judge);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->number, 6u);
  EXPECT_EQ(found->total, 10u);
  EXPECT_NE(found->remark.place.find("victim"), std::string::npos) << found->remark.place;
}

/// Relabels, too, but breaks at the victim: while it applies, or before.
template <bool checks>
struct Stumble : Relabel {
  static constexpr PassInfo info{"stumble", "", ""};
  static Refusal check(const Sdfg& sdfg, const State& state, const Match& match, const Options& o) {
    if (checks) { SDFG_ASSERT(state.get<Tasklet>(match.nodes[0]).label != "victim"); }
    return Relabel::check(sdfg, state, match, o);
  }
  static void apply(Sdfg& sdfg, State& state, const Match& match, const Options& o) {
    SDFG_ASSERT(state.get<Tasklet>(match.nodes[0]).label != "victim");
    Relabel::apply(sdfg, state, match, o);
  }
};

TEST(Bisect, NamesTheApplicationThatEndsInAnInternalError) {
  const std::array passes{entry<Stumble<false>>()};
  const Judge never = [](const Sdfg&) -> Result<bool> { return false; };
  const Result<Culprit> found =
      bisect(program(), *parse_pipeline("stumble", passes), {}, never);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->number, 6u);
  EXPECT_EQ(found->total, 6u);
}

TEST(Bisect, BlamesNoApplicationForAnInternalErrorOfACheck) {
  const std::array passes{entry<Stumble<true>>()};
  const Judge never = [](const Sdfg&) -> Result<bool> { return false; };
  const Result<Culprit> found =
      bisect(program(), *parse_pipeline("stumble", passes), {}, never);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().text().find("a pass fails where it applies nothing"), std::string::npos)
      << found.error().text();
}

TEST(Driver, AnInternalErrorSaysWhereThePassWas) {
  const std::array passes{entry<Stumble<false>>()};
  Sdfg sdfg = program();
  Diagnostics warnings;
  try {
    (void)run(*parse_pipeline("stumble", passes), sdfg, {}, warnings);
    FAIL() << "nothing was thrown";
  } catch (const InternalError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("in stumble (run 1): state state_5 / node 2 (tasklet victim): "))
        << error.what();
  }
}

TEST(Bisect, SaysThatThereIsNoFault) {
  const Sdfg sdfg = program();
  const Judge never = [](const Sdfg&) -> Result<bool> { return false; };
  const Judge always = [](const Sdfg&) -> Result<bool> { return true; };
  EXPECT_EQ(bisect(sdfg, relabel(), {}, never).error().message,
            "the program does not fail after all passes");
  EXPECT_EQ(bisect(sdfg, relabel(), {}, always).error().message,
            "the program fails without any pass");
}

// Whoever stops a long reduction has what was found until then.
TEST(Reduce, WritesEachSmallerProgram) {
  std::vector<std::string> written;
  Console console;
  console.read = [](const std::string&) -> Result<std::string> { return print(program()); };
  console.write = [&](const std::string& path, std::string_view bytes) -> Status {
    EXPECT_EQ(path, "least.txt");
    written.emplace_back(bytes);
    return Ok{};
  };
  console.out = console.err = [](std::string_view) {};
  const std::vector<std::string> arguments{"p.txt", "-o", "least.txt", "--", "false", "{}"};
  EXPECT_EQ(reduce_main(arguments, console, {}), 0);
  ASSERT_GT(written.size(), 2u);
  EXPECT_LT(written.back().size(), written.front().size());
  EXPECT_EQ(written[written.size() - 2], written.back());
}

TEST(Reduce, LeavesWhatTheFaultNeeds) {
  const Judge judge = pipeline_judge(relabel(), {}, {}, 0);
  const Result<Sdfg> smallest = reduce(program(), judge, {});
  ASSERT_TRUE(smallest) << smallest.error().text();
  EXPECT_FALSE(has_errors(verify(*smallest)));
  std::size_t tasklets = 0;
  for_each_node(*smallest, [&](const Node& node) {
    if (const auto* tasklet = node.as<Tasklet>()) {
      ++tasklets;
      EXPECT_EQ(tasklet->label, "victim");
    }
  });
  EXPECT_EQ(tasklets, 1u);
  EXPECT_EQ(smallest->node_count(), 1u);
}

TEST(Reduce, LeavesInAMapWhatTheFaultNeeds) {
  Builder b("wide");
  b.symbol("N");
  b.array("A", BaseType::Float64, "N");
  auto state = b.state();
  state.open_map("all", "i", "0:N");
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i);
    b.array("B" + n, BaseType::Float64, "N");
    state.tasklet(i == 3 ? "victim" : "step" + n, {{"a", "A[i]"}}, "o = a + 1",
                  {{"o", "B" + n + "[i]"}});
  }
  state.close_map();
  const Result<Sdfg> smallest = reduce(b.take(), pipeline_judge(relabel(), {}, {}, 0), {});
  ASSERT_TRUE(smallest) << smallest.error().text();
  std::size_t tasklets = 0;
  for_each_node(*smallest, [&](const Node& node) { tasklets += node.is<Tasklet>(); });
  EXPECT_EQ(tasklets, 1u);
}

TEST(Reduce, WhatLeadsToTheFaultInAMapBecomesAnArgument) {
  Sdfg sdfg = *parse(
      "sdfg deep(A: float64[9], B: float64[9])\n"
      "  transient t: float64\n"
      "  state s\n"
      "    n0 = access A\n"
      "    n1 = map points (i) in [0:9]\n"
      "      n2 = tasklet first: \"o = a * 3\"\n"
      "      n3 = access t\n"
      "      n4 = tasklet victim: \"o = a + 1\"\n"
      "    n5 = exit n1\n"
      "    n6 = access B\n"
      "    n0 -> n1.IN_A : A[0:9]\n"
      "    n1.OUT_A -> n2.a : A[i]\n"
      "    n2.o -> n3 : t[0]\n"
      "    n3 -> n4.a : t[0]\n"
      "    n4.o -> n5.IN_B : B[i]\n"
      "    n5.OUT_B -> n6 : B[0:9]\n");
  const Result<Sdfg> smallest = reduce(std::move(sdfg), pipeline_judge(relabel(), {}, {}, 0), {});
  ASSERT_TRUE(smallest) << smallest.error().text();
  std::size_t tasklets = 0;
  for_each_node(*smallest, [&](const Node& node) { tasklets += node.is<Tasklet>(); });
  EXPECT_EQ(tasklets, 1u);
  EXPECT_FALSE(smallest->find_data("t")->transient);
}

TEST(Reduce, ACandidateThatDoesNotEndShowsNoFault) {
  const Result<Sdfg> smallest = reduce(counting(), pipeline_judge(relabel(), {}, {}, 0), {});
  ASSERT_TRUE(smallest) << smallest.error().text();
  EXPECT_EQ(smallest->node_count(), 1u);
}

/// Changes the victim where it reads a transient.
struct Spoil {
  static constexpr PassInfo info{"spoil", "", ""};
  struct Options {};
  static Result<Changed> run(Sdfg& sdfg, const Options&, PassContext&) {
    Changed changed = Changed::No;
    for_each_node(sdfg, [&](Node& node, State& state, NodeId id) {
      auto* tasklet = node.as<Tasklet>();
      if (!tasklet || tasklet->label != "victim" || state.in(id).empty()) return;
      const auto* read = state[state.source(state.in(id).front())].as<AccessNode>();
      if (!read || !sdfg.find_data(read->data)->transient) return;
      tasklet->code = Code("o = a + 2");
      changed = Changed::Yes;
    });
    return changed;
  }
};

TEST(Reduce, ACandidateThatLeavesItsResultsOpenShowsAnotherFault) {
  const std::array passes{entry<Spoil>()};
  Sdfg sdfg = *parse(
      "sdfg handed(A: float64[1], B: float64[1])\n"
      "  transient t: float64[1]\n"
      "  state first\n"
      "    n0 = access A\n"
      "    n1 = tasklet before: \"o = a * 3\"\n"
      "    n2 = access t\n"
      "    n0 -> n1.a : A[0]\n"
      "    n1.o -> n2 : t[0]\n"
      "  state second\n"
      "    n0 = access t\n"
      "    n1 = tasklet victim: \"o = a + 1\"\n"
      "    n2 = access B\n"
      "    n0 -> n1.a : t[0]\n"
      "    n1.o -> n2 : B[0]\n"
      "  first -> second\n");
  const Result<Sdfg> smallest =
      reduce(std::move(sdfg), pipeline_judge(*parse_pipeline("spoil", passes), {}, {}, 0), {});
  ASSERT_TRUE(smallest) << smallest.error().text();
  bool written = false;  // else the victim reads what was never written
  for_each_node(*smallest, [&](const Node& node, const State& state, NodeId id) {
    const auto* access = node.as<AccessNode>();
    written |= access && access->data == "t" && !state.in(id).empty();
  });
  EXPECT_TRUE(written);
}

TEST(Reduce, AProgramWithoutTheFaultIsRefused) {
  const Judge never = [](const Sdfg&) -> Result<bool> { return false; };
  EXPECT_EQ(reduce(program(), never, {}).error().message, "the program does not show the fault");
}

}  // namespace
}  // namespace sdfg
