#include "tools/common/opt_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>

#include "support/text.h"
#include "tools/common/backends.h"
#include "tools/common/conditions.h"

namespace sdfg {
namespace {

using Value = std::optional<std::string_view>;

Diagnostic wrong(std::string_view flag, std::string message, std::string hint = {}) {
  return {"--" + std::string(flag), std::move(message), std::move(hint)};
}

Status choose(std::string_view flag, std::string_view word,
              std::span<const std::string_view> choices, std::size_t& chosen) {
  const auto found = std::ranges::find(choices, word);
  if (found == choices.end()) {
    std::string all;
    for (std::string_view choice : choices) all += (all.empty() ? "" : ", ") + std::string(choice);
    const std::string_view near = nearest(word, choices);
    return wrong(flag, "expected one of " + all + ", found '" + std::string(word) + "'",
                 near.empty() ? "" : "did you mean '" + std::string(near) + "'?");
  }
  chosen = std::size_t(found - choices.begin());
  return Ok{};
}

/// "--print-after" looks at all passes, "--print-after=a,b" at these.
PassFilter filter(Value value) {
  PassFilter filter;
  filter.all = !value;
  if (value)
    for (std::string_view name : split(*value, ',')) filter.names.emplace_back(name);
  return filter;
}

Status set_emit(OptSettings& s, Value v) {
  std::size_t chosen = 0;
  SDFG_TRY([[maybe_unused]] const Ok ok, choose("emit", *v, emit_names, chosen));
  s.emit = Emit(chosen);
  return Ok{};
}

Status set_profile(OptSettings& s, Value v) {
  constexpr std::array<std::string_view, 3> names{"keep", "head", "compat"};
  std::size_t chosen = 0;
  SDFG_TRY([[maybe_unused]] const Ok ok, choose("profile", *v, names, chosen));
  s.profile = SaveProfile(chosen);
  return Ok{};
}

Status set_backend(OptSettings& s, Value v) {
  std::size_t chosen = 0;
  SDFG_TRY([[maybe_unused]] const Ok ok, choose("backend", *v, backend_names, chosen));
  s.backend = backend_names[chosen];
  return Ok{};
}

Status set_verify_each(OptSettings& s, Value v) {
  constexpr std::array<std::string_view, 3> names{"off", "end", "on"};  // as CheckWhen
  std::size_t chosen = 2;
  if (v) {
    SDFG_TRY([[maybe_unused]] const Ok ok, choose("verify-each", *v, names, chosen));
  }
  s.verify = CheckWhen(chosen);
  return Ok{};
}

Status set_check(OptSettings& s, Value v) {
  constexpr std::array<std::string_view, 2> names{"end", "each"};
  std::size_t chosen = 0;
  if (v) {
    SDFG_TRY([[maybe_unused]] const Ok ok, choose("check-semantics", *v, names, chosen));
  }
  s.check_semantics = chosen == 1 ? CheckWhen::Each : CheckWhen::End;
  return Ok{};
}

Status set_limit(OptSettings& s, Value v) {
  const std::size_t colon = v->rfind(':');
  std::size_t count = 0;
  const char* const end = v->data() + v->size();
  if (colon == v->npos || colon + 1 == v->size() ||
      std::from_chars(v->data() + colon + 1, end, count).ptr != end)
    return wrong("limit", "expected PASS:N, found '" + std::string(*v) + "'");
  s.limits[std::string(v->substr(0, colon))] = count;
  return Ok{};
}

Status set_value(OptSettings& s, Value v) {
  const std::size_t equals = v->find('=');
  if (equals == v->npos || equals == 0)
    return wrong("set", "expected NAME=VALUE, found '" + std::string(*v) + "'");
  s.set[std::string(v->substr(0, equals))] = v->substr(equals + 1);
  return Ok{};
}

Status set_assume(OptSettings& s, Value v) {
  SDFG_TRY(const std::vector<Expr> stated, parse_conditions(*v));
  s.assume.insert(s.assume.end(), stated.begin(), stated.end());
  return Ok{};
}

Status set_tolerance(OptSettings& s, Value v) {
  const char* const end = v->data() + v->size();
  const auto [stop, error] = std::from_chars(v->data(), end, s.tolerance);
  if (error != std::errc{} || stop != end || !(s.tolerance >= 0) || std::isinf(s.tolerance))
    return wrong("tolerance",
                 "expected a number that is not negative, found '" + std::string(*v) + "'");
  return Ok{};
}

enum class Takes { Nothing, Maybe, Always };

struct Flag {
  std::string_view name;
  Takes takes;
  std::string_view value;  ///< as the help text shows it
  std::string_view help;
  Status (*set)(OptSettings&, Value);
};

// The flags, once. `--help` prints this table; passes are flags, too, and `parse_arguments` knows
// them from the registry.
constexpr std::array flags{
    Flag{"assume", Takes::Always, "COND,…", "what holds of the symbols: 'N>=1,begin<=end'",
         set_assume},
    Flag{"backend", Takes::Always, "NAME",
         "--run with interpreter, cpu, cuda-on-cpu, hip-on-cpu, cuda or hip", set_backend},
    Flag{"bisect", Takes::Nothing, "",
         "find the application that changes results or fails -- COMMAND {}",
         [](OptSettings& s, Value) -> Status { return s.bisect = true, Ok{}; }},
    Flag{"check-semantics", Takes::Maybe, "end|each",
         "interpret before and after the passes, compare", set_check},
    Flag{"emit", Takes::Always, "FORM",
         "json text dot graphml html cpp cuda hip plan report summary none", set_emit},
    Flag{"help", Takes::Maybe, "PASS", "show this page, or all about one pass",
         [](OptSettings& s, Value v) -> Status {
           return s.help = true, s.topic = v.value_or(""), Ok{};
         }},
    Flag{"history", Takes::Always, "FILE", "write what each pass changed, for the viewer",
         [](OptSettings& s, Value v) -> Status { return s.history = *v, Ok{}; }},
    Flag{"limit", Takes::Always, "PASS:N", "let the pass apply at most N times", set_limit},
    Flag{"list-passes", Takes::Maybe, "json|markdown", "list all passes",
         [](OptSettings& s, Value v) -> Status {
           return s.list_passes = true, s.topic = v.value_or(""), Ok{};
         }},
    Flag{"output", Takes::Always, "PATH", "write there (-o PATH); gzip for .sdfgz",
         [](OptSettings& s, Value v) -> Status { return s.output = *v, Ok{}; }},
    Flag{"pipeline", Takes::Always, "TEXT", "run passes: 'a,b{option=1},fixed-point{c,d}'",
         nullptr},
    Flag{"plan", Takes::Always, "FILE", "how kernels run, instead of the defaults (--emit=plan)",
         [](OptSettings& s, Value v) -> Status { return s.plan = *v, Ok{}; }},
    Flag{"print-after", Takes::Maybe, "PASS,…", "print the text form after passes",
         [](OptSettings& s, Value v) -> Status { return s.print_after = filter(v), Ok{}; }},
    Flag{"print-after-change", Takes::Maybe, "PASS,…", "print what each pass changed",
         [](OptSettings& s, Value v) -> Status { return s.print_after_change = filter(v), Ok{}; }},
    Flag{"print-before", Takes::Maybe, "PASS,…", "print the text form before passes",
         [](OptSettings& s, Value v) -> Status { return s.print_before = filter(v), Ok{}; }},
    Flag{"profile", Takes::Always, "PROFILE", "write JSON to keep (as it was), head or compat",
         set_profile},
    Flag{"record", Takes::Always, "FILE.npz", "write --run's in: entries and the results there",
         [](OptSettings& s, Value v) -> Status { return s.record = *v, Ok{}; }},
    Flag{"remarks", Takes::Maybe, "PASS,…", "say what was applied, refused and why",
         [](OptSettings& s, Value v) -> Status { return s.remarks = filter(v), Ok{}; }},
    Flag{"reproducer", Takes::Always, "FILE", "store input and command line in one file",
         [](OptSettings& s, Value v) -> Status { return s.reproducer = *v, Ok{}; }},
    Flag{"rerun", Takes::Always, "FILE", "run such a file",
         [](OptSettings& s, Value v) -> Status { return s.rerun = *v, Ok{}; }},
    Flag{"run", Takes::Always, "DATA.npz", "run on its in: entries, compare with its out: entries",
         [](OptSettings& s, Value v) -> Status { return s.run_data = *v, Ok{}; }},
    Flag{"set", Takes::Always, "NAME=VALUE", "a scalar or symbol that --run's data lacks",
         set_value},
    Flag{"stats", Takes::Maybe, "FILE.json",
         "count applications, and what --run launches and moves",
         [](OptSettings& s, Value v) -> Status {
           return s.stats = true, s.stats_file = v.value_or(""), Ok{};
         }},
    Flag{"time", Takes::Nothing, "", "show how long each pass took",
         [](OptSettings& s, Value) -> Status { return s.time = true, Ok{}; }},
    Flag{"tolerance", Takes::Always, "T", "difference that --run accepts (0: bit for bit)",
         set_tolerance},
    Flag{"verify-each", Takes::Maybe, "on|end|off",
         "verify after each pass, or the result at the end (end)", set_verify_each},
    Flag{"verify-only", Takes::Nothing, "", "report all that is wrong and stop",
         [](OptSettings& s, Value) -> Status { return s.verify_only = true, Ok{}; }},
    Flag{"version", Takes::Nothing, "", "print the version",
         [](OptSettings& s, Value) -> Status { return s.version = true, Ok{}; }},
};
static_assert(std::ranges::adjacent_find(flags, std::ranges::greater_equal{}, &Flag::name) ==
                  flags.end(),
              "keep the list sorted and the names unique");

class ArgumentParser {
 public:
  ArgumentParser(std::span<const std::string> arguments, std::span<const Registered> passes)
      : arguments_(arguments), passes_(passes) {}

