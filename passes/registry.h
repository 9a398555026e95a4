#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/options.h"
#include "passes/transformation.h"

namespace sdfg {

/// Runs a pass with its options already read.
using RunPass = std::function<Result<Changed>(Sdfg&, PassContext&)>;

/// A step of a named pipeline and why it stands where it does: a pass with its options as text, or
/// `fixed-point` with the steps that it repeats.
struct PlannedStep {
  std::string text;
  std::string_view reason{};
  std::vector<PlannedStep> repeated{};
};
/// "a,b{x=1},fixed-point{c,d}", as parse_pipeline reads it.
std::string print(const std::vector<PlannedStep>& steps);

/// A pass ready to run, and its options in canonical text. A named pipeline has no `run` but steps.
struct ConfiguredPass {
  RunPass run;
  std::string options;
  std::vector<PlannedStep> steps{};
};

/// A pass or named pipeline as the command line knows it.
struct Registered {
  std::string_view name;
  const PassInfo* info;
  Result<ConfiguredPass> (*configure)(std::string_view options);
  std::vector<OptionInfo> (*options)();
  bool is_pipeline = false;
};

/// A list of passes with a name and options of its own.
template <class T>
concept NamedPipeline = requires(const typename T::Options& options) {
  { T::info } -> std::convertible_to<PassInfo>;
  { T::steps(options) } -> std::same_as<Result<std::vector<PlannedStep>>>;
};

template <NamedPipeline T>
constexpr Registered entry() {
  return {T::info.name, &T::info,
          [](std::string_view text) -> Result<ConfiguredPass> {
            SDFG_TRY(const auto options, parse_options<typename T::Options>(text));
            SDFG_TRY(std::vector<PlannedStep> steps, T::steps(options));
            return ConfiguredPass{{}, print_options(options), std::move(steps)};
          },
          &describe_options<typename T::Options>, true};
}

template <class T>
  requires Transformation<T> || WholeGraphPass<T>
constexpr Registered entry() {
  return {T::info.name, &T::info,
          [](std::string_view text) -> Result<ConfiguredPass> {
            SDFG_TRY(auto options, parse_options<typename T::Options>(text));
            std::string canonical = print_options(options);
            RunPass run = [options = std::move(options)](Sdfg& sdfg, PassContext& context) {
              if constexpr (Transformation<T>)
                return apply_everywhere<T>(sdfg, options, context);
              else
                return T::run(sdfg, options, context);
            };
            return ConfiguredPass{std::move(run), std::move(canonical)};
          },
          &describe_options<typename T::Options>};
}

/// A class that is none of these: says what it lacks.
template <class T>
constexpr Registered entry() {
  static_assert(requires { { T::info } -> std::convertible_to<PassInfo>; },
                "a pass needs `static constexpr sdfg::PassInfo info{…}`");
  static_assert(requires { typename T::Options; }, "a pass needs `struct Options {…}`");
  static_assert(requires { typename T::Match; } || requires { &T::run; } ||
                    requires { &T::steps; },
                "a pass needs Match, check and apply (a transformation), run (a pass over the "
                "whole graph) or steps (a pipeline); see docs/writing-a-pass.md");
  if constexpr (requires { typename T::Match; }) {
    static_assert(detail::ChecksAlone<T> || detail::ChecksWithFacts<T>,
                  "check is `static Refusal check(const Sdfg&, const State&, const Match&, const "
                  "Options&)`, with `const Facts&` behind it where the pass has `using Facts`");
    static_assert(requires { &T::apply; },
                  "apply is `static void apply(Sdfg&, State&, const Match&, const Options&)`");
  } else if constexpr (requires { &T::run; }) {
    static_assert(WholeGraphPass<T>,
                  "run is `static Result<Changed> run(Sdfg&, const Options&, PassContext&)`");
  } else {
    static_assert(NamedPipeline<T>,
                  "steps is `static Result<std::vector<PlannedStep>> steps(const Options&)`");
  }
  static_assert(Transformation<T> || WholeGraphPass<T> || NamedPipeline<T>,
                "this is no pass: Match is `Path<…>` of nodes, and apply takes an Sdfg&, a State&, "
                "a const Match& and a const Options&");
  return {};
}

/// All passes of this library, sorted by name. A tool may run passes of its own beside them.
std::span<const Registered> all_passes();
/// These and others, sorted by name.
std::vector<Registered> all_passes_and(const std::vector<Registered>& others);
/// Null when there is none of that name.
const Registered* find_pass(std::span<const Registered> passes, std::string_view name);

}  // namespace sdfg
