#include "tools/common/bisect.h"

#include <optional>

#include "support/assert.h"

namespace sdfg {
namespace {

/// Counts applications and keeps the last one.
class LastApplied : public Observer {
 public:
  void after(const PassRun& run, const Sdfg&, Changed, const PassContext& context) override {
    failed(run, context);
  }
  void failed(const PassRun&, const PassContext& context) override {
    count += context.applied_count();
    for (const Remark& remark : context.remarks)
      if (remark.applied) last = remark;
  }
  std::size_t count = 0;
  std::optional<Remark> last;
};

class Bisection {
 public:
  Bisection(const Sdfg& program, const Pipeline& pipeline, RunOptions options, const Judge& judge)
      : program_(program), pipeline_(pipeline), options_(std::move(options)), judge_(judge) {}

  Result<Culprit> find() {
    SDFG_TRY(const bool before, judge_(program_));
    if (before) return Diagnostic{"bisect", "the program fails without any pass", {}};
    SDFG_TRY(const bool after, fails(std::nullopt));
    if (!after) return Diagnostic{"bisect", "the program does not fail after all passes", {}};
    const std::size_t total = seen_.count;
    SDFG_TRY(const bool unreported, fails(0));
    if (unreported)
      return Diagnostic{"bisect", "the fault is there before any application: a pass changes the "
                                  "program and does not report it",
                        "--verify-each names it, or --check-semantics=each"};
    std::size_t good = 0, bad = total;
    while (bad - good > 1) {
      const std::size_t middle = good + (bad - good) / 2;
      SDFG_TRY(const bool wrong, fails(middle));
      (wrong ? bad : good) = middle;
    }
    SDFG_TRY(const bool again, fails(bad));
    if (!again || !seen_.last)
      return Diagnostic{"bisect",
                        "no application brings it in: a pass fails where it applies nothing",
                        "without --bisect the message says where"};
    return Culprit{bad, total, *seen_.last};
  }

 private:
  Result<bool> fails(std::optional<std::size_t> limit) {
    Sdfg sdfg = program_;
    seen_ = {};
    RunOptions options = options_;
    options.application_limit = limit;
    options.collect_remarks = true;
    options.observers = {&seen_};
    Diagnostics warnings;
    try {
      SDFG_TRY([[maybe_unused]] const Changed changed, run(pipeline_, sdfg, options, warnings));
      return judge_(sdfg);
    } catch (const InternalError&) {
      return true;
    }
  }

  const Sdfg& program_;
  const Pipeline& pipeline_;
  RunOptions options_;
  const Judge& judge_;
  LastApplied seen_;
};

}  // namespace

Result<Culprit> bisect(const Sdfg& program, const Pipeline& pipeline, RunOptions options,
                       const Judge& judge) {
  return Bisection(program, pipeline, std::move(options), judge).find();
}

}  // namespace sdfg
