#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/expr.h"
#include "ir/place.h"
#include "support/result.h"

namespace sdfg {

/// What a pass is called, what it does in a lower-case verb phrase, and the picture and conditions
/// that `--help=NAME` and docs/passes.md show.
struct PassInfo {
  std::string_view name, summary, details;
};

/// Did a pass change the SDFG? Yes exactly when its text form is another one.
enum class Changed : bool { No, Yes };
inline Changed operator|(Changed a, Changed b) { return a == Changed::Yes ? a : b; }
inline Changed& operator|=(Changed& a, Changed b) { return a = a | b; }

/// Why a match must not be rewritten, in words a user understands; empty: nothing speaks against.
class [[nodiscard]] Refusal {
 public:
  Refusal() = default;
  Refusal(std::string reason) : reason_(std::move(reason)) {}
  Refusal(const char* reason) : reason_(reason) {}
  explicit operator bool() const { return !reason_.empty(); }
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// Where a pass is on its way down: each level lives on the stack of the walk and is linked to the
/// one above, so that depth costs nothing until somebody asks for the place.
struct Trail {
  const Trail* up = nullptr;
  const Block* block = nullptr;        ///< either a block …
  const StateGraph* state = nullptr;   ///< … or a node of a state
  NodeId node{};

  Trail in(const Block& inner) const { return {this, &inner, nullptr, {}}; }
  Trail in(const StateGraph& graph, NodeId id) const { return {this, nullptr, &graph, id}; }
  Place place() const;
  std::string text() const { return place().text(); }
};

/// One decision of a pass: what it did, or why it refused.
struct Remark {
  std::string pass, place, message;
  bool applied;
  std::string text() const;  ///< "pass: place: message"
};

/// One run of one pass in a pipeline.
struct PassRun {
  std::string_view pass, options;
  std::size_t number;  ///< 1 for the first run of the pipeline
  std::string title() const;  ///< "map-interchange (run 3)"
};

/// What a running pass tells its driver, and what the driver lets it do. Every rewrite is
/// announced: `if (context.may_apply()) { …; context.applied(trail); }`.
class PassContext {
 public:
  using Assume = std::function<const Assumptions&()>;
  explicit PassContext(std::string_view pass, Assume assume = {})
      : pass_(pass), assume_(std::move(assume)) {}

  /// Does the limit set by `--limit` leave so many applications? What is only right as a whole asks
  /// for all of them at once.
  bool may_apply(std::size_t times = 1) const { return !limit || applied_ + times <= *limit; }
  void applied(const Trail& where, std::string_view what = "applied");
  void refused(const Trail& where, const Refusal& why);
  /// Something the user should hear even without remarks, as a fix point that ran out of budget.
  void warn(const Trail& where, std::string message);

  std::size_t applied_count() const { return applied_; }
  std::size_t refused_count() const { return refused_; }

  /// What holds of the root's symbols: stated by the user, or granted by the program's arguments.
  /// Found when first asked for, with a walk over the SDFG; the same for the rest of the run.
  const Assumptions& assumptions();

  std::optional<std::size_t> limit;
  bool collect_remarks = false;
  std::vector<Remark> remarks;
  Diagnostics warnings;

 private:
  std::string_view pass_;
  Assume assume_;  ///< none: nothing is known
  std::optional<Assumptions> assumptions_;
  std::size_t applied_ = 0, refused_ = 0;
};

}  // namespace sdfg
