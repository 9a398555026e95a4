#include "passes/pipeline.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "ir/analysis/cost.h"
#include "ir/analysis/signature.h"
#include "ir/expr_symbols.h"
#include "ir/walk.h"
#include "passes/common/assume.h"
#include "passes/common/empty_parts.h"
#include "passes/common/likely_equal.h"
#include "passes/common/likely_values.h"
#include "passes/common/outputs_read.h"
#include "passes/common/tidy.h"
#include "passes/common/versions.h"
#include "passes/common/zeroed_lifetimes.h"
#include "support/text.h"

namespace sdfg {
namespace {

constexpr std::string_view fixed_point = "fixed-point";

/// A version that nobody asked for has to save one in so many bytes.
constexpr std::int64_t version_worth = 100;
/// A dimension of unknown size has as many points, when versions are weighed.
constexpr std::int64_t least_extent = 1000;

/// Points of a dimension of unknown size, for weighing a version: as many as the longest one of
/// known size, so that dimensions of the same kind count alike, known or not.
std::int64_t assumed_extent(const Sdfg& program) {
  std::int64_t longest = least_extent;
  for (const auto& [name, data] : program.arrays)
    for (const Expr& size : data.shape) longest = std::max(longest, size.as_integer().value_or(0));
  return longest;
}

/// A fixed point ends after so many rounds in a row each of which makes the program larger by half:
/// such rounds take ever longer, and a hundred of them would not end.
constexpr std::size_t most_growing_rounds = 5;
/// Or when the program has so many times the nodes that it had, and some more: it may grow in every
/// other round only.
constexpr std::size_t most_growth = 16, growth_allowed = 1000;
constexpr std::size_t most_steps_named = 3;

/// Of dataflow, in nested SDFGs, too.
std::size_t node_count(const Sdfg& program) {
  std::size_t count = 0;
  for_each_sdfg(program, [&](const Sdfg& sdfg) {
    for_each_state(sdfg, [&](const State& state) { count += state.node_count(); });
  });
  return count;
}

class PipelineParser {
 public:
  PipelineParser(std::string_view text, std::span<const Registered> passes)
      : text_(text), passes_(passes) {}

  /// What positions in the text begin with.
  static constexpr std::string_view place = "pipeline, character ";

  Result<Pipeline> whole() {
    SDFG_TRY(Pipeline pipeline, steps());
    if (at_ != text_.size()) return error("expected ',' or the end");
    return pipeline;
  }

 private:
  Result<Pipeline> steps() {
    Pipeline pipeline;
    do {
      SDFG_TRY(Step next, step());
      pipeline.push_back(std::move(next));
    } while (take(','));
    return pipeline;
  }

  Result<Step> step() {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ',' && text_[at_] != '{' &&
           text_[at_] != '}')
      ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty()) return error("expected the name of a pass");
    Step step;
    if (name == fixed_point) {
      if (!take('{')) return error("expected '{' after 'fixed-point'");
      SDFG_TRY(step.steps, steps());
      if (!take('}')) return error("expected ',' or '}'");
      return step;
    }
    if (name == versions_step) {
      SDFG_TRY(const std::string_view text, options());
      SDFG_TRY(step.versions, parse_options<VersionsOptions>(text));
      if (!take('{')) return error("expected '{' and the steps after the options of 'versions'");
      SDFG_TRY(step.steps, steps());
      if (!take('}')) return error("expected ',' or '}'");
      return step;
    }
    step.pass = find_pass(passes_, name);
    if (!step.pass) {
      std::vector<std::string_view> known{fixed_point, versions_step};
      for (const Registered& pass : passes_) known.push_back(pass.name);
      at_ = begin;
      Diagnostic unknown = error("unknown pass '" + std::string(name) + "'");
      if (const auto near = nearest(name, known); !near.empty())
        unknown.hint = "did you mean '" + std::string(near) + "'?";
      return unknown;
    }
    SDFG_TRY(const std::string_view text, options());
    return make_step(*step.pass, text, passes_);
  }

