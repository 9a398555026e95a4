#include "tools/common/opt_main.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>

#include "ir/verify.h"
#include "passes/pipeline.h"
#include "support/deep_stack.h"
#include "support/file.h"
#include "support/hash.h"
#include "tools/common/backends.h"
#include "tools/common/bisect.h"
#include "tools/common/check_semantics.h"
#include "tools/common/history.h"
#include "tools/common/input.h"
#include "tools/common/opt_settings.h"
#include "tools/common/reproducer.h"
#include "tools/common/run.h"
#include "tools/common/scalar_argument.h"
#include "tools/common/stats.h"

namespace sdfg {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view version = "0.1.0";

/// One run of the tool. Each step answers with an exit status, Fine meaning: go on.
class Run {
 public:
  Run(std::span<const std::string> arguments, const Console& console,
      std::span<const Registered> passes)
      : arguments_(arguments.begin(), arguments.end()), console_(console), passes_(passes) {}

  Exit whole() {
    try {
      return steps();
    } catch (const std::bad_alloc&) {
      return fail({phase_, "out of memory"});
    } catch (const OutOfBounds& wrong) {
      return fail(wrong.why, s_.input);
    } catch (const OpenResults& wrong) {
      return fail(wrong.why, s_.input);
    } catch (const std::exception& wrong) {
      return internal_error(wrong.what());
    }
  }

 private:
  Exit steps() {
    Result<OptSettings> settings = parse_arguments(arguments_, passes_);
    if (settings && !settings->rerun.empty()) settings = take_reproducer(settings->rerun);
    if (!settings) {
      console_.err(console_.tool + ": " + settings.error().text() + "\n");
      return Exit::WrongCommandLine;
    }
    s_ = *std::move(settings);
    if (s_.help || s_.version || s_.list_passes) return inform();
    if (const Exit e = load(); e != Exit::Fine) return e;
    if (const Exit e = check_plan(); e != Exit::Fine) return e;
    if (const Exit e = check_files_of_run(); e != Exit::Fine) return e;
    if (const Exit e = verify_input(); e != Exit::Fine || s_.verify_only) return e;
    if (const Exit e = check_values(); e != Exit::Fine) return e;
    if (s_.bisect) return find_culprit();
    if (const Exit e = run_passes(); e != Exit::Fine) return e;
    if (const Exit e = write_result(); e != Exit::Fine) return e;
    if (const Exit e = run_program(); e != Exit::Fine) return e;
    if (s_.time) console_.err(timing_.table());
    return has_errors(findings_) ? Exit::WrongInput : Exit::Fine;
  }

  Exit inform() {
    if (s_.version) {
      console_.out(fmt::format("{} {}\n", console_.tool, version));
    } else if (s_.help) {
      console_.out(s_.topic.empty() ? help_text(console_.tool, passes_)
                                    : help_text(*find_pass(passes_, s_.topic)));
    } else {
      const Result<std::string> list = list_passes(passes_, s_.topic);
      if (!list) {
        console_.err(console_.tool + ": " + list.error().text() + "\n");
        return Exit::WrongCommandLine;
      }
      console_.out(*list);
    }
    return Exit::Fine;
  }

  Result<OptSettings> take_reproducer(const std::string& path) {
    SDFG_TRY(const std::string text, console_.read(path));
    Result<Reproducer> reproducer = parse_reproducer(text);
    if (!reproducer) return in_file(path, reproducer.error());
    arguments_ = std::move(reproducer->arguments);
    bytes_ = std::move(reproducer->input);
    SDFG_TRY(OptSettings settings, parse_arguments(arguments_, passes_));
    settings.input = path;
    settings.rerun = path;
    return settings;
  }

  Exit load() {
    const auto begin = start("load");
    if (s_.rerun.empty()) {
      Result<std::string> bytes = console_.read(s_.input);
      if (!bytes) return fail(bytes.error());
      bytes_ = *std::move(bytes);
    }
    if (!s_.reproducer.empty()) {
      const Status stored = console_.write(s_.reproducer, reproducer_text());
      if (!stored) return fail(stored.error());
    }
    Result<Input> input = read_input(bytes_);
    if (!input) return fail(input.error(), s_.input);
    input_ = *std::move(input);
    for (const Diagnostic& note : input_.notes) {
      if (note.severity != Severity::Note) findings_.push_back(note);
      const bool said_later = note.severity == Severity::Error ||
                              (s_.verify_only && note.severity == Severity::Warning);
      if (s_.remarks.active() && !said_later) say(note, s_.input);
    }
    stop("load", begin);
    return Exit::Fine;
  }

