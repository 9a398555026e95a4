#include "tools/common/reduce_main.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <vector>

#include "ir/verify.h"
#include "ir/walk.h"
#include "support/deep_stack.h"
#include "support/file.h"
#include "tools/common/conditions.h"
#include "tools/common/emit.h"
#include "tools/common/input.h"
#include "tools/common/opt_settings.h"
#include "tools/common/reduce.h"

namespace sdfg {
namespace {

/// Behind the two ways to call the tool.
constexpr std::string_view help = R"(
Removes from an SDFG what a fault does not need. The fault is that COMMAND, with the path of a
candidate in place of {}, ends with a status other than 0; or that the pipeline makes something of
the program that is not valid or gives other results.

  --pipeline=TEXT   passes that must not change results
  --assume=COND,…   what the passes take for granted of the symbols: 'N>=1,begin<=end'
  --run=DATA.npz    arguments (its in: entries); others are made, as --assume says
  --tolerance=T     difference of results that is no fault (0: bit for bit)
  --allow-invalid   candidates need not be valid SDFGs
  --emit=FORM       json, text, … (by the output's name, else text)
  -o PATH           where to write the smallest program found, whenever one is (standard output,
                    at the end)

A program that has lost what ends a loop shows no fault with --pipeline: it is stopped. A COMMAND
must see to that itself (timeout 10 COMMAND).

What is removed is said on standard error.
)";

struct Settings {
  std::string input, output = "-", data;
  std::optional<Pipeline> pipeline;
  std::vector<std::string> command;
  std::vector<Expr> assume;
  double tolerance = 0;
  std::optional<Emit> form;
  bool allow_invalid = false, help = false;
};

Result<Settings> parse(const std::vector<std::string>& words,
                       std::span<const Registered> passes) {
  Settings s;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::string_view flag = word.substr(0, word.find('='));
    const std::string_view value = flag == word ? std::string_view() : word.substr(flag.size() + 1);
    if (word == "--") {
      s.command.assign(words.begin() + std::ptrdiff_t(i) + 1, words.end());
      break;
    }
    if (flag == "--help") s.help = true;
    else if (flag == "--allow-invalid") s.allow_invalid = true;
    else if (flag == "--run") s.data = value;
    else if (flag == "--pipeline") {
      SDFG_TRY(s.pipeline, parse_pipeline(value, passes));
    } else if (flag == "--assume") {
      SDFG_TRY(s.assume, parse_conditions(value));
    } else if (flag == "--tolerance") {
      const char* const end = value.data() + value.size();
      if (std::from_chars(value.data(), end, s.tolerance).ptr != end || value.empty())
        return Diagnostic{"--tolerance", "expected a number, found '" + std::string(value) + "'",
                          ""};
    } else if (flag == "--emit") {
      s.form = emit_from_text(value);
      if (!s.form) return Diagnostic{"--emit", "unknown form '" + std::string(value) + "'", ""};
    } else if (word == "-o" && i + 1 < words.size()) {
      s.output = words[++i];
    } else if (!word.starts_with("--") && s.input.empty()) {
      s.input = word;
    } else {
      return Diagnostic{"", "unknown flag '" + std::string(word) + "'", "see --help"};
    }
  }
  if (!s.help && s.input.empty()) return Diagnostic{"", "no input", "see --help"};
  if (!s.help && s.command.empty() == !s.pipeline)
    return Diagnostic{"", "expected either a command after -- or --pipeline", "see --help"};
  return s;
}

Result<Judge> judge(const Settings& s, const Console& console) {
  if (!s.command.empty()) return command_judge(s.command);
  NamedArrays given;
  if (!s.data.empty()) {
    SDFG_TRY(given, read_arguments(console, s.data));
  }
  return pipeline_judge(*s.pipeline, {.assume = s.assume}, std::move(given), s.tolerance);
}

Status run(const Settings& s, const Console& console) {
  SDFG_TRY(const std::string bytes, console.read(s.input));
  Result<Input> input = read_input(bytes);
  if (!input) return in_file(s.input, input.error());
  if (s.pipeline)
    for (const Diagnostic& found : verify(input->sdfg))
      if (found.severity == Severity::Error) return in_file(s.input, found);
  SDFG_TRY(const Judge fails, judge(s, console));
  const Emit form = s.form ? *s.form : emit_from_path(s.output).value_or(Emit::Text);
  const auto write = [&](const Sdfg& program) -> Status {
    SDFG_TRY(const std::string out, emit(Sdfg(program), form, SaveProfile::Head));
    return console.write(s.output, s.output.ends_with("gz") ? gzip(out) : out);
  };
  ReduceOptions options{.allow_invalid = s.allow_invalid};
  options.progress = [&](const std::string& what, const Sdfg& now) {
    std::size_t nodes = 0, blocks = 0;
    for_each_sdfg(now, [&](const Sdfg& sdfg) {
      for_each_block(sdfg, [&](const Block& block) {
        ++blocks;
        if (const auto* state = block.as<State>()) nodes += state->node_count();
      });
    });
    console.err(
        fmt::format("{}: fewer {}: {} blocks, {} nodes left\n", console.tool, what, blocks, nodes));
    // Whoever loses patience has this much. What cannot be written is an error at the end.
    if (s.output != "-") (void)write(now);
  };
  SDFG_TRY(const Sdfg smallest, reduce(std::move(input->sdfg), fails, options));
  return write(smallest);
}

}  // namespace

int reduce_main(std::span<const std::string> arguments, const Console& console,
                std::span<const Registered> passes) {
  const auto fail = [&](const Diagnostic& why, Exit status) {
    console.err(console.tool + ": " + why.text() + "\n");
    return int(status);
  };
  if (const Status fine = check_pass_names(passes); !fine)
    return fail(fine.error(), Exit::WrongCommandLine);
  const Result<Settings> settings = parse({arguments.begin(), arguments.end()}, passes);
  if (!settings) return fail(settings.error(), Exit::WrongCommandLine);
  if (settings->help) {
    console.out(console.tool + " [flag]… FILE -- COMMAND {}\n" + console.tool +
                " [flag]… FILE --pipeline=TEXT\n" + std::string(help));
    return int(Exit::Fine);
  }
  try {
    const Status done = run(*settings, console);
    return done ? int(Exit::Fine) : fail(done.error(), Exit::WrongInput);
  } catch (const std::exception& wrong) {
    return fail({"", std::string("internal error: ") + wrong.what()}, Exit::InternalError);
  }
}

int reduce_main(int count, char** words, const std::vector<Registered>& own_passes) {
  const std::vector<std::string> arguments(words + 1, words + count);
  const Console console = Console::standard(std::filesystem::path(words[0]).filename());
  int status = 0;
  with_deep_stack(
      [&] { status = reduce_main(arguments, console, all_passes_and(own_passes)); });
  return status;
}

}  // namespace sdfg
