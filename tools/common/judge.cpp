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

Result<Judge> semantics_judge(const Sdfg& reference, CompareOptions compare) {
  const auto check = std::make_shared<CheckSemantics>(false, std::move(compare));
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

namespace {

enum class Fault { None, OpenResults, Wrong };

/// What the pipeline does wrong. `check` has seen how the program starts.
Fault fault_of(const Pipeline& pipeline, const RunOptions& options, CheckSemantics& check,
               const Sdfg& sdfg) {
  const bool runs = !check.note();  // else what the verifier says is all there is
  Sdfg rewritten = sdfg;
  VerifyEach verify_each;
  RunOptions with_verifier = options;
  with_verifier.observers = {&verify_each};
  Diagnostics warnings;
  try {
    if (!run(pipeline, rewritten, with_verifier, warnings)) return Fault::None;
    if (runs) check.finish(rewritten);
  } catch (const InternalError&) {
    return Fault::Wrong;
  } catch (const OutOfBounds&) {
    return runs ? Fault::Wrong : Fault::None;  // the program ran before
  } catch (const OpenResults&) {
    return Fault::OpenResults;
  }
  return Fault::None;
}

/// How the program that is asked about first fails.
struct First {
  Fault fault;
  std::uint64_t steps;
};

}  // namespace

Judge pipeline_judge(Pipeline pipeline, RunOptions options, NamedArrays given, double tolerance) {
  const auto first = std::make_shared<std::optional<First>>();
  const CompareOptions compare{.given = std::move(given),
                               .tolerance = tolerance,
                               .constants = symbol_constants(pipeline),
                               .assume = options.assume};
  return [=](const Sdfg& sdfg) -> Result<bool> {
    if (has_errors(verify(sdfg))) return false;
    CheckSemantics check(false, compare);
    // A candidate may have lost what ended a loop: it gets little more than the first program took.
    const std::uint64_t unlimited = ~std::uint64_t(0);
    check.start(sdfg, *first ? 1'000'000 + 2 * (*first)->steps : unlimited);
    const Fault fault = fault_of(pipeline, options, check, sdfg);
    if (!*first) *first = First{fault, check.steps()};
    // One that has lost what it reads leaves its results open, which is another fault.
    return fault == Fault::Wrong || (fault == Fault::OpenResults && fault == (*first)->fault);
  };
}

}  // namespace sdfg