  /// What stands between braces; nothing when there are none.
  Result<std::string_view> options() {
    if (!take('{')) return std::string_view{};
    const std::string_view behind = text_.substr(at_);
    const std::size_t close = find_outside_braces(behind, "}");
    if (close == behind.npos) return error("expected '}'");
    at_ += close + 1;
    return behind.substr(0, close);
  }

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_space();
    return true;
  }
  Diagnostic error(std::string message) const {
    if (at_ < text_.size() && !message.starts_with("unknown"))
      message += ", found '" + std::string(text_.substr(at_, 20)) + "'";
    return {std::string(place) + std::to_string(at_ + 1), std::move(message)};
  }

  std::string_view text_;
  std::span<const Registered> passes_;
  std::size_t at_ = 0;
};

/// The conditions of a guarded version that the user states.
Result<std::vector<Expr>> stated_conditions(const VersionsOptions& options) {
  std::vector<Expr> conditions;
  for (const std::string& text : options.when) {
    Result<Expr> condition = parse_python(text);
    if (!condition)
      return Diagnostic{{}, "option 'when': " + condition.error().message,
                        "write when=begin==0,begin<=end"};
    conditions.push_back(simplify(*condition));
  }
  return conditions;
}

/// Is there a symbol that certainly has no value within its bounds?
bool leaves_no_value(const Assumptions& known) {
  return std::ranges::any_of(known.bounds(), [&](const auto& entry) {
    const auto& [low, high] = entry.second;
    return low && high && less_equal(*low, *high, known) == Truth::No;
  });
}

class Runner {
 public:
  Runner(Sdfg& sdfg, const RunOptions& options, Diagnostics& warnings)
      : sdfg_(&sdfg),
        options_(options),
        assume_(options.assume),
        left_(options.limits),
        warnings_(warnings) {}

  /// What is stated must speak of the program, else that is said; where it cannot all hold at once,
  /// passes would conclude anything from it, and none runs.
  Status check_stated() const {
    if (assume_.empty()) return Ok{};
    const SymbolSet changing = names_with_other_values(*sdfg_, symbols_of(assume_));
    Assumptions known;
    assume_shapes(*sdfg_, known);
    for (const Expr& condition : assume_) {
      if (!speaks_of_program(condition, changing)) continue;
      const bool was_false = is_true(condition, known) == Truth::No;
      assume(condition, known);
      if (was_false || leaves_no_value(known))
        return Diagnostic{{},
                          "condition '" + to_text(condition) +
                              "' cannot hold together with " +
                              (&condition == &assume_.front() ? "" : "those before it and ") +
                              "the shapes of arguments, which are not negative",
                          "leave one of them out"};
    }
    return Ok{};
  }

  Result<Changed> steps(const std::vector<Step>& steps) {
    Changed changed = Changed::No;
    for (const Step& step : steps) {
      SDFG_TRY(const Changed once, step.versions           ? versions(step)
                                   : !step.pass           ? repeat(step)
                                   : step.configured.run ? pass(step)
                                                         : this->steps(step.steps));
      changed |= once;
    }
    return changed;
  }

 private:
  bool speaks_of_program(const Expr& condition, const SymbolSet& changing) const {
    const auto warn = [&](std::string why, std::string hint) {
      warnings_.push_back({{}, "condition '" + to_text(condition) + std::move(why),
                           std::move(hint), Severity::Warning});
      return false;
    };
    for (const std::string& name : free_symbols(condition)) {
      if (changing.contains(name))
        return warn("' is left out: the program gives '" + name + "' other values",
                    "name the loop's variable or the map's parameter otherwise");
      if (sdfg_->symbols.contains(name) || sdfg_->find_data(name) ||
          sdfg_->constants.contains(name))
        continue;
      std::vector<std::string_view> names;
      for (const auto& [symbol, type] : sdfg_->symbols) names.push_back(symbol);
      const std::string_view meant = nearest(name, names);
      return warn("' says nothing: the program has no symbol '" + name + "'",
                  meant.empty() ? "" : "did you mean '" + std::string(meant) + "'?");
    }
    return true;
  }