  /// What is wrong with the input is said; only passes, code generation and running need it right.
  Exit verify_input() {
    const auto begin = start("verify");
    const Diagnostics found = verify(input_.sdfg, verified_);
    findings_.insert(findings_.end(), found.begin(), found.end());
    stop("verify", begin);
    const bool wrong = has_errors(findings_);
    for (const Diagnostic& finding : findings_)
      if (s_.verify_only || finding.severity == Severity::Error) say(finding, s_.input);
    if (!wrong) return Exit::Fine;
    const bool needs_valid = !s_.pipeline.empty() || !s_.run_data.empty() || s_.verify_only ||
                             s_.stats || s_.bisect || s_.check_semantics != CheckWhen::Never ||
                             is_generated(form());
    return needs_valid ? Exit::WrongInput : Exit::Fine;
  }

  Exit run_passes() {
    phase_ = "passes";
    const Sink err = [&](std::string_view text) { console_.err(text); };
    PrintAround print_around(s_.print_before, s_.print_after, err);
    PrintChanges print_changes(s_.print_after_change, err);
    PrintRemarks print_remarks(s_.remarks, err);
    Statistics statistics;
    VerifyEach verify_each(verified_);
    ReportedChanges reported;
    RunOptions options{
        .limits = s_.limits, .assume = s_.assume, .collect_remarks = s_.remarks.active()};
    // After a pass the last is asked first: those that look on see what those that judge throw out.
    std::optional<CheckSemantics> check;
    if (s_.check_semantics != CheckWhen::Never) {
      Result<CompareOptions> compare = compare_options();
      if (!compare) return fail(compare.error());
      check.emplace(s_.check_semantics == CheckWhen::Each, *std::move(compare));
      check->start(input_.sdfg);
      options.observers.push_back(&*check);
    }
    // What runs the program after passes asks for a valid one.
    if (check && s_.verify == CheckWhen::End) s_.verify = CheckWhen::Each;
    if (s_.verify == CheckWhen::Each || s_.check_semantics == CheckWhen::Each)
      options.observers.push_back(&reported);
    if (s_.verify == CheckWhen::Each) options.observers.push_back(&verify_each);
    if (s_.remarks.active()) options.observers.push_back(&print_remarks);
    if (s_.stats) options.observers.push_back(&statistics);
    if (s_.print_before.active() || s_.print_after.active())
      options.observers.push_back(&print_around);
    if (s_.print_after_change.active()) options.observers.push_back(&print_changes);
    std::optional<History> history;
    if (!s_.history.empty()) {
      options.collect_remarks = true;
      options.observers.push_back(&history.emplace(input_.sdfg));
    }
    if (s_.time) options.observers.push_back(&timing_);
    Diagnostics warnings;
    const auto write_history = [&] {
      return history ? console_.write(s_.history, packed(s_.history, history->text()))
                     : Status(Ok{});
    };
    Result<Changed> changed = Changed::No;
    try {
      changed = run_pipeline(options, warnings);
      for (const Diagnostic& warning : warnings) say(warning, s_.input);
      if (check && changed) check->finish(input_.sdfg);
    } catch (...) {
      static_cast<void>(write_history());
      throw;
    }
    const Status written = write_history();
    if (!changed) return fail(changed.error(), s_.input);
    if (check && (check->note() || check->doubt())) {
      Diagnostic why = check->note() ? *check->note() : *check->doubt();
      why.message = std::string("--check-semantics ") +
                    (check->note() ? "compared nothing" : "shows little") + ", because " +
                    why.message;
      why.severity = Severity::Warning;
      say(why, s_.input);
    }
    if (!written) return fail(written.error());
    if (s_.stats && s_.stats_file.empty()) console_.err(statistics.table());
    if (s_.stats && s_.run_data.empty()) show_cost();
    return Exit::Fine;
  }

