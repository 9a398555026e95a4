#include "passes/observers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ir/compare.h"
#include "ir/print.h"

namespace sdfg {

bool PassFilter::matches(std::string_view pass) const {
  return all || std::ranges::find(names, pass) != names.end();
}

void VerifyEach::after(const PassRun& run, const Sdfg& sdfg, Changed changed, const PassContext&) {
  if (changed == Changed::No) return;
  std::optional<Diagnostic> outside;
  for (Diagnostic& finding : verify(sdfg, verified_)) {
    if (finding.severity != Severity::Error) continue;
    if (!is_out_of_bounds(finding))
      throw InternalError("after " + run.title() + " the SDFG is not valid: " + finding.text());
    if (!outside) outside = std::move(finding);
  }
  if (!outside) return;
  outside->message = "as " + run.title() + " shows, " + outside->message;
  throw OutOfBounds(*std::move(outside));
}

void ReportedChanges::after(const PassRun& run, const Sdfg& sdfg, Changed changed,
                            const PassContext&) {
  if (changed == Changed::Yes || sdfg == before_) return;
  const std::vector<Difference> found = compare(before_, sdfg);
  throw InternalError(run.title() + " changed the program and returned Changed::No" +
                      (found.empty() ? "" : ": " + found.front().text()));
}

void PrintAround::before(const PassRun& run, const Sdfg& sdfg) {
  if (before_.matches(run.pass)) sink_("// before " + run.title() + "\n" + print(sdfg));
}

void PrintAround::after(const PassRun& run, const Sdfg& sdfg, Changed, const PassContext&) {
  if (after_.matches(run.pass)) sink_("// after " + run.title() + "\n" + print(sdfg));
}

void PrintChanges::before(const PassRun& run, const Sdfg& sdfg) {
  if (filter_.matches(run.pass)) before_ = sdfg;
}

void PrintChanges::after(const PassRun& run, const Sdfg& sdfg, Changed changed,
                         const PassContext&) {
  if (!filter_.matches(run.pass) || changed == Changed::No) return;
  std::string text;
  for (const Difference& difference : compare(before_, sdfg)) text += difference.text() + "\n";
  if (!text.empty()) sink_("// " + run.title() + "\n" + text);
}

void PrintRemarks::failed(const PassRun& run, const PassContext& context) {
  if (!filter_.matches(run.pass)) return;
  for (const Remark& remark : context.remarks) sink_(remark.text() + "\n");
}

void Statistics::after(const PassRun& run, const Sdfg&, Changed changed,
                       const PassContext& context) {
  Counts& counts = counts_[std::string(run.pass)];
  ++counts.runs;
  counts.changed += changed == Changed::Yes;
  counts.applied += context.applied_count();
  counts.refused += context.refused_count();
}

std::string Statistics::table() const {
  std::string out = fmt::format("{:<28} {:>6} {:>8} {:>8} {:>8}\n", "pass", "runs", "changed",
                                "applied", "refused");
  for (const auto& [pass, c] : counts_)
    out += fmt::format("{:<28} {:>6} {:>8} {:>8} {:>8}\n", pass, c.runs, c.changed, c.applied,
                       c.refused);
  return out;
}

void Timing::before(const PassRun&, const Sdfg&) { start_ = std::chrono::steady_clock::now(); }

void Timing::after(const PassRun& run, const Sdfg&, Changed, const PassContext&) {
  add(run.pass, std::chrono::steady_clock::now() - start_);
}

void Timing::add(std::string_view name, std::chrono::nanoseconds time) {
  const auto found = std::ranges::find(times_, name, &decltype(times_)::value_type::first);
  if (found == times_.end())
    times_.emplace_back(name, time);
  else
    found->second += time;
}

std::string Timing::table() const {
  std::chrono::nanoseconds sum{};
  std::string out;
  const auto line = [&](std::string_view name, std::chrono::nanoseconds time) {
    out += fmt::format("{:<28} {:>10.3f} ms\n", name, double(time.count()) * 1e-6);
  };
  for (const auto& [name, time] : times_) line(name, time), sum += time;
  line("total", sum);
  return out;
}

}  // namespace sdfg
