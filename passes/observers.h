#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ir/sdfg.h"
#include "ir/verify.h"
#include "passes/pass.h"
#include "support/by_name.h"

namespace sdfg {

/// Somebody who looks on while a pipeline runs.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void before(const PassRun&, const Sdfg&) {}
  virtual void after(const PassRun&, const Sdfg&, Changed, const PassContext&) {}
  /// In place of `after`: the pass ended with an InternalError, which is thrown on.
  virtual void failed(const PassRun&, const PassContext&) {}
  /// What follows, up to leave_version, happens to a copy of the program for the case that
  /// conditions hold.
  virtual void enter_version(const std::vector<Expr>&) {}
  virtual void leave_version() {}
};

/// Where observers write; the library itself never prints.
using Sink = std::function<void(std::string_view)>;

/// The passes have shown that the program they were given leaves a container.
struct OutOfBounds : std::runtime_error {
  explicit OutOfBounds(Diagnostic finding)
      : std::runtime_error(finding.text()), why(std::move(finding)) {}
  Diagnostic why;
};

/// The program gives other results than before, and left open before what it gives: no pass need be
/// at fault.
struct OpenResults : std::runtime_error {
  explicit OpenResults(Diagnostic finding)
      : std::runtime_error(finding.text()), why(std::move(finding)) {}
  Diagnostic why;
};

/// Runs the verifier after each pass that changed something. A finding is the pass's fault, hence
/// an InternalError. Accesses out of bounds alone are OutOfBounds: where the verifier cannot tell,
/// as in loops and branches, the program has them before a pass makes them certain. (A pass that
/// breaks an index looks the same; --check-semantics=each, which runs the program, tells the two
/// apart.)
class VerifyEach : public Observer {
 public:
  explicit VerifyEach(Verified before = {}) : verified_(std::move(before)) {}
  void after(const PassRun&, const Sdfg&, Changed, const PassContext&) override;

 private:
  Verified verified_;
};

/// A pass that says it changed nothing and did is at fault: nobody would have looked at the result.
class ReportedChanges : public Observer {
 public:
  void before(const PassRun&, const Sdfg& sdfg) override { before_ = sdfg; }
  void after(const PassRun&, const Sdfg&, Changed, const PassContext&) override;

 private:
  Sdfg before_;
};

/// Which passes to look at: none, all, or those named.
struct PassFilter {
  bool all = false;
  std::vector<std::string> names{};
  bool active() const { return all || !names.empty(); }
  bool matches(std::string_view pass) const;
};

/// Prints the text form before and after the passes asked for.
class PrintAround : public Observer {
 public:
  PrintAround(PassFilter before, PassFilter after, Sink sink)
      : before_(std::move(before)), after_(std::move(after)), sink_(std::move(sink)) {}
  void before(const PassRun&, const Sdfg&) override;
  void after(const PassRun&, const Sdfg&, Changed, const PassContext&) override;

 private:
  PassFilter before_, after_;
  Sink sink_;
};

/// Prints each difference that a pass made; silent when it made none.
class PrintChanges : public Observer {
 public:
  PrintChanges(PassFilter filter, Sink sink) : filter_(std::move(filter)), sink_(std::move(sink)) {}
  void before(const PassRun&, const Sdfg&) override;
  void after(const PassRun&, const Sdfg&, Changed, const PassContext&) override;

 private:
  PassFilter filter_;
  Sink sink_;
  Sdfg before_;
};

/// Prints each application and each refusal with its place.
class PrintRemarks : public Observer {
 public:
  PrintRemarks(PassFilter filter, Sink sink) : filter_(std::move(filter)), sink_(std::move(sink)) {}
  void after(const PassRun& run, const Sdfg&, Changed, const PassContext& context) override {
    failed(run, context);
  }
  void failed(const PassRun&, const PassContext&) override;

 private:
  PassFilter filter_;
  Sink sink_;
};

/// Counts runs, applications and refusals per pass.
class Statistics : public Observer {
 public:
  void after(const PassRun&, const Sdfg&, Changed, const PassContext&) override;
  std::string table() const;

 private:
  struct Counts {
    std::size_t runs = 0, changed = 0, applied = 0, refused = 0;
  };
  ByName<Counts> counts_;
};

/// Adds up wall-clock time per pass, in the order of their first runs.
class Timing : public Observer {
 public:
  void before(const PassRun&, const Sdfg&) override;
  void after(const PassRun&, const Sdfg&, Changed, const PassContext&) override;
  /// Adds a phase that is no pass, as loading.
  void add(std::string_view name, std::chrono::nanoseconds time);
  std::string table() const;

 private:
  std::vector<std::pair<std::string, std::chrono::nanoseconds>> times_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace sdfg