  /// One that was stopped stays so: around it, another one would begin it again and again.
  Result<Changed> repeat(const Step& step) {
    if (stopped_.contains(&step)) return Changed::No;
    Changed changed = Changed::No;
    const std::size_t first = node_count(*sdfg_);
    std::vector<std::size_t> sizes{first};  // before growing rounds, and after each
    const std::string feeds = "its steps find more to do in what they have made";
    const auto stopped = [&](std::string why, std::string hint) {
      stopped_.insert(&step);
      warnings_.push_back({name(step), std::move(why) + "; stopped", std::move(hint),
                           Severity::Warning});
      return changed;
    };
    for (std::size_t round = 0; round < options_.fixed_point_rounds; ++round) {
      SDFG_TRY(const Changed once, steps(step.steps));
      if (once == Changed::No) return changed;
      changed = Changed::Yes;
      const std::size_t size = node_count(*sdfg_);
      if (size < sizes.back() + sizes.back() / 2 + 1) sizes.clear();
      sizes.push_back(size);
      if (sizes.size() > most_growing_rounds)
        return stopped("each of " + std::to_string(most_growing_rounds) +
                           " rounds made the program larger by half or more, from " +
                           std::to_string(sizes.front()) + " to " + std::to_string(size) + " nodes",
                       feeds);
      if (size > most_growth * first + growth_allowed)
        return stopped("the program has grown from " + std::to_string(first) + " to " +
                           std::to_string(size) + " nodes in " + std::to_string(round + 1) +
                           " rounds",
                       feeds);
    }
    return stopped(
        "still changing after " + std::to_string(options_.fixed_point_rounds) + " rounds", {});
  }

  /// A fixed point by the names of its first steps.
  static std::string name(const Step& step) {
    std::string out;
    std::size_t named = 0;
    for (const Step& inner : step.steps) {
      if (!out.empty()) out += ',';
      if (++named > most_steps_named) {
        out += "…";
        break;
      }
      out += inner.pass ? std::string(inner.pass->name)
                        : std::string(inner.versions ? versions_step : fixed_point) + "{…}";
    }
    return std::string(fixed_point) + '{' + out + '}';
  }

  /// The general version first: what it still decides at run time is what typical or likely values
  /// can decide beforehand.
  Result<Changed> versions(const Step& step) {
    SDFG_TRY(std::vector<Expr> conditions, stated_conditions(*step.versions));
    SDFG_TRY(const SymbolValues typical,
             read_symbol_entries(step.versions->typical, SymbolFile::Arguments));
    const bool guess = step.versions->likely;
    Sdfg special = *sdfg_;
    const SymbolSet taken = conditions.empty() ? SymbolSet() : free_symbols(*sdfg_);
    for (const Expr& condition : conditions)
      for (const std::string& name : free_symbols(condition)) {
        const bool known = sdfg_->symbols.contains(name);
        if (known && taken.contains(name)) continue;
        return Diagnostic{std::string(versions_step),
                          "condition '" + to_text(condition) + "': the program " +
                              (known ? "gives '" + name + "' a value itself"
                                     : "has no symbol '" + name + "'")};
      }
    const auto symbols = sdfg_->symbols;
    SDFG_TRY(const Changed changed, steps(step.steps));
    if (!typical.empty()) add_new(typical_decisions(*sdfg_, typical), symbols, conditions);
    if (guess) {
      add_new(likely_equalities(*sdfg_), symbols, conditions);
      add_new(likely_decisions(*sdfg_, likely_values(special)), symbols, conditions);
    }
    if (conditions.empty()) {
      if (!guess)
        warnings_.push_back({std::string(versions_step),
                             "the typical values decide nothing; there is one version only",
                             {}, Severity::Warning});
      return changed;
    }
    const Sdfg unoptimized = special;
    SDFG_TRY(const Changed specialized, specialize(special, conditions, step));
    Gain gain = guess ? saved(unoptimized, special, conditions) : Gain{};
    if (!gain.refusal) gain.refusal = check_storage(*sdfg_, special);
    join(std::move(special), conditions, gain, symbols);
    return gain.refusal ? changed : changed | specialized | Changed::Yes;
  }