  /// Verifies the result, unless that is done after each pass. Where it is not valid, or a pass
  /// failed, perhaps because the one before it had left something wrong, everything is done once
  /// more and verified after each pass, which tells the first one that was wrong.
  Result<Changed> run_pipeline(const RunOptions& options, Diagnostics& warnings) {
    try {
      Result<Changed> changed = sdfg::run(s_.pipeline, input_.sdfg, options, warnings);
      if (s_.verify != CheckWhen::End || !changed || s_.pipeline.empty()) return changed;
      const auto begin = start("verify");
      const Diagnostics found = verify(input_.sdfg, verified_);
      stop("verify", begin);
      phase_ = "passes";
      const auto wrong = std::ranges::find(found, Severity::Error, &Diagnostic::severity);
      if (wrong != found.end())
        throw InternalError("the result is not valid: " + wrong->text());
      return changed;
    } catch (const InternalError&) {
      if (s_.verify == CheckWhen::End) verify_after_each_pass();
      throw;
    }
  }

  /// From the input on; throws where a pass leaves what is not valid.
  void verify_after_each_pass() const {
    Result<Input> again = read_input(bytes_);
    if (!again) return;
    ReportedChanges reported;
    VerifyEach verify_each;
    const RunOptions options{
        .observers = {&reported, &verify_each}, .limits = s_.limits, .assume = s_.assume};
    Diagnostics said_before;
    static_cast<void>(sdfg::run(s_.pipeline, again->sdfg, options, said_before));
  }

  Exit find_culprit() {
    phase_ = "bisect";
    Judge judge;
    if (s_.command.empty()) {
      Result<CompareOptions> compare = compare_options();
      if (!compare) return fail(compare.error());
      Result<Judge> made = semantics_judge(input_.sdfg, *std::move(compare));
      if (!made) return fail(made.error(), s_.input);
      judge = *std::move(made);
    } else {
      judge = command_judge(s_.command);
    }
    const RunOptions options{.limits = s_.limits, .assume = s_.assume};
    const Result<Culprit> found = bisect(input_.sdfg, s_.pipeline, options, judge);
    if (!found) return fail(found.error(), s_.input);
    console_.out(fmt::format("application {} of {} brings it in\n{}\n", found->number, found->total,
                             found->remark.text()));
    return Exit::Fine;
  }

  /// What --run and --set say of arguments, under their own names.
  Result<NamedArrays> recorded_inputs() const {
    NamedArrays given;
    if (!s_.run_data.empty()) {
      SDFG_TRY(given, read_arguments(console_, s_.run_data));
    }
    for (const auto& [name, text] : s_.set) {
      SDFG_TRY(NdArray value, scalar_argument(input_.sdfg, name, text));
      given.insert_or_assign(name, std::move(value));
    }
    return given;
  }

  Result<CompareOptions> compare_options() const {
    SDFG_TRY(NamedArrays given, recorded_inputs());
    return CompareOptions{.given = std::move(given),
                          .tolerance = s_.tolerance,
                          .constants = symbol_constants(s_.pipeline),
                          .assume = s_.assume};
  }

  static std::string packed(const std::string& path, std::string bytes) {
    return path.ends_with("gz") ? gzip(bytes) : bytes;
  }

  /// Asked for, or told by the name of the output, or a summary for a person, or what came in.
  Emit form() const {
    if (s_.emit) return *s_.emit;
    if (!s_.output.empty() && s_.output != "-")
      if (const auto by_name = emit_from_path(s_.output)) return *by_name;
    if (s_.output.empty() && !s_.run_data.empty()) return Emit::None;
    if (s_.output.empty() && console_.terminal && s_.pipeline.empty()) return Emit::Summary;
    return input_.form == Form::Text ? Emit::Text : Emit::Json;
  }

  Exit write_result() {
    const Emit chosen = form();
    if (chosen == Emit::None) return Exit::Fine;
    const auto begin = start("write");
    const Result<std::string> plan = this->plan();
    if (!plan) return fail(plan.error());
    const bool keep = is_generated(chosen) && !s_.run_data.empty();
    Diagnostics warnings;
    Result<std::string> bytes =
        keep ? emit(Sdfg(input_.sdfg), chosen, s_.profile, *plan, &warnings)
             : emit(std::move(input_.sdfg), chosen, s_.profile, *plan, &warnings);
    for (const Diagnostic& warning : warnings) say(warning, s_.input);
    if (!bytes) return fail(bytes.error(), s_.input);
    if (chosen == Emit::Summary)
      *bytes += fmt::format("verified   {}\n", verdict());
    const std::string path = s_.output.empty() ? "-" : s_.output;
    const Status written = console_.write(path, packed(path, *std::move(bytes)));
    if (!written) return fail(written.error());
    stop("write", begin);
    return Exit::Fine;
  }