  Result<OptSettings> run() {
    bool flags_ended = false;
    while (at_ < arguments_.size()) {
      const std::string_view word = arguments_[at_++];
      if (!flags_ended && word == "--" && settings_.bisect) {
        settings_.command.assign(arguments_.begin() + std::ptrdiff_t(at_), arguments_.end());
        break;
      }
      if (!flags_ended && word == "--") {
        flags_ended = true;
      } else if (flags_ended || word == "-" || !word.starts_with('-')) {
        SDFG_TRY([[maybe_unused]] const Ok ok, input(word));
      } else {
        SDFG_TRY([[maybe_unused]] const Ok ok, flag(word));
      }
    }
    SDFG_TRY([[maybe_unused]] const Ok ok, check_names());
    if (settings_.bisect && settings_.pipeline.empty() && settings_.rerun.empty())
      return wrong("bisect", "there are no passes to look among",
                   "add --pipeline=TEXT, or passes by name");
    return std::move(settings_);
  }

 private:
  Status input(std::string_view word) {
    if (settings_.input_given)
      return Diagnostic{std::string(word), "expected one input, found a second one after '" +
                                               settings_.input + "'"};
    settings_.input = word;
    settings_.input_given = true;
    return Ok{};
  }

  Status flag(std::string_view word) {
    if (word == "-h") word = "--help";
    if (word.starts_with("-o") && !word.starts_with("--")) return short_output(word.substr(2));
    if (!word.starts_with("--")) return unknown(word);
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    Value value;
    if (equals != word.npos) value = word.substr(equals + 1);
    if (const Registered* pass = find_pass(passes_, name)) return add_pass(*pass, value);
    const auto found = std::ranges::find(flags, name, &Flag::name);
    if (found == flags.end()) return unknown(word.substr(0, equals));
    if (found->takes == Takes::Nothing && value)
      return wrong(name, "takes no value, found '" + std::string(*value) + "'");
    if (found->takes == Takes::Always && !value) {
      const std::string hint = "write --" + std::string(name) + "=" + std::string(found->value);
      if (at_ == arguments_.size()) return wrong(name, "needs a value", hint);
      if (arguments_[at_].starts_with("--"))
        return wrong(name, "needs a value, found the flag " + arguments_[at_], hint);
      value = arguments_[at_++];
    }
    if (found->name == "pipeline") return add_pipeline(*value);
    return found->set(settings_, value);
  }

