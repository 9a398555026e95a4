#include "tools/common/judge.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "ir/verify.h"
#include "serialize/save.h"
#include "support/assert.h"
#include "support/file.h"
#include "tools/common/check_semantics.h"
#include "tools/common/process.h"

namespace sdfg {
namespace {

namespace fs = std::filesystem;

/// A folder for candidates that goes away with the last judge that uses it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = (fs::temp_directory_path() / fmt::format("sdfg-judge-{}", getpid())).string();
    fs::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace

Judge command_judge(std::vector<std::string> command) {
  const auto folder = std::make_shared<TemporaryFolder>();
  const std::string path = folder->file("candidate.sdfg");
  bool placed = false;
  for (std::string& word : command)
    if (word == "{}") word = path, placed = true;
  if (!placed) command.push_back(path);
  return [folder, path, command](const Sdfg& sdfg) -> Result<bool> {
    SDFG_TRY(const std::string bytes, save(sdfg, {SaveProfile::Head}));
    SDFG_TRY([[maybe_unused]] const Ok ok, write_file(path, bytes));
    const int status = run_command(command, folder->file("output.txt"));
    if (status < 0 || status == 127) return Diagnostic{command.front(), "cannot be run"};
    return status != 0;
  };
}

Result<Judge> semantics_judge(const Sdfg& reference, NamedArrays given, double tolerance,
                              const Pipeline& pipeline) {
  const auto check = std::make_shared<CheckSemantics>(false, std::move(given), tolerance, pipeline);
  check->start(reference);
  if (check->note()) return *check->note();
  return Judge([check](const Sdfg& sdfg) -> Result<bool> {
    if (has_errors(verify(sdfg))) return true;
    try {
      check->finish(sdfg);
    } catch (const InternalError&) {
      return true;
    } catch (const OpenResults&) {
      return true;
    }
    return false;
  });
}

Judge pipeline_judge(Pipeline pipeline, RunOptions options, NamedArrays given, double tolerance) {
  // A candidate may have lost what ended a loop: it gets little more than the first program took.
  const auto step_limit = std::make_shared<std::optional<std::uint64_t>>();
  return [=](const Sdfg& sdfg) -> Result<bool> {
    if (has_errors(verify(sdfg))) return false;
    CheckSemantics check(false, given, tolerance, pipeline);
    check.start(sdfg, step_limit->value_or(~std::uint64_t(0)));
    const bool runs = !check.note();  // else what the verifier says is all there is
    if (!*step_limit) *step_limit = 1'000'000 + 2 * check.steps();
    Sdfg rewritten = sdfg;
    VerifyEach verify_each;
    RunOptions with_verifier = options;
    with_verifier.observers = {&verify_each};
    Diagnostics warnings;
    try {
      if (!run(pipeline, rewritten, with_verifier, warnings)) return false;
      if (runs) check.finish(rewritten);
    } catch (const InternalError&) {
      return true;
    } catch (const OutOfBounds&) {
      return runs;  // the program ran before
    } catch (const OpenResults&) {
      return true;
    }
    return false;
  };
}

}  // namespace sdfg