  /// Also where nothing asks for them: a name that is misspelled sets nothing.
  Exit check_values() const {
    for (const auto& [name, text] : s_.set)
      if (const Result<NdArray> value = scalar_argument(input_.sdfg, name, text); !value)
        return fail(value.error(), s_.input);
    return Exit::Fine;
  }

  /// Files that only a run fills.
  Exit check_files_of_run() {
    if (!s_.run_data.empty() || (s_.record.empty() && s_.stats_file.empty())) return Exit::Fine;
    console_.err(console_.tool +
                 (s_.record.empty() ? ": --stats: its file gets what --run counts"
                                    : ": --record: it writes what --run computes") +
                 ", and nothing is run; add --run=DATA.npz with the arguments as in:NAME\n");
    return Exit::WrongCommandLine;
  }

  /// A plan where nothing has kernels would be ignored.
  Exit check_plan() {
    constexpr Emit with_kernels[] = {Emit::Cuda, Emit::Hip, Emit::Plan, Emit::PlanJson,
                                     Emit::Report};
    const bool runs_them =
        !s_.run_data.empty() && s_.backend != "interpreter" && s_.backend != "cpu";
    if (s_.plan.empty() || runs_them ||
        std::ranges::find(with_kernels, form()) != std::end(with_kernels))
      return Exit::Fine;
    console_.err(console_.tool +
                 ": --plan: it says how kernels run, and nothing that is asked for has kernels; "
                 "add --emit=cuda, hip, plan or report, or --run with --backend=cuda-on-cpu, "
                 "hip-on-cpu, cuda or hip\n");
    return Exit::WrongCommandLine;
  }

  /// The text of --plan's file.
  Result<std::string> plan() const {
    if (s_.plan.empty()) return std::string();
    return console_.read(s_.plan);
  }

  std::string verdict() const {
    std::size_t errors = 0;
    for (const Diagnostic& finding : findings_) errors += finding.severity == Severity::Error;
    const std::size_t warnings = findings_.size() - errors;
    std::string out = errors ? fmt::format("{} errors", errors) : "valid";
    return warnings ? out + fmt::format(", {} warnings", warnings) : out;
  }

  Exit run_program() {
    if (s_.run_data.empty()) return Exit::Fine;
    const auto begin = start("run");
    const Result<std::string> bytes = console_.read(s_.run_data);
    if (!bytes) return fail(bytes.error());
    Result<NamedArrays> recorded = read_npz(*bytes);
    if (!recorded) return fail(recorded.error(), s_.run_data);
    const bool compares = std::ranges::any_of(
        *recorded, [](const auto& entry) { return entry.first.starts_with("out:"); });
    if (!compares && s_.check_semantics != CheckWhen::Never && s_.record.empty() && !s_.stats)
      return Exit::Fine;  // the arguments were for that check
    for (const auto& [name, text] : s_.set) {
      Result<NdArray> value = scalar_argument(input_.sdfg, name, text);
      if (!value) return fail(value.error(), s_.input);
      recorded->insert_or_assign("in:" + name, *std::move(value));
    }
    const Result<std::string> plan = this->plan();
    if (!plan) return fail(plan.error());
    const Result<Backend> backend = backend_by_name(s_.backend, s_.stats, *plan);
    if (!backend) return fail(backend.error());
    if (!s_.record.empty()) return write_record(*recorded, *backend);
    const Result<RunReport> report = run_and_compare(input_.sdfg, *recorded, *backend);
    stop("run", begin);
    if (!report) return fail(report.error(), s_.input);
    for (const Diagnostic& warning : report->warnings) say(warning, s_.input);
    console_.out(to_text(*report));
    if (report->counts)
      if (const Exit e = write_counts(*report->counts); e != Exit::Fine) return e;
    if (report->within(s_.tolerance)) return Exit::Fine;
    return fail({s_.run_data, s_.tolerance == 0
                                  ? "the results are not the recorded ones bit for bit"
                                  : "the results differ by more than the tolerance"});
  }