  /// An argument is in one memory, whatever version runs.
  static Refusal check_storage(const Sdfg& general, const Sdfg& special) {
    for (const auto& [name, data] : special.arrays)
      if (const Data* other = general.arrays.get(name);
          !data.transient && other && other->storage != data.storage)
        return "'" + name + "' would be in " + std::string(to_text(data.storage)) +
               ", and otherwise in " + std::string(to_text(other->storage));
    return {};
  }
  /// Whether a version is worth its code, and why.
  struct Gain {
    std::string text;
    Refusal refusal;
  };
  /// Bytes are an upper bound with all branches in it: fewer launches of no more bytes count, too.
  Gain saved(const Sdfg& unoptimized, const Sdfg& special,
             const std::vector<Expr>& conditions) const {
    const ProgramCost general = program_traffic(*sdfg_), specialized = program_traffic(special);
    std::optional<Moved> before, after;
    std::int64_t extent = assumed_extent(unoptimized);
    for (;; extent /= 2) {  // until numbers of bytes have 64 bits
      SymbolValues sizes = likely_values(unoptimized, extent);
      begin_at_zero(unoptimized, conditions, sizes);
      add_equal(conditions, sizes);
      before = moved(general, sizes, extent), after = moved(specialized, sizes, extent);
      if ((before && after) || extent < 2 * least_extent) break;
    }
    const Moved less = after.value_or(Moved()), more = before.value_or(Moved());
    const std::string text = "kernels would move " + std::to_string(less.bytes) +
                             " bytes instead of " + std::to_string(more.bytes) +
                             " where dimensions have " + std::to_string(extent) + " points, " +
                             std::to_string(less.kernels) + " kernels and copies instead of " +
                             std::to_string(more.kernels);
    const bool pays = before && after &&
                      (more.bytes - less.bytes > more.bytes / version_worth ||
                       (less.bytes <= more.bytes && less.kernels < more.kernels));
    if (!pays) return {{}, text + ": not worth a version"};
    return {", as ranges and results suggest: " + text, {}};
  }
  /// Arguments of `end - begin` elements have some: a begin without a value is 0. Of arguments
  /// whose sizes the conditions are about.
  static void begin_at_zero(const Sdfg& program, const std::vector<Expr>& conditions,
                            SymbolValues& values) {
    const SymbolSet mentioned = symbols_of(conditions);
    const auto is_mentioned = [&](const std::string& name) { return mentioned.contains(name); };
    for (const auto& [name, data] : program.arrays) {
      const SymbolSet sizes = data.transient ? SymbolSet() : symbols_of(data.shape);
      if (std::ranges::none_of(sizes, is_mentioned)) continue;
      for (const Expr& extent : data.shape)
        for (const std::string& symbol : free_symbols(extent))
          if ((extent + Expr::symbol(symbol)).is(Op::Symbol)) values.try_emplace(symbol, 0);
    }
  }
  /// Of two symbols that are equal, one without a value has that of the other.
  static void add_equal(const std::vector<Expr>& conditions, SymbolValues& values) {
    for (const Expr& e : conditions) {
      if (!e.is(Op::Eq) || !e.arg(0).is(Op::Symbol) || !e.arg(1).is(Op::Symbol)) continue;
      for (const std::size_t i : {0, 1})
        if (const auto known = values.find(e.arg(i).name()); known != values.end())
          values.try_emplace(e.arg(1 - i).name(), known->second);
    }
  }
  struct Moved {
    std::int64_t bytes = 0;
    std::size_t kernels = 0;
  };
  /// A kernel whose ranges have no points with these values moves nothing, and is not launched.
  static std::optional<Moved> moved(const ProgramCost& cost, const SymbolValues& values,
                                    std::int64_t extent) {
    Moved sum;
    for (const KernelCost& kernel : cost.kernels) {
      const Expr bytes = kernel.launches * (kernel.bytes_read + kernel.bytes_written);
      const auto number = value(bytes, values, extent);
      if (!number) return std::nullopt;
      if (*number <= 0) continue;
      ++sum.kernels;
      if (__builtin_add_overflow(sum.bytes, *number, &sum.bytes)) return std::nullopt;
    }
    return sum;
  }
  static std::optional<std::int64_t> value(const Expr& e, SymbolValues values,
                                           std::int64_t extent) {
    for (const std::string& name : free_symbols(e)) values.try_emplace(name, extent);
    return evaluate(e, values);
  }