  Status short_output(std::string_view rest) {
    if (rest.empty() && at_ == arguments_.size())
      return Diagnostic{"-o", "needs a path", "write -o PATH"};
    if (rest.empty() && arguments_[at_].starts_with("--"))
      return Diagnostic{"-o", "needs a path, found the flag " + arguments_[at_],
                        "write -o PATH"};
    settings_.output = rest.empty() ? std::string_view(arguments_[at_++]) : rest;
    return Ok{};
  }

  Status add_pass(const Registered& pass, Value options) {
    Result<Step> step = make_step(pass, options.value_or(""), passes_);
    if (!step) {
      Diagnostic error = step.error();
      error.place = "--" + error.place;
      return error;
    }
    settings_.pipeline.push_back(*std::move(step));
    return Ok{};
  }

  Status add_pipeline(std::string_view text) {
    SDFG_TRY(Pipeline steps, parse_pipeline(text, passes_));
    for (Step& step : steps) settings_.pipeline.push_back(std::move(step));
    return Ok{};
  }

  Status unknown(std::string_view word) const {
    std::vector<std::string> known;
    for (const Flag& f : flags) known.push_back("--" + std::string(f.name));
    for (const Registered& p : passes_) known.push_back("--" + std::string(p.name));
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string_view near = nearest(word, views);
    return Diagnostic{std::string(word), "unknown flag",
                      near.empty() ? "see --help" : "did you mean " + std::string(near) + "?"};
  }