  Exit write_record(const NamedArrays& given, const Backend& backend) {
    const Result<NamedArrays> all = run_and_record(input_.sdfg, given, backend);
    if (!all) return fail(all.error(), s_.input);
    const Status written = console_.write(s_.record, write_npz(*all));
    return written ? Exit::Fine : fail(written.error());
  }

  /// What the program would launch and move, in symbols or, with --set, in numbers.
  void show_cost() const {
    const ProgramCost cost = program_cost(input_.sdfg);
    ByName<std::int64_t> symbols;
    for (const auto& [name, text] : s_.set) {
      std::int64_t value = 0;
      const char* const end = text.data() + text.size();
      if (std::from_chars(text.data(), end, value).ptr == end) symbols[name] = value;
    }
    if (!cost.kernels.empty()) console_.err(to_text(cost, symbols));
  }

  Exit write_counts(const ExecutionCounts& counts) {
    if (s_.stats_file.empty()) return console_.out(to_text(counts)), Exit::Fine;
    const Status written = console_.write(s_.stats_file, to_json(counts));
    return written ? Exit::Fine : fail(written.error());
  }

  // ---- Messages.

  /// A finding in a file starts with the file's name.
  void say(const Diagnostic& d, const std::string& file) const {
    console_.err((file == "-" ? "<stdin>" : file) + ": " + d.text() + "\n");
  }
  Exit fail(const Diagnostic& error, const std::string& file = {}) const {
    if (file.empty())
      console_.err(console_.tool + ": " + error.text() + "\n");
    else
      say(error, file);
    return Exit::WrongInput;
  }

  Exit internal_error(const std::string& what) {
    console_.err(console_.tool + ": internal error in " + phase_ + ": " + what + "\n");
    if (!s_.reproducer.empty()) return Exit::InternalError;  // it is there already
    const std::string text = reproducer_text();
    const std::string path =
        fmt::format("{}-{:016x}.reproducer", console_.tool, Hasher().add(text).value());
    if (console_.write(path, text))
      console_.err("to see it again: " + console_.tool + " --rerun=" + path + "\n");
    return Exit::InternalError;
  }

  std::string reproducer_text() const {
    Reproducer reproducer{.tool = console_.tool, .arguments = {}, .input = {}};
    // The input travels in the file, and a rerun must not write another one.
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const std::string& word = arguments_[i];
      if (word == "--reproducer") ++i;
      if (word.starts_with("--reproducer") || (s_.input_given && word == s_.input)) continue;
      reproducer.arguments.push_back(word);
    }
    reproducer.input = bytes_;
    if (is_gzip(bytes_))
      if (Result<std::string> unpacked = gunzip(bytes_)) reproducer.input = *std::move(unpacked);
    return print(reproducer);
  }

  using Clock = std::chrono::steady_clock;
  Clock::time_point start(const char* phase) { return phase_ = phase, Clock::now(); }
  void stop(const char* phase, Clock::time_point begin) {
    timing_.add(phase, Clock::now() - begin);
  }

  std::vector<std::string> arguments_;
  const Console& console_;
  std::span<const Registered> passes_;
  OptSettings s_;
  std::string bytes_;
  Input input_;
  Diagnostics findings_;
  Verified verified_;  ///< what need not be looked at again after a pass
  Timing timing_;
  std::string phase_ = "start";
};

}  // namespace

int opt_main(std::span<const std::string> arguments, const Console& console,
             std::span<const Registered> passes) {
  if (const Status fine = check_pass_names(passes); !fine) {
    console.err(console.tool + ": " + fine.error().text() + "\n");
    return int(Exit::WrongCommandLine);
  }
  Run run(arguments, console, passes);
  const int status = int(run.whole());
  if (console.leave) console.leave(status);
  return status;
}

int opt_main(int count, char** words, const std::vector<Registered>& own_passes) {
  const std::vector<Registered> passes = all_passes_and(own_passes);
  const std::vector<std::string> arguments(words + 1, words + count);
  const Console console = Console::standard(fs::path(words[0]).filename());
  int status = 0;
  with_deep_stack([&] { status = opt_main(arguments, console, passes); });
  return status;
}

}  // namespace sdfg