  /// Adds the conditions that those before neither imply nor exclude: the version may be for other
  /// values than the typical ones. What is not known before the program runs is left out: passes
  /// have brought in names of nested SDFGs.
  void add_new(const std::vector<Expr>& candidates, const ByName<Type>& symbols,
               std::vector<Expr>& conditions) const {
    if (candidates.empty()) return;
    const SymbolSet changing = names_with_other_values(*sdfg_, symbols_of(candidates));
    const auto is_known = [&](const std::string& name) {
      return symbols.contains(name) && !changing.contains(name);
    };
    Assumptions known;
    for (const Expr& stated : assume_) assume(stated, known);
    assume_shapes(*sdfg_, known);
    for (const Expr& condition : conditions) assume(condition, known);
    for (const Expr& condition : candidates) {
      if (!std::ranges::all_of(free_symbols(condition), is_known) ||
          is_true(condition, known) != Truth::Unknown)
        continue;
      conditions.push_back(condition);
      assume(condition, known);
    }
  }

  /// Runs the steps on the copy, with the conditions taken for granted.
  Result<Changed> specialize(Sdfg& special, const std::vector<Expr>& conditions, const Step& step) {
    const std::vector<Expr> open = bind_conditions(special, conditions);
    const std::size_t before = assume_.size();
    assume_.insert(assume_.end(), open.begin(), open.end());
    Sdfg* const general = std::exchange(sdfg_, &special);
    for (Observer* observer : options_.observers) observer->enter_version(conditions);
    forget();
    remove_empty_parts(special, assumptions());
    forget();
    Result<Changed> changed = steps(step.steps);
    forget();
    for (Observer* observer : options_.observers) observer->leave_version();
    sdfg_ = general;
    assume_.resize(before);
    return changed;
  }

  /// Puts the two versions together, unless `gain` says that it does not pay.
  void join(Sdfg special, const std::vector<Expr>& conditions, const Gain& gain,
            const ByName<Type>& symbols) {
    const PassRun event{versions_step, {}, ++number_};
    PassContext context(versions_step);
    context.collect_remarks = options_.collect_remarks;
    for (Observer* observer : options_.observers) observer->before(event, *sdfg_);
    std::string text;
    for (const Expr& condition : conditions) {
      text += (text.empty() ? "" : " and ") + to_text(condition);
      if (gain.refusal) continue;
      for (const std::string& name : free_symbols(condition))
        sdfg_->symbols.insert(*symbols.find(name));
    }
    if (gain.refusal) {
      context.refused({}, "in case " + text + ", " + gain.refusal.reason());
    } else {
      join_versions(*sdfg_, std::move(special), conditions);
      forget();
      context.applied(
          {}, "a version for the case that " + text + ", beside the general one" + gain.text);
    }
    for (Observer* observer : options_.observers | std::views::reverse)
      observer->after(event, *sdfg_, gain.refusal ? Changed::No : Changed::Yes, context);
  }

  /// A pass that found nothing to do is not run again before something changes.
  Result<Changed> pass(const Step& step) {
    std::pair identity(step.pass->name, step.configured.options);
    if (idle_.contains(identity)) return Changed::No;
    const PassRun event{step.pass->name, step.configured.options, ++number_};
    PassContext context(step.pass->name, [this]() -> const Assumptions& { return assumptions(); });
    context.collect_remarks = options_.collect_remarks;
    const auto limit = left_.find(step.pass->name);
    if (limit != left_.end()) context.limit = limit->second;
    if (options_.application_limit) {
      const std::size_t left =
          *options_.application_limit - std::min(*options_.application_limit, applied_);
      context.limit = std::min(context.limit.value_or(left), left);
    }
    for (Observer* observer : options_.observers) observer->before(event, *sdfg_);
    Result<Changed> changed = Changed::No;
    try {
      changed = step.configured.run(*sdfg_, context);
    } catch (const InternalError& wrong) {
      for (Observer* observer : options_.observers) observer->failed(event, context);
      throw InternalError("in " + event.title() + ": " + wrong.what());
    }
    if (!changed) {
      Diagnostic error = changed.error();
      error.place = std::string(event.pass) + (error.place.empty() ? "" : ": ") + error.place;
      return error;
    }
    if (context.limit && context.applied_count() > *context.limit)
      warnings_.push_back({std::string(event.pass),
                           "applied " + std::to_string(context.applied_count()) +
                               " times where the limit was " + std::to_string(*context.limit),
                           "a pass asks may_apply() before each application", Severity::Warning});
    if (limit != left_.end()) limit->second -= std::min(limit->second, context.applied_count());
    applied_ += context.applied_count();
    for (Diagnostic warning : context.warnings) {
      warning.place =
          std::string(event.pass) + (warning.place.empty() ? "" : ": ") + warning.place;
      warnings_.push_back(std::move(warning));
    }
    for (Observer* observer : options_.observers | std::views::reverse)
      observer->after(event, *sdfg_, *changed, context);
    if (*changed == Changed::Yes) idle_.clear(), checked_ = false;
    else idle_.insert(std::move(identity));
    return changed;
  }

