#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/observers.h"
#include "passes/registry.h"
#include "support/by_name.h"

namespace sdfg {

/// `versions{…}{steps}` runs the steps on the program, and on a copy made for the case that
/// conditions on its symbols hold. The result checks the conditions and runs the one or the other.
struct VersionsOptions {
  bool likely = false;
  std::vector<std::string> typical, when;
  static constexpr auto properties = property_list(
      property("likely", &VersionsOptions::likely,
               "values that ranges of maps suggest; the version stays where it moves fewer bytes"),
      property("typical", &VersionsOptions::typical,
               "values that symbols usually have: NAME=VALUE, or JSON files"),
      property("when", &VersionsOptions::when, "further conditions on symbols"));
};

/// The name of such a step; its remarks come under it.
inline constexpr std::string_view versions_step = "versions";

/// One entry of a pipeline: a pass, a named pipeline, `fixed-point{…}`, which repeats its steps in
/// order until a whole round changes nothing, or `versions{…}{…}`.
struct Step {
  const Registered* pass = nullptr;  ///< null: a fixed point over `steps`, or versions
  ConfiguredPass configured;
  std::vector<Step> steps;  ///< of a named pipeline, a fixed point or versions
  std::optional<VersionsOptions> versions{};
};
using Pipeline = std::vector<Step>;

/// One pass or named pipeline with its options as text.
Result<Step> make_step(const Registered& pass, std::string_view options,
                       std::span<const Registered> passes);

/// Reads "a,b{option=1 other=x},fixed-point{c,d}". The error's place is the position in the text.
Result<Pipeline> parse_pipeline(std::string_view text, std::span<const Registered> passes);
/// The text that parse_pipeline reads; options at their defaults are left out.
std::string print(const Pipeline& pipeline);

struct RunOptions {
  /// Told before each pass in order, and after it in reverse: the last one is nearest to the pass.
  std::vector<Observer*> observers{};
  ByName<std::size_t> limits{};  ///< pass: applications in all its runs
  std::optional<std::size_t> application_limit{};  ///< of all passes together
  std::vector<Expr> assume{};  ///< conditions on the SDFG's symbols that hold
  bool collect_remarks = false;
  std::size_t fixed_point_rounds = 100;           ///< the budget of each fixed point
};

/// Runs the steps in order. The error says which pass could not work on this SDFG. Warnings of
/// passes, and of fixed points that were stopped, are appended to `warnings`.
Result<Changed> run(const Pipeline& pipeline, Sdfg& sdfg, const RunOptions& options,
                    Diagnostics& warnings);

}  // namespace sdfg
