#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "codegen/interpreter.h"
#include "support/deep_stack.h"
#include "support/file.h"
#include "support/text.h"
#include "tools/common/console.h"
#include "tools/common/emit.h"
#include "tools/common/generate.h"
#include "tools/common/generate_patterns.h"

namespace sdfg {
namespace {

constexpr std::string_view help = R"(sdfg-gen [flag]…: make a random valid SDFG

  --kind=KIND    what it is made of (mixed): branch-nest, branches, chain, conditionals, copies,
                 loops, mixed, nest, patterns, pieces, states, wide
  --size=N       about how many dataflow nodes it has (100)
  --seed=N       another seed, another SDFG of kinds mixed, patterns and pieces, other data (1)
  --depth=N      of nests: how deep they are (32)
  --for=PASS     of patterns: one of them is what this pass looks for
  --emit=FORM    json, text, dot or graphml (by the output's name, else text)
  --data=PATH    write matching arguments as in:NAME into an .npz file
  --record       run the interpreter on them and add the results as out:NAME
  -o PATH        where to write it (standard output)

The same flags give the same bytes. What was made is said on standard error.
)";

struct Settings {
  GenerateOptions options;
  std::optional<Emit> form;
  std::string output = "-", data;
  bool record = false, help = false;
};

Result<std::uint64_t> number(std::string_view flag, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return Diagnostic{std::string(flag), "expected a number, found '" + std::string(text) + "'", ""};
}

Result<Settings> parse(const std::vector<std::string>& words) {
  Settings s;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::string_view flag = word.substr(0, word.find('='));
    const std::string_view value = flag == word ? std::string_view() : word.substr(flag.size() + 1);
    if (flag == "--help") {
      s.help = true;
    } else if (flag == "--record") {
      s.record = true;
    } else if (flag == "--size") {
      SDFG_TRY(s.options.size, number(flag, value));
    } else if (flag == "--seed") {
      SDFG_TRY(s.options.seed, number(flag, value));
    } else if (flag == "--depth") {
      SDFG_TRY(s.options.depth, number(flag, value));
    } else if (flag == "--for") {
      if (!has_pattern(value))
        return Diagnostic{"--for", "no pattern is made for a pass '" + std::string(value) + "'",
                          ""};
      s.options.pass = value;
    } else if (flag == "--kind") {
      const auto found = std::ranges::find(shape_names, value);
      if (found == shape_names.end()) {
        const std::string_view near = nearest(value, shape_names);
        std::string hint = "did you mean " + std::string(near) + "?";
        if (near.empty()) {
          hint = "expected one of";
          for (std::string_view one : shape_names)
            hint += (one == shape_names.front() ? " " : ", ") + std::string(one);
        }
        return Diagnostic{"--kind", "unknown kind '" + std::string(value) + "'", hint};
      }
      s.options.shape = Shape(found - shape_names.begin());
    } else if (flag == "--emit") {
      s.form = emit_from_text(value);
      if (!s.form) return Diagnostic{"--emit", "unknown form '" + std::string(value) + "'", ""};
    } else if (flag == "--data") {
      s.data = value;
    } else if (word == "-o" && i + 1 < words.size()) {
      s.output = words[++i];
    } else {
      return Diagnostic{"", "unknown flag '" + std::string(word) + "'", "see --help"};
    }
  }
  if (s.record && s.data.empty()) return Diagnostic{"--record", "needs --data=PATH", ""};
  return s;
}

/// The arguments, and after a run the containers, under the names that `sdfg-opt --run` reads.
Result<std::string> data_file(const Sdfg& sdfg, const Settings& s, const Console& console) {
  SDFG_TRY(NamedArrays arguments, generate_data(sdfg, s.options.seed,
                                                     s.options.shape == Shape::Pieces));
  NamedArrays all;
  for (const auto& [name, array] : arguments) all["in:" + name] = array;
  if (s.record) {
    SDFG_TRY(const Execution done, interpret(sdfg, std::move(arguments)));
    for (const Diagnostic& warning : done.warnings)
      console.err("sdfg-gen: " + warning.text() + "\n");
    for (const auto& [name, array] : done.arguments)
      if (const Data* data = sdfg.find_data(name); data && !data->is_scalar())
        all["out:" + name] = array;
  }
  return write_npz(all);
}

Status run(const Settings& s, const Console& console) {
  Sdfg sdfg = generate(s.options);
  Emit form = s.form.value_or(emit_from_path(s.output).value_or(Emit::Text));
  SDFG_TRY(const std::string bytes, emit(s.data.empty() ? std::move(sdfg) : Sdfg(sdfg), form,
                                         SaveProfile::Head));
  const bool packed = s.output.ends_with("gz");
  if (const Status written = console.write(s.output, packed ? gzip(bytes) : bytes); !written)
    return written;
  if (!s.data.empty()) {
    SDFG_TRY(const std::string data, data_file(sdfg, s, console));
    if (const Status written = console.write(s.data, data); !written) return written;
  }
  console.err("sdfg-gen: kind " + std::string(shape_names[std::size_t(s.options.shape)]) +
              ", size " + std::to_string(s.options.size) + ", seed " +
              std::to_string(s.options.seed) + "\n");
  return Ok{};
}

Exit gen_main(const std::vector<std::string>& words, const Console& console) {
  const Result<Settings> settings = parse(words);
  if (!settings) {
    console.err("sdfg-gen: " + settings.error().text() + "\n");
    return Exit::WrongCommandLine;
  }
  if (settings->help) {
    console.out(help);
    return Exit::Fine;
  }
  try {
    if (const Status done = run(*settings, console); !done) {
      console.err("sdfg-gen: " + done.error().text() + "\n");
      return Exit::WrongInput;
    }
  } catch (const std::exception& wrong) {
    console.err("sdfg-gen: internal error: " + std::string(wrong.what()) + "\n");
    return Exit::InternalError;
  }
  return Exit::Fine;
}

}  // namespace
}  // namespace sdfg

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  sdfg::Exit status = sdfg::Exit::Fine;
  sdfg::with_deep_stack(
      [&] { status = sdfg::gen_main(arguments, sdfg::Console::standard("sdfg-gen")); });
  return int(status);
}
