#include "passes/pipeline.h"

#include <gtest/gtest.h>

#include "ir/walk.h"

namespace sdfg {
namespace {

/// Appends a state until there are `states` of them.
struct AddState {
  static constexpr PassInfo info{"add-state", "add a state", ""};
  struct Options {
    std::int64_t states = 3;
    static constexpr auto properties = property_list(property("states", &Options::states));
  };
  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context) {
    if (std::int64_t(sdfg.node_count()) >= options.states || !context.may_apply())
      return Changed::No;
    context.applied({}, "added a state");
    sdfg.add({"s" + std::to_string(sdfg.node_count()), State{}});
    return Changed::Yes;
  }
};
struct Fails {
  static constexpr PassInfo info{"fails", "fail", ""};
  struct Options {};
  static Result<Changed> run(Sdfg&, const Options&, PassContext&) {
    return Diagnostic{"state x", "cannot do that"};
  }
};
/// Says that it changed something forever.
struct Restless {
  static constexpr PassInfo info{"restless", "never rest", ""};
  struct Options {};
  static Result<Changed> run(Sdfg&, const Options&, PassContext&) { return Changed::Yes; }
};
/// Makes two nodes of each.
struct Doubles {
  static constexpr PassInfo info{"doubles", "double all", ""};
  struct Options {};
  static Result<Changed> run(Sdfg& sdfg, const Options&, PassContext&) {
    for_each_state(sdfg, [](State& state) {
      for (NodeId n : state.nodes()) state.add(Node{state[n]});
    });
    return Changed::Yes;
  }
};
/// Adds as many nodes each time.
struct Grows {
  static constexpr PassInfo info{"grows", "add nodes", ""};
  struct Options {};
  static Result<Changed> run(Sdfg& sdfg, const Options&, PassContext&) {
    for_each_state(sdfg, [](State& state) {
      for (int i = 0; i < 100; ++i) state.add(Node{AccessNode{"A"}});
    });
    return Changed::Yes;
  }
};
/// Removes access nodes that stand before another one.
struct Shorten {
  static constexpr PassInfo info{"shorten", "remove the first of two access nodes", ""};
  struct Options {};
  using Match = Path<AccessNode, AccessNode>;
  static Refusal check(const Sdfg&, const State& state, const Match& match, const Options&) {
    if (state.get<AccessNode>(match.nodes[0]).data == "keep") return "it is to be kept";
    return {};
  }
  static void apply(Sdfg&, State& state, const Match& match, const Options&) {
    state.erase(match.nodes[0]);
  }
};

constexpr std::array passes{entry<AddState>(), entry<Fails>(), entry<Restless>(),
                            entry<Doubles>(), entry<Grows>(), entry<Shorten>()};

std::string error_of(std::string_view text) {
  const auto pipeline = parse_pipeline(text, passes);
  return pipeline ? "none" : pipeline.error().text();
}

TEST(Pipeline, PrintedTextReadsBack) {
  for (const char* text : {"fails", "add-state{states=5},fails",
                           "fixed-point{add-state,fixed-point{fails,add-state{states=1}}},fails"}) {
    const auto pipeline = parse_pipeline(text, passes);
    ASSERT_TRUE(pipeline) << pipeline.error().text();
    EXPECT_EQ(print(*pipeline), text);
  }
  EXPECT_EQ(print(*parse_pipeline(" add-state { states=3 } ,\n fails", passes)), "add-state,fails");
}

TEST(Pipeline, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(error_of("add-stat"),
            "pipeline, character 1: unknown pass 'add-stat'; did you mean 'add-state'?");
  EXPECT_EQ(error_of("fails,"), "pipeline, character 7: expected the name of a pass");
  EXPECT_EQ(error_of("fails fails"),
            "pipeline, character 7: expected ',' or the end, found 'fails'");
  EXPECT_EQ(error_of("fixed-point{fails"), "pipeline, character 18: expected ',' or '}'");
  EXPECT_EQ(error_of("fixed-point"), "pipeline, character 12: expected '{' after 'fixed-point'");
  EXPECT_EQ(error_of("add-state{states=x}"),
            "add-state: option 'states': expected a whole number, found 'x'");
}

Result<Changed> run_text(std::string_view text, Sdfg& sdfg, Diagnostics& warnings,
                         RunOptions options = {}) {
  const auto pipeline = parse_pipeline(text, passes);
  SDFG_ASSERT(bool(pipeline));
  return run(*pipeline, sdfg, options, warnings);
}

TEST(Pipeline, AFixedPointRepeatsUntilNothingChanges) {
  Sdfg sdfg;
  Diagnostics warnings;
  EXPECT_EQ(*run_text("fixed-point{add-state}", sdfg, warnings), Changed::Yes);
  EXPECT_EQ(sdfg.node_count(), 3u);
  EXPECT_EQ(*run_text("fixed-point{add-state}", sdfg, warnings), Changed::No);
  EXPECT_TRUE(warnings.empty());
}

TEST(Pipeline, AFixedPointSaysThatItRanOutOfRounds) {
  Sdfg sdfg;
  Diagnostics warnings;
  EXPECT_EQ(*run_text("fixed-point{restless}", sdfg, warnings, {.fixed_point_rounds = 4}),
            Changed::Yes);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].text(),
            "fixed-point{restless}: warning: still changing after 4 rounds; stopped");
}

