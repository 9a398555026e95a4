#include "tools/common/opt_main.h"

#include <gtest/gtest.h>

#include <map>

#include "tools/common/opt_settings.h"

namespace sdfg {
namespace {

/// Breaks an assumption of ours.
struct Breaks {
  static constexpr PassInfo info{"breaks", "break an assumption", ""};
  struct Options {};
  static Result<Changed> run(Sdfg& sdfg, const Options&, PassContext&) {
    SDFG_ASSERT(sdfg.name.empty()) << "the name is '" << sdfg.name << "'";
    return Changed::No;
  }
};
/// Leaves something that the verifier rejects.
struct Spoils {
  static constexpr PassInfo info{"spoils", "make the program invalid", ""};
  struct Options {};
  static Result<Changed> run(Sdfg& sdfg, const Options&, PassContext&) {
    sdfg.add({"main", State{}});
    return Changed::Yes;
  }
};
/// Changes the program and says that it did not.
struct Conceals {
  static constexpr PassInfo info{"conceals", "change without a word", ""};
  struct Options {};
  static Result<Changed> run(Sdfg& sdfg, const Options&, PassContext&) {
    sdfg.symbols.emplace("concealed", BaseType::Int64);
    return Changed::No;
  }
};
/// Applies more often than it may, and says something without a place.
struct Insists {
  static constexpr PassInfo info{"insists", "ask for no leave", ""};
  struct Options {};
  static Result<Changed> run(Sdfg& sdfg, const Options&, PassContext& context) {
    for (int i = 0; i < 3; ++i) context.applied({});
    sdfg.symbols.emplace("insisted", BaseType::Int64);
    context.warn({}, "enough");
    return Changed::Yes;
  }
};
struct Help : Breaks {
  static constexpr PassInfo info{"help", "be called like a flag", ""};
};
constexpr std::array passes{entry<Breaks>(), entry<Conceals>(), entry<Insists>(), entry<Spoils>()};

constexpr const char* program = "sdfg p()\n  state main\n";

struct Tool {
  std::map<std::string, std::string> files{{"p.txt", program}};
  std::string out, err;
  int run(std::vector<std::string> arguments) {
    out.clear(), err.clear();
    Console console;
    console.tool = "my-opt";
    console.read = [&](const std::string& path) -> Result<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return Diagnostic{path, "there is no such file"};
      return found->second;
    };
    console.write = [&](const std::string& path, std::string_view bytes) -> Status {
      files[path] = bytes;
      return Ok{};
    };
    console.out = [&](std::string_view text) { out += text; };
    console.err = [&](std::string_view text) { err += text; };
    return opt_main(arguments, console, passes);
  }
  /// The reproducer that the message names.
  std::string reproducer() const {
    const std::size_t at = err.find("--rerun=");
    return at == err.npos ? "" : err.substr(at + 8, err.find('\n', at) - at - 8);
  }
};

TEST(OptMain, AnInternalErrorLeavesAFileThatShowsItAgain) {
  Tool tool;
  EXPECT_EQ(tool.run({"p.txt", "--breaks", "--stats"}), 3);
  EXPECT_NE(tool.err.find("internal error in passes: "), std::string::npos) << tool.err;
  EXPECT_NE(tool.err.find("the name is 'p'"), std::string::npos) << tool.err;
  const std::string file = tool.reproducer();
  ASSERT_TRUE(tool.files.contains(file)) << tool.err;
  tool.files.erase("p.txt");
  EXPECT_EQ(tool.run({"--rerun=" + file}), 3);
  EXPECT_NE(tool.err.find("the name is 'p'"), std::string::npos) << tool.err;
  EXPECT_EQ(tool.reproducer(), file);
}

TEST(OptMain, APassThatSpoilsTheProgramIsOurError) {
  Tool tool;
  // Also where a later pass stumbles over it: the first that was wrong is named.
  for (std::vector<std::string> words : {std::vector<std::string>{"p.txt", "--spoils"},
                                         {"p.txt", "--spoils", "--verify-each"},
                                         {"p.txt", "--spoils", "--breaks"}}) {
    EXPECT_EQ(tool.run(words), 3);
    EXPECT_NE(tool.err.find("after spoils (run 1) the SDFG is not valid"), std::string::npos)
        << tool.err;
    EXPECT_EQ(tool.run({"--rerun=" + tool.reproducer()}), 3);
    EXPECT_NE(tool.err.find("after spoils (run 1)"), std::string::npos) << tool.err;
  }
  EXPECT_EQ(tool.run({"p.txt", "--spoils", "--verify-each=off"}), 0) << tool.err;
}

TEST(OptMain, WhatAPassDidIsShownBeforeItIsFoundWrong) {
  Tool tool;
  for (std::string flag : {"--verify-each", "--check-semantics=each"}) {
    EXPECT_EQ(tool.run({"p.txt", "--insists", "--spoils", flag, "--remarks", "--print-after-change",
                        "--history=h.json"}),
              3);
    EXPECT_NE(tool.err.find("insists: applied"), std::string::npos) << tool.err;
    EXPECT_NE(tool.err.find("// spoils (run 2)"), std::string::npos) << tool.err;
    EXPECT_NE(tool.files["h.json"].find("spoils"), std::string::npos);
    tool.files.erase("h.json");
  }
}

TEST(OptMain, AToolHasItsOwnPasses) {
  Tool tool;
  EXPECT_EQ(tool.run({"--list-passes"}), 0);
  EXPECT_EQ(tool.out,
            "breaks                       break an assumption\n"
            "conceals                     change without a word\n"
            "insists                      ask for no leave\n"
            "spoils                       make the program invalid\n");
  EXPECT_EQ(tool.run({"p.txt", "--dead-state-elimination"}), 2);
}

TEST(OptMain, MessagesAndFilesHaveTheToolsName) {
  Tool tool;
  EXPECT_EQ(tool.run({"p.txt", "--breaks"}), 3);
  EXPECT_TRUE(tool.err.starts_with("my-opt: internal error")) << tool.err;
  EXPECT_TRUE(tool.reproducer().starts_with("my-opt-")) << tool.err;
  EXPECT_TRUE(tool.files.at(tool.reproducer())
                  .starts_with("# my-opt reproducer; run it with: my-opt "));
  EXPECT_EQ(tool.run({"--version"}), 0);
  EXPECT_TRUE(tool.out.starts_with("my-opt ")) << tool.out;
  // What is stored anyway is not stored a second time.
  EXPECT_EQ(tool.run({"p.txt", "--breaks", "--reproducer=mine"}), 3);
  EXPECT_EQ(tool.reproducer(), "");
  EXPECT_TRUE(tool.files.contains("mine"));
}

TEST(OptMain, APassThatConcealsAChangeIsNamed) {
  Tool tool;
  for (const char* flag : {"--verify-each", "--check-semantics=each"}) {
    EXPECT_EQ(tool.run({"p.txt", "--conceals", flag}), 3);
    EXPECT_NE(tool.err.find("conceals (run 1) changed the program and returned Changed::No: ~ "
                            "symbols: {} -> {concealed = int64}"),
              std::string::npos)
        << tool.err;
  }
}

TEST(OptMain, APassThatAsksForNoLeaveIsNamed) {
  Tool tool;
  EXPECT_EQ(tool.run({"p.txt", "--insists", "--insists", "--limit=insists:1"}), 0);
  EXPECT_EQ(tool.err,
            "p.txt: insists: warning: applied 3 times where the limit was 1; a pass asks "
            "may_apply() before each application\n"
            "p.txt: insists: warning: enough\n"
            "p.txt: insists: warning: applied 3 times where the limit was 0; a pass asks "
            "may_apply() before each application\n"
            "p.txt: insists: warning: enough\n");
}

TEST(OptMain, NamesOfOwnPassesAreTheirOwn) {
  Console console;
  console.tool = "my-opt";
  std::string err;
  console.err = [&](std::string_view text) { err += text; };
  EXPECT_EQ(opt_main({}, console, std::array{entry<Breaks>(), entry<Breaks>()}), 2);
  EXPECT_EQ(err,
            "my-opt: pass breaks: there are two passes of this name; give one of them another\n");
  err.clear();
  EXPECT_EQ(opt_main({}, console, std::array{entry<Help>()}), 2);
  EXPECT_EQ(err, "my-opt: pass help: the flag --help means something else already; give the pass "
                 "another name\n");
}

TEST(OptMain, AnInvalidProgramIsWrittenButNotOptimized) {
  Tool tool;
  tool.files["bad.txt"] = "sdfg p()\n  state main\n  state main\n";
  EXPECT_EQ(tool.run({"bad.txt", "-o", "out.txt"}), 1);
  EXPECT_TRUE(tool.files.contains("out.txt"));
  EXPECT_EQ(tool.run({"bad.txt", "--spoils", "-o", "other.txt"}), 1);
  EXPECT_FALSE(tool.files.contains("other.txt"));
}

TEST(OptMain, TheHelpFitsOnOneScreen) {
  const std::string help = help_text("sdfg-opt", all_passes());
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 64);
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = help.find('\n', at);
    EXPECT_LE(end - at, 100u) << help.substr(at, end - at);
    at = end + 1;
  }
}

TEST(OptMain, NoPassHasTheNameOfAFlag) {
  const std::string help = help_text("sdfg-opt", std::span<const Registered>{});
  for (const Registered& pass : all_passes())
    EXPECT_EQ(help.find("  --" + std::string(pass.name) + " "), std::string::npos) << pass.name;
}

}  // namespace
}  // namespace sdfg
