#include "tools/common/check_semantics.h"

#include <algorithm>

#include "ir/analysis/races.h"
#include "ir/analysis/signature.h"
#include "ir/walk.h"
#include "passes/common/symbol_entries.h"
#include "passes/simplify/demote_fields.h"
#include "passes/simplify/substitute_symbols.h"
#include "tools/common/arguments.h"

namespace sdfg {
namespace {

/// Integers and truth values among the arguments.
ByName<std::int64_t> integers(const NamedArrays& arguments) {
  ByName<std::int64_t> out;
  for (const auto& [name, array] : arguments) {
    if (!array.shape.empty()) continue;
    const bool is_signed = array.type.is_signed_integer();
    if (!is_signed && !array.type.is_integer() && !array.type.is_bool()) continue;
    std::uint64_t bits = 0;
    for (std::size_t i = array.bytes.size(); i-- > 0;)
      bits = bits << 8 | std::uint8_t(array.bytes[i]);
    const unsigned unused = 64 - 8 * unsigned(array.bytes.size());
    out[name] = is_signed ? std::int64_t(bits << unused) >> unused : std::int64_t(bits);
  }
  return out;
}

/// At the top level, where nested SDFGs write through access nodes, too.
bool writes_arguments(const Sdfg& sdfg) {
  bool writes = false;
  for_each_state(sdfg, [&](const State& state) {
    for (NodeId n : state.nodes_of<AccessNode>()) {
      const Data* data = sdfg.find_data(state.get<AccessNode>(n).data);
      writes |= data && !data->transient && !data->is_scalar() && !state.in(n).empty();
    }
  });
  return writes;
}

bool changes_nothing(const NamedArrays& after, const NamedArrays& before) {
  return std::ranges::all_of(after, [&](const auto& entry) {
    const auto found = before.find(entry.first);
    return found != before.end() && found->second.bytes == entry.second.bytes;
  });
}

/// The first argument that a program asks for now and did not before, but for demoted fields: these
/// are given.
std::optional<std::string> new_argument(const Sdfg& before, const Sdfg& now) {
  const auto old_ones = signature(before), new_ones = signature(now);
  if (!old_ones || !new_ones) return {};
  for (const Argument& argument : *new_ones)
    if (!argument.name.starts_with(demoted_prefix) &&
        std::ranges::find(*old_ones, argument.name, &Argument::name) == old_ones->end())
      return argument.name;
  return {};
}

bool reads_unwritten(const Executed& executed) {
  return !executed.warnings.empty() || !executed.arbitrary.empty();
}

/// Two accesses that no path orders, and where; empty when there are none.
std::string race_text(const Sdfg& program, RaceIs kind) {
  std::string out;
  for_each_sdfg(program, [&](const Sdfg& sdfg) {
    for_each_block(sdfg, [&](const Block& block) {
      const auto* state = out.empty() ? block.as<State>() : nullptr;
      const auto race = state ? find_race(sdfg, *state, kind) : std::nullopt;
      if (!race) return;
      const Place place = Place().in("SDFG '" + sdfg.name + "'").block(block);
      out = "two accesses of '" + race->container + "': " +
            place.edge(*state, race->first).text() + ", and " +
            Place().edge(*state, race->second).text();
    });
  });
  return out;
}

/// A transient that the iterations of a map share, with the name of its SDFG; empty when there is
/// none.
std::string shared_text(const Sdfg& program) {
  std::string out;
  for_each_sdfg(program, [&](const Sdfg& sdfg) {
    if (!out.empty()) return;
    if (const auto shared = find_shared_transient(sdfg))
      out = "'" + *shared + "' of SDFG '" + sdfg.name + "'";
  });
  return out;
}

}  // namespace

ByName<std::int64_t> symbol_constants(const Pipeline& pipeline) {
  ByName<std::int64_t> constants;
  for (const Step& step : pipeline) {
    if (step.pass && step.pass->name == SubstituteSymbols::info.name) {
      const auto options =
          parse_options<SubstituteSymbols::Options>(step.configured.options);
      if (!options) continue;
      if (const auto values = read_symbol_entries(options->symbols, SymbolFile::Constants))
        constants.insert(values->begin(), values->end());
    }
    constants.merge(symbol_constants(step.steps));
  }
  return constants;
}

void CheckSemantics::start(const Sdfg& sdfg, std::uint64_t step_limit) {
  const bool writes = writes_arguments(sdfg);
  // Large programs with large made arguments would take minutes: small extents show as much.
  for (const std::int64_t size : {8, 5, 16, 3}) {
    Result<NamedArrays> made = make_arguments(
        sdfg, {.size = size,
               .given = options_.given,
               .constants = options_.constants,
               .assume = options_.assume});
    if (!made) {
      note_ = made.error();
      break;
    }
    Result<Executed> executed = interpreter_backend({.step_limit = step_limit})(sdfg, *made);
    if (!executed) {
      note_ = executed.error();
      note_->message = "the program does not run: " + note_->message;
      if (options_.given.empty())
        note_->hint = "give arguments with --run=DATA.npz or --set=NAME=VALUE";
      continue;
    }
    const bool shows_nothing = writes && changes_nothing(executed->arguments, *made);
    if (shows_nothing && expected_) continue;
    arguments_ = *std::move(made);
    expected_ = *std::move(executed);
    doubt_.reset();
    if (!shows_nothing) break;
    doubt_ = Diagnostic{{}, "the program changes none of its arguments with the values they have",
                        "give others with --run=DATA.npz or --set=NAME=VALUE"};
  }
  if (expected_) {
    note_.reset();
    note_demoted(sdfg);
    const Result<Executed> adverse = interpreter_backend(
        {.step_limit = this->step_limit(), .adverse = true})(sdfg, arguments_);
    settled_ = gives_the_same(adverse);
    may_stop_ = !adverse;
    input_ = sdfg;
    has_race_ = !race_text(sdfg, RaceIs::Possible).empty();
    shares_ = !shared_text(sdfg).empty();
  }
}

void CheckSemantics::after(const PassRun& run, const Sdfg& sdfg, Changed changed,
                           const PassContext&) {
  if (each_ && changed == Changed::Yes && !other_case_) compare(sdfg, "after " + run.title());
}

void CheckSemantics::enter_version(const std::vector<Expr>& conditions) {
  const auto values = integers(arguments_);
  other_case_ = std::ranges::any_of(
      conditions, [&](const Expr& condition) { return evaluate(condition, values) != 1; });
}

void CheckSemantics::finish(const Sdfg& sdfg) {
  if (!each_) compare(sdfg, "after the passes");
}

std::string CheckSemantics::note_demoted(const Sdfg& sdfg) {
  std::string added;
  for (const auto& [name, data] : sdfg.arrays) {
    if (!name.starts_with(demoted_prefix)) continue;
    const std::string field = name.substr(demoted_prefix.size());
    if (demoted_.insert(field).second) added = field;
    // Passes may demote a field, and restore one that the input had demoted.
    if (const auto given = arguments_.find(field); given != arguments_.end())
      arguments_[name] = given->second;
    else if (const auto kept = arguments_.find(name); kept != arguments_.end())
      arguments_[field] = kept->second;
  }
  return added;
}

std::uint64_t CheckSemantics::step_limit() const { return 1'000'000 + 100 * steps(); }

void CheckSemantics::compare(const Sdfg& sdfg, const std::string& when) {
  if (!expected_) return;
  if (const std::string race = has_race_ ? "" : race_text(sdfg, RaceIs::Certain); !race.empty())
    throw InternalError(when + " nothing orders " + race);
  if (const std::string shared = shares_ ? "" : shared_text(sdfg); !shared.empty())
    throw InternalError(when + " the iterations of a map share " + shared +
                        ", which something else uses, too: each had its own");
  const std::string demoted = note_demoted(sdfg);
  const Result<Executed> executed =
      interpreter_backend({.step_limit = step_limit()})(sdfg, arguments_);
  if (executed && !demoted.empty() && reads_unwritten(*executed) && !reads_unwritten(*expected_)) {
    expected_.reset();
    note_ = Diagnostic{
        {}, "demoted field '" + demoted + "' is read where the program has not written it"};
    return;
  }
  if (!executed)
    if (const auto strict = interpreter_backend({.check_windows = true})(*input_, arguments_);
        !strict)
      throw OpenResults({strict.error().place,
                         strict.error().message + "; the program ran because what is viewed has "
                                                  "more memory, but " + when + " it does not",
                         strict.error().hint});
  if (!executed)
    if (const auto added = new_argument(*input_, sdfg))
      throw InternalError(when + " the program asks for a new argument '" + *added +
                          "': something reads it that nothing in the program sets any more");
  if (!settled_ && (executed ? !gives_the_same(executed) : may_stop_))
    throw OpenResults({{},
                       when + " the program, which left open before what it gives, " +
                           (executed ? "gives other results" : "does not run any more"),
                       "put accesses of the same elements in order, and write before reading"});
  require_same(executed, when + " the program");
  if (settled_)
    require_same(interpreter_backend(
                     {.step_limit = step_limit(), .adverse = true})(sdfg, arguments_),
                 when + " the program, with what it leaves open settled the other way (the order "
                        "of nodes and iterations, values never written),");
  ++compared_;
}

Result<RunReport> CheckSemantics::differences(const Executed& executed) const {
  NamedArrays expected;
  for (const auto& [name, array] : expected_->arguments)
    // What became unused may have left the signature.
    if (executed.arguments.contains(name) && !demoted_.contains(name))
      expected.emplace(name, array);
  return compare_arguments(executed.arguments, expected, expected_->arbitrary);
}

bool CheckSemantics::gives_the_same(const Result<Executed>& executed) const {
  if (!executed) return false;
  const Result<RunReport> report = differences(*executed);
  return report && report->within(options_.tolerance);
}

void CheckSemantics::require_same(const Result<Executed>& executed, const std::string& who) const {
  if (!executed) throw InternalError(who + " does not run any more: " + executed.error().text());
  const Result<RunReport> report = differences(*executed);
  if (!report) throw InternalError(who + " has another argument: " + report.error().text());
  if (report->within(options_.tolerance)) return;
  std::string what = who + " gives other results\n" + to_text(*report);
  // As far apart as sums of some hundred elements in single precision may be.
  if (report->largest_error() < 1e-4)
    what += "\nsums in another order differ as little; where the pass says that it changes the "
            "order, --tolerance=1e-4 lets that pass";
  throw InternalError(what);
}

}  // namespace sdfg