TEST(Pipeline, AFixedPointThatWasStoppedIsNotBegunAgain) {
  Sdfg sdfg;
  Diagnostics warnings;
  EXPECT_EQ(*run_text("fixed-point{fixed-point{add-state,restless},add-state}", sdfg, warnings,
                      {.fixed_point_rounds = 4}),
            Changed::Yes);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].text(),
            "fixed-point{add-state,restless}: warning: still changing after 4 rounds; stopped");
}

TEST(Pipeline, AFixedPointThatFeedsItselfIsStopped) {
  Sdfg sdfg;
  const BlockId block = sdfg.add({"s", State{}});
  sdfg[block].as<State>()->add(Node{AccessNode{"A"}});
  Diagnostics warnings;
  EXPECT_EQ(*run_text("fixed-point{shorten,doubles,add-state,shorten}", sdfg, warnings),
            Changed::Yes);
  EXPECT_EQ(sdfg[block].as<State>()->node_count(), 32u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].text(),
            "fixed-point{shorten,doubles,add-state,…}: warning: each of 5 rounds made the program "
            "larger by half or more, from 1 to 32 nodes; stopped; its steps find more to do in "
            "what they have made");
}

TEST(Pipeline, AFixedPointThatGrowsSlowlyIsStoppedAsWell) {
  Sdfg sdfg;
  const BlockId block = sdfg.add({"s", State{}});
  sdfg[block].as<State>()->add(Node{AccessNode{"A"}});
  Diagnostics warnings;
  EXPECT_EQ(*run_text("fixed-point{grows}", sdfg, warnings), Changed::Yes);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].text(),
            "fixed-point{grows}: warning: the program has grown from 1 to 1101 nodes in 11 rounds; "
            "stopped; its steps find more to do in what they have made");
}

TEST(Pipeline, ALimitCountsOverAllRuns) {
  Sdfg sdfg;
  Diagnostics warnings;
  EXPECT_TRUE(run_text("add-state,add-state,add-state", sdfg, warnings,
                       {.limits = {{"add-state", 2}}}));
  EXPECT_EQ(sdfg.node_count(), 2u);
}

TEST(Pipeline, AnErrorNamesThePass) {
  Sdfg sdfg;
  Diagnostics warnings;
  EXPECT_EQ(run_text("fails", sdfg, warnings).error().text(),
            "fails: state x: cannot do that");
}

/// Keeps the order in which it is told things.
struct Recorder : Observer {
  std::string name;
  std::vector<std::string>& log;
  Recorder(std::string n, std::vector<std::string>& l) : name(std::move(n)), log(l) {}
  void before(const PassRun& run, const Sdfg&) override {
    log.push_back(name + " before " + run.title());
  }
  void after(const PassRun&, const Sdfg&, Changed changed, const PassContext& context) override {
    log.push_back(name + (changed == Changed::Yes ? " changed " : " same ") +
                  std::to_string(context.applied_count()));
  }
};

TEST(Pipeline, ObserversNestAroundThePass) {
  std::vector<std::string> log;
  Recorder outer("outer", log), inner("inner", log);
  Sdfg sdfg;
  Diagnostics warnings;
  ASSERT_TRUE(run_text("add-state{states=1}", sdfg, warnings, {.observers = {&outer, &inner}}));
  EXPECT_EQ(log, (std::vector<std::string>{"outer before add-state{states=1} (run 1)",
                                           "inner before add-state{states=1} (run 1)",
                                           "inner changed 1", "outer changed 1"}));
}

TEST(Driver, AppliesInOrderAndLooksAgainAtWhatWasTouched) {
  Sdfg sdfg;
  State state;
  std::vector<NodeId> chain;
  for (const char* name : {"a", "b", "keep", "c", "d"}) {
    chain.push_back(state.add({AccessNode{name}}));
    if (chain.size() > 1) state.connect(chain[chain.size() - 2], chain.back(), {});
  }
  const BlockId main = sdfg.add({"main", std::move(state)});
  PassContext context("shorten");
  context.collect_remarks = true;
  ASSERT_EQ(*apply_everywhere<Shorten>(sdfg, {}, context), Changed::Yes);
  std::vector<std::string> remarks;
  for (const Remark& remark : context.remarks) remarks.push_back(remark.text());
  EXPECT_EQ(remarks, (std::vector<std::string>{
                         "shorten: state main / node 0 (access a): applied",
                         "shorten: state main / node 1 (access b): applied",
                         "shorten: state main / node 2 (access keep): it is to be kept",
                         "shorten: state main / node 3 (access c): applied"}));
  EXPECT_EQ(sdfg[main].as<State>()->node_count(), 2u);
}

TEST(Driver, StopsAtTheLimit) {
  Sdfg sdfg;
  State state;
  for (int i = 0; i < 4; ++i)
    state.connect(state.add({AccessNode{"a"}}), state.add({AccessNode{"b"}}), {});
  const BlockId main = sdfg.add({"main", std::move(state)});
  PassContext context("shorten");
  context.limit = 3;
  ASSERT_EQ(*apply_everywhere<Shorten>(sdfg, {}, context), Changed::Yes);
  EXPECT_EQ(sdfg[main].as<State>()->node_count(), 5u);
}

}  // namespace
}  // namespace sdfg
