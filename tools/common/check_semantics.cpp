#include "tools/common/check_semantics.h"

#include "tools/common/arguments.h"

namespace sdfg {

void CheckSemantics::start(const Sdfg& sdfg) {
  // Large programs with large made arguments would take minutes: small extents show as much.
  for (const std::int64_t size : {8, 5, 16}) {
    Result<NamedArrays> made = make_arguments(sdfg, {.size = size, .given = given_});
    if (!made) {
      note_ = made.error();
      return;
    }
    Result<Executed> executed = interpreter_backend()(sdfg, *made);
    if (executed) {
      arguments_ = *std::move(made);
      expected_ = *std::move(executed);
      note_.reset();
      return;
    }
    note_ = executed.error();
  }
}

void CheckSemantics::after(const PassRun& run, const Sdfg& sdfg, Changed changed,
                           const PassContext&) {
  if (each_ && changed == Changed::Yes) compare(sdfg, "after " + run.title());
}

void CheckSemantics::finish(const Sdfg& sdfg) {
  if (!each_) compare(sdfg, "after the passes");
}

void CheckSemantics::compare(const Sdfg& sdfg, const std::string& when) {
  if (!expected_) return;
  const Result<Executed> executed = interpreter_backend()(sdfg, arguments_);
  if (!executed)
    throw InternalError(when + " the program does not run any more: " + executed.error().text());
  // What became unused may have left the signature.
  NamedArrays expected;
  for (const auto& [name, array] : expected_->arguments)
    if (executed->arguments.contains(name)) expected.emplace(name, array);
  const Result<RunReport> report =
      compare_arguments(executed->arguments, expected, expected_->arbitrary);
  if (!report) throw InternalError(when + " an argument has changed: " + report.error().text());
  if (!report->within(tolerance_))
    throw InternalError(when + " the program gives other results\n" + to_text(*report));
  ++compared_;
}

}  // namespace sdfg
