// Runs every case of tests/text: a command, an input, and what must come out. docs/testing.md
// describes the files. SDFG_BLESS=1 rewrites the expectations.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/deep_stack.h"
#include "support/diff.h"
#include "support/file.h"
#include "support/text.h"
#include "tools/common/opt_main.h"

namespace sdfg {
namespace {

const std::string folder = SDFG_TEXT_TESTS;

/// One case as it stands in its file. Sections that the run does not produce are not there.
struct Case {
  std::string file;  ///< relative to the folder
  std::string title;
  std::vector<std::string> command;  ///< lines as written
  std::string input;
  bool has_input = false;
  bool shows_diff = false;  ///< of standard output, to the input as the tool prints it
  std::string output, error;
  int status = 0;
};

struct File {
  std::string preamble;  ///< comments before the first case
  std::vector<Case> cases;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.file << ": " << c.title; }

void append_line(std::string& text, std::string_view line) { (text += line) += '\n'; }

void drop_empty_end(std::string& text) {
  while (text == "\n" || text.ends_with("\n\n")) text.pop_back();
}

File read_cases(const std::string& name) {
  const auto text = read_file(folder + "/" + name);
  SDFG_ASSERT(bool(text)) << text.error().text();
  File file;
  std::string* section = &file.preamble;
  std::vector<std::string_view> lines = split(*text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  bool in_command = false;
  for (std::string_view line : lines) {
    if (line.starts_with("=== ")) {
      file.cases.push_back({name, std::string(line.substr(4)), {}, {}, false, false, {}, {}, 0});
      in_command = true;
      continue;
    }
    if (file.cases.empty()) {
      append_line(file.preamble, line);
      continue;
    }
    Case& c = file.cases.back();
    if (line == "---") {
      c.has_input = true, in_command = false, section = &c.input;
    } else if (line == "--- diff" || line == "--- full") {
      c.shows_diff = line == "--- diff", in_command = false, section = &c.output;
    } else if (line == "--- stderr") {
      in_command = false, section = &c.error;
    } else if (line.starts_with("--- status ")) {
      c.status = std::atoi(std::string(line.substr(11)).c_str());
      in_command = false;
    } else if (in_command) {
      if (!trim(line).empty()) c.command.emplace_back(line);
    } else {
      append_line(*section, line);
    }
  }
  // The empty line before the next case belongs to nobody.
  for (Case& c : file.cases)
    for (std::string* part : {&c.input, &c.output, &c.error})
      drop_empty_end(*part);
  return file;
}

std::string print(const Case& c) {
  std::string out = "=== " + c.title + "\n";
  for (const std::string& line : c.command) append_line(out, line);
  if (c.has_input) out += "---\n" + c.input;
  if (c.shows_diff || !c.output.empty())
    out += (c.shows_diff ? "--- diff\n" : "--- full\n") + c.output;
  if (!c.error.empty()) out += "--- stderr\n" + c.error;
  if (c.status != 0) out += "--- status " + std::to_string(c.status) + "\n";
  return out;
}

/// Words of a shell command: spaces separate, single and double quotes protect.
std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  char quote = 0;
  bool open = false;
  for (char c : command) {
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c;
      if (!open) words.emplace_back(), open = true;
    } else if (c == ' ' && !quote) {
      open = false;
    } else {
      if (!open) words.emplace_back(), open = true;
      words.back() += c;
    }
  }
  return words;
}

struct Outcome {
  std::string output, error;
  int status = 0;
};

/// Runs `sdfg-opt …` in this process. Files it writes stay in memory, where a later command of the
/// same case finds them; all others are read from the folder of the test.
Outcome run_command(std::string_view command, const std::string& input, const std::string& where,
                    std::map<std::string, std::string>& written) {
  std::vector<std::string> words = words_of(command);
  Outcome outcome;
  if (words.empty() || words[0] != "sdfg-opt") {
    outcome.error = "a command starts with sdfg-opt\n";
    outcome.status = 2;
    return outcome;
  }
  words.erase(words.begin());
  std::filesystem::current_path(where);  // for files that options name
  Console console;
  console.tool = "sdfg-opt";
  console.read = [&](const std::string& path) -> Result<std::string> {
    if (path == "-") return input;
    if (const auto found = written.find(path); found != written.end()) return found->second;
    return read_file(where + "/" + path);
  };
  console.write = [&](const std::string& path, std::string_view bytes) -> Status {
    if (path == "-")
      outcome.output += bytes;
    else
      written[path] = bytes;
    return Ok{};
  };
  console.out = [&](std::string_view text) { outcome.output += text; };
  console.err = [&](std::string_view text) { outcome.error += text; };
  with_deep_stack([&] { outcome.status = opt_main(words, console); });
  // No path of this machine belongs into an expectation.
  for (std::string* text : {&outcome.output, &outcome.error})
    for (std::size_t at; (at = text->find(where + "/")) != std::string::npos;)
      text->erase(at, where.size() + 1);
  return outcome;
}

/// What the case shows when it runs now.
Case actual(const Case& c) {
  Case now = c;
  now.output.clear(), now.error.clear(), now.status = 0;
  const std::string where =
      std::filesystem::path(folder + "/" + c.file).parent_path().string();
  std::map<std::string, std::string> written;
  for (const std::string& command : c.command) {
    const Outcome outcome = run_command(command, c.input, where, written);
    now.output += outcome.output;
    now.error += outcome.error;
    now.status = std::max(now.status, outcome.status);
  }
  for (std::string* part : {&now.output, &now.error})
    if (!part->empty() && !part->ends_with('\n')) *part += '\n';
  if (c.shows_diff) {
    const Outcome before = run_command("sdfg-opt --emit=text", c.input, where, written);
    now.output = diff_lines(before.output, now.output);
  }
  drop_empty_end(now.output);
  drop_empty_end(now.error);
  return now;
}

bool blessing() {
  const char* asked = std::getenv("SDFG_BLESS");
  return asked && *asked == '1';
}

class TextTest : public testing::TestWithParam<Case> {};

TEST_P(TextTest, Shows) {
  const Case& expected = GetParam();
  const Case now = actual(expected);
  if (blessing()) {
    File file = read_cases(expected.file);
    const auto mine = std::ranges::find(file.cases, expected.title, &Case::title);
    ASSERT_NE(mine, file.cases.end());
    *mine = now;
    std::string text = file.preamble;
    for (const Case& c : file.cases) text += (&c == &file.cases.front() ? "" : "\n") + print(c);
    ASSERT_TRUE(write_file(folder + "/" + expected.file, text));
    return;
  }
  const std::string difference = diff_lines(print(expected), print(now), 2);
  EXPECT_TRUE(difference.empty()) << difference
                                  << "\nIf this is what it should be:\n  scripts/bless "
                                  << "tests/text/" << expected.file << "\n";
}

std::vector<Case> all_cases() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".test")
      files.push_back(std::filesystem::relative(entry.path(), folder).generic_string());
  std::ranges::sort(files);
  std::vector<Case> all;
  for (const std::string& file : files)
    for (Case& c : read_cases(file).cases) all.push_back(std::move(c));
  return all;
}

/// "passes/dead-state.test: nothing to do" -> "passes_dead_state__nothing_to_do"
std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name =
      info.param.file.substr(0, info.param.file.rfind('.')) + "__" + info.param.title;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, TextTest, testing::ValuesIn(all_cases()), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TextTest);

TEST(TextTests, TitlesAreUniqueWithinAFile) {
  std::map<std::string, std::string> seen;
  for (const Case& c : all_cases())
    EXPECT_TRUE(seen.emplace(c.file + c.title, c.file).second) << c.file << ": " << c.title;
}

}  // namespace
}  // namespace sdfg
