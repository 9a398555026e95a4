#pragma once

#include <optional>
#include <set>
#include <string>

#include "passes/observers.h"
#include "passes/pipeline.h"
#include "tools/common/run.h"

namespace sdfg {

/// The values that a pipeline puts in place of symbols (substitute-symbols).
ByName<std::int64_t> symbol_constants(const Pipeline& pipeline);

/// What programs are run on, and how far their results may be apart.
struct CompareOptions {
  NamedArrays given{};               ///< arguments
  double tolerance = 0;              ///< as in RunReport::within
  ByName<std::int64_t> constants{};  ///< what passes will put in place of symbols
  std::vector<Expr> assume{};        ///< what passes will take for granted
};

/// Interprets the program before and after passes, on the same arguments, and compares every
/// argument afterwards. A difference is the pass's fault, hence an InternalError.
///
/// Each program also runs with what it leaves open turned out the other way
/// (InterpreterOptions::adverse), unless that makes a difference to the program as it starts: an
/// order that a pass loses shows even where the interpreter happens to keep it. Where it makes a
/// difference from the start, other results are OpenResults; so is a program that does not run any
/// more, where the input itself does not with what it leaves open turned out the other way, or a
/// view of the input lies outside of what it shows (the interpreter checks elements).
/// And where the program as it starts has no race (ir/analysis/races.h), a certain one is the
/// pass's fault, whatever the results; so is a transient that the iterations of a map then share.
///
/// The arguments are those given, and made ones for what is missing. When they contradict what is
/// assumed, or the program itself cannot be run on them (an access out of bounds, code that is
/// not Python), nothing is compared, and `note` says why. A field that was demoted (demote-fields)
/// is not compared from then on; and nothing is where the program reads what such a field had
/// before the call, against the user's word.
class CheckSemantics : public Observer {
 public:
  /// `each`: after each pass that changed something; otherwise only when finish() is called.
  explicit CheckSemantics(bool each, CompareOptions options = {})
      : each_(each), options_(std::move(options)) {}

  /// Runs the program as it is now: what it gives is right. One that takes more steps
  /// (InterpreterOptions::step_limit) does not run.
  void start(const Sdfg& sdfg, std::uint64_t step_limit = ~std::uint64_t(0));
  void after(const PassRun& run, const Sdfg&, Changed, const PassContext&) override;
  /// A version whose conditions do not hold for the arguments is not compared.
  void enter_version(const std::vector<Expr>& conditions) override;
  void leave_version() override { other_case_ = false; }
  /// Compares the program as it is now with how it started.
  void finish(const Sdfg& sdfg);
  /// Why nothing is compared any more; nothing when it is.
  const std::optional<Diagnostic>& note() const { return note_; }
  /// Why the comparison says little; nothing when it does not.
  const std::optional<Diagnostic>& doubt() const { return doubt_; }
  /// How many steps the program took as it started.
  std::uint64_t steps() const { return expected_ ? expected_->steps : 0; }
  /// How many programs were run and compared.
  std::size_t compared() const { return compared_; }

 private:
  /// Fields that are demoted here have the same values under both names, and are not compared. The
  /// name of one that was not before.
  std::string note_demoted(const Sdfg& sdfg);
  void compare(const Sdfg& sdfg, const std::string& when);
  /// A rewritten program may do much over that was done once, but not without end.
  std::uint64_t step_limit() const;
  /// From what the program gave as it started.
  Result<RunReport> differences(const Executed& executed) const;
  bool gives_the_same(const Result<Executed>& executed) const;
  void require_same(const Result<Executed>& executed, const std::string& who) const;

  bool each_, other_case_ = false;
  bool settled_ = false;  ///< what the program as it started leaves open makes no difference
  bool may_stop_ = false;  ///< with an order of nodes that it leaves open, it does not run
  bool has_race_ = false;  ///< so has the program as it started
  bool shares_ = false;  ///< iterations of its maps share a transient as it started
  CompareOptions options_;
  NamedArrays arguments_;
  std::optional<Executed> expected_;
  std::set<std::string> demoted_;
  std::optional<Diagnostic> note_, doubt_;
  std::optional<Sdfg> input_;  ///< asked once more where a rewritten program does not run
  std::size_t compared_ = 0;
};

}  // namespace sdfg