  /// What is stated, and what the shapes of arguments say; worked out again when these change.
  const Assumptions& assumptions() {
    if (std::exchange(checked_, true)) return *assumptions_;
    std::vector<Expr> extents = extents_of_arguments(*sdfg_);
    SymbolSet mentioned = symbols_of(extents);
    mentioned.merge(symbols_of(assume_));
    SymbolSet changing = names_with_other_values(*sdfg_, mentioned);
    if (assumptions_ && extents == extents_ && changing == changing_) return *assumptions_;
    extents_ = std::move(extents), changing_ = std::move(changing);
    assumptions_.emplace();
    for (const Expr& condition : assume_)
      if (!uses_any(condition, changing_)) assume(condition, *assumptions_);
    assume_shapes(extents_, changing_, *assumptions_);
    assumptions_->keep_answers();  // passes ask many questions again
    return *assumptions_;
  }
  void forget() {
    idle_.clear(), stopped_.clear(), checked_ = false;
    assumptions_.reset();
  }

  Sdfg* sdfg_;
  std::set<std::pair<std::string_view, std::string>> idle_;  ///< passes that find nothing to do
  std::set<const Step*> stopped_;  ///< fixed points that ran out of budget; looked up only
  std::optional<Assumptions> assumptions_;
  bool checked_ = false;  ///< the assumptions are those of the SDFG as it is
  std::vector<Expr> extents_;  ///< of arguments, that the assumptions know
  SymbolSet changing_;         ///< names that they say nothing of
  const RunOptions& options_;
  std::vector<Expr> assume_;
  ByName<std::size_t> left_;
  Diagnostics& warnings_;
  std::size_t number_ = 0, applied_ = 0;
};

}  // namespace

Result<Step> make_step(const Registered& pass, std::string_view options,
                       std::span<const Registered> passes) {
  Step step{&pass, {}, {}};
  Result<ConfiguredPass> configured = pass.configure(options);
  if (!configured) {
    Diagnostic wrong = configured.error();
    wrong.place = pass.name;
    return wrong;
  }
  step.configured = *std::move(configured);
  if (step.configured.steps.empty()) return step;
  Result<Pipeline> steps = parse_pipeline(print(step.configured.steps), passes);
  if (!steps) {
    // A position in a text that nobody wrote would say little.
    Diagnostic wrong = steps.error();
    const bool position = wrong.place.starts_with(PipelineParser::place);
    wrong.place = std::string(pass.name) + (position ? "" : ": " + wrong.place);
    return wrong;
  }
  step.steps = *std::move(steps);
  return step;
}

Result<Pipeline> parse_pipeline(std::string_view text, std::span<const Registered> passes) {
  return PipelineParser(text, passes).whole();
}

std::string print(const Pipeline& pipeline) {
  std::string out;
  for (const Step& step : pipeline) {
    if (!out.empty()) out += ',';
    if (!step.pass) {
      if (step.versions)
        out += std::string(versions_step) + '{' + print_options(*step.versions) + '}';
      else
        out += fixed_point;
      out += '{' + print(step.steps) + '}';
      continue;
    }
    out += step.pass->name;
    if (!step.configured.options.empty()) out += '{' + step.configured.options + '}';
  }
  return out;
}

Result<Changed> run(const Pipeline& pipeline, Sdfg& sdfg, const RunOptions& options,
                    Diagnostics& warnings) {
  if (!pipeline.empty()) {
    drop_idle_connectors(sdfg);
    name_blocks(sdfg);
    connect_outputs_read(sdfg);
    fix_zeroed_lifetimes(sdfg);
  }
  Runner runner(sdfg, options, warnings);
  SDFG_TRY([[maybe_unused]] const Ok ok, runner.check_stated());
  return runner.steps(pipeline);
}

}  // namespace sdfg
