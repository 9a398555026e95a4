#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/pipeline.h"
#include "serialize/save.h"
#include "support/by_name.h"
#include "tools/common/emit.h"

namespace sdfg {

enum class CheckWhen : std::uint8_t { Never, End, Each };

/// What the command line of `sdfg-opt` asks for.
struct OptSettings {
  std::string input = "-";
  bool input_given = false;
  std::string output;  ///< empty: standard output
  Pipeline pipeline;
  std::optional<Emit> emit;
  SaveProfile profile = SaveProfile::Keep;

  bool help = false, list_passes = false, version = false;
  std::string topic;  ///< of --help and --list-passes

  bool verify_only = false, time = false, stats = false;
  std::string stats_file;  ///< empty: as text
  PassFilter print_before, print_after, print_after_change, remarks;
  ByName<std::size_t> limits;

  std::vector<Expr> assume;
  CheckWhen verify = CheckWhen::End, check_semantics = CheckWhen::Never;

  std::string run_data, record, backend = "interpreter";
  std::string plan;  ///< file that overrides the plan of a GPU program
  ByName<std::string> set;  ///< scalar arguments beyond run_data
  double tolerance = 0;

  std::string reproducer, rerun, history;
  bool bisect = false;
  std::vector<std::string> command;  ///< after `--`, for bisect; empty: compares results
};

/// That two of these passes, sorted by name, have one name, or one that of a flag.
Status check_pass_names(std::span<const Registered> passes);

/// Reads the arguments behind the program's name. The error says which word is wrong, and which was
/// probably meant.
Result<OptSettings> parse_arguments(std::span<const std::string> arguments,
                                    std::span<const Registered> passes);

/// All flags, on one screen.
std::string help_text(std::string_view tool, std::span<const Registered> passes);
/// One pass: what it does, its picture, its options.
std::string help_text(const Registered& pass);
/// `format`: "" (a line each), "json" or "markdown".
Result<std::string> list_passes(std::span<const Registered> passes, std::string_view format);

}  // namespace sdfg
