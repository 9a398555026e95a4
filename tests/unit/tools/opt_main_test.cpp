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
constexpr std::array passes{entry<Breaks>(), entry<Spoils>()};

constexpr const char* program = "sdfg p()\n  state main\n";

struct Tool {
  std::map<std::string, std::string> files{{"p.txt", program}};
  std::string out, err;
  int run(std::vector<std::string> arguments) {
    out.clear(), err.clear();
    Console console;
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

TEST(OptMain, AToolHasItsOwnPasses) {
  Tool tool;
  EXPECT_EQ(tool.run({"--list-passes"}), 0);
  EXPECT_EQ(tool.out,
            "breaks                       break an assumption\n"
            "spoils                       make the program invalid\n");
  EXPECT_EQ(tool.run({"p.txt", "--dead-state-elimination"}), 2);
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
  const std::string help = help_text(all_passes());
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 64);
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = help.find('\n', at);
    EXPECT_LE(end - at, 100u) << help.substr(at, end - at);
    at = end + 1;
  }
}

TEST(OptMain, NoPassHasTheNameOfAFlag) {
  const std::string help = help_text(std::span<const Registered>{});
  for (const Registered& pass : all_passes())
    EXPECT_EQ(help.find("  --" + std::string(pass.name) + " "), std::string::npos) << pass.name;
}

}  // namespace
}  // namespace sdfg