  /// Passes named by flags other than their own must exist. One can also look at what `versions`
  /// puts together.
  Status check_names() const {
    const OptSettings& s = settings_;
    for (const auto& [name, limit] : s.limits)
      if (!find_pass(passes_, name)) return no_pass("limit", name, {});
    if (s.help && !s.topic.empty() && !find_pass(passes_, s.topic))
      return no_pass("help", s.topic, {});
    for (const auto& [flag, looks_at] :
         {std::pair{"print-before", &s.print_before}, {"print-after", &s.print_after},
          {"print-after-change", &s.print_after_change}, {"remarks", &s.remarks}})
      for (const std::string& name : looks_at->names)
        if (!find_pass(passes_, name) && name != versions_step)
          return no_pass(flag, name, {versions_step});
    return Ok{};
  }
  /// `known` stands beside the passes.
  Diagnostic no_pass(std::string_view flag, const std::string& name,
                     std::vector<std::string_view> known) const {
    for (const Registered& pass : passes_) known.push_back(pass.name);
    const std::string_view near = nearest(name, known);
    return wrong(flag, "there is no pass '" + name + "'",
                 near.empty() ? "see --list-passes"
                              : "did you mean '" + std::string(near) + "'?");
  }

  std::span<const std::string> arguments_;
  std::span<const Registered> passes_;
  OptSettings settings_;
  std::size_t at_ = 0;
};

std::string shown_name(const Flag& flag) {
  const std::string name = "--" + std::string(flag.name), value(flag.value);
  if (flag.takes == Takes::Nothing) return name;
  return flag.takes == Takes::Maybe ? name + "[=" + value + "]" : name + "=" + value;
}

}  // namespace

Status check_pass_names(std::span<const Registered> passes) {
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const std::string name(passes[i].name);
    if (i > 0 && passes[i - 1].name == passes[i].name)
      return Diagnostic{"pass " + name, "there are two passes of this name",
                        "give one of them another"};
    if (std::ranges::find(flags, name, &Flag::name) != flags.end())
      return Diagnostic{"pass " + name, "the flag --" + name + " means something else already",
                        "give the pass another name"};
  }
  return Ok{};
}

Result<OptSettings> parse_arguments(std::span<const std::string> arguments,
                                    std::span<const Registered> passes) {
  return ArgumentParser(arguments, passes).run();
}

std::string help_text(std::string_view tool, std::span<const Registered> passes) {
  std::string out =
      std::string(tool) +
      " [input] [--PASS | --PASS='option=value …' | --pipeline=TEXT]… [-o PATH]\n\n"
      "Reads an SDFG (DaCe's JSON, plain or gzip, or the text form; - or nothing is\n"
      "standard input), runs passes in the order written, and writes the result.\n"
      "Without passes on a terminal: verifies and shows a summary.\n\n";
  for (const Flag& flag : flags) out += fmt::format("  {:<32} {}\n", shown_name(flag), flag.help);
  out += "\nPipelines and passes (--list-passes says what each does, --help=PASS all about one):\n";
  for (const Registered& pass : passes)
    if (pass.is_pipeline) out += fmt::format("  --{:<30} {}\n", pass.name, pass.info->summary);
  std::string line = " ";
  for (const Registered& pass : passes) {
    if (pass.is_pipeline) continue;
    if (line.size() + 1 + pass.name.size() > 100) out += line + '\n', line = " ";
    line += ' ' + std::string(pass.name);
  }
  if (line.size() > 1) out += line + '\n';
  return out + "\nExit status: 0 fine, 1 the input is wrong, 2 the command line is wrong,\n"
               "3 an internal error, of a pass or of this library.\n";
}

}  // namespace sdfg
