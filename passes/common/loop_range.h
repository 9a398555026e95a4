#pragma once

#include <optional>
#include <string>

#include "ir/analysis/connector_types.h"
#include "ir/sdfg.h"
#include "passes/common/aliases.h"
#include "passes/pass.h"

namespace sdfg {

/// A loop that counts: variable = begin, begin + step, … while it has not passed `end`.
struct LoopRange {
  std::string variable;
  Expr begin, end;  ///< end: the last value that the condition allows, inclusive
  std::int64_t step = 1;
  bool inverted = false;  ///< the body runs at least once

  /// How often the body runs: never less than 0 (1 when inverted).
  Expr count() const;
  /// The variable's value after the loop, when nothing leaves it early.
  Expr last() const;
  /// The range of a loop that runs as often, but tests its condition before the body.
  LoopRange tested_first(const Assumptions& assumptions) const;
  /// The same points in ascending order. Only for loops that are not inverted.
  Range ascending() const;
};

/// Adds that the variable lies between the loop's ends, which is what the body may rely on.
void assume_loop(const LoopRange& range, Assumptions& assumptions);

/// Has the variable the values of the range? Else why: the body may change it, or what the range is
/// computed from.
Refusal check_values(const LoopRegion& loop, const LoopRange& range, const Aliases& aliases = {});

/// What the loops of one SDFG say about their ranges.
class LoopRanges {
 public:
  explicit LoopRanges(const Sdfg& sdfg) : sdfg_(sdfg) {}
  /// What a loop's init, condition and update say, in normal form; or why that is no range. The
  /// step must be a constant, begin and end must not read the variable, and all must be signed
  /// integers. Whether the body changes what begin and end read, or the variable: check_values.
  Result<LoopRange> of(const LoopRegion& loop);

 private:
  bool is_signed_integer(const std::string& name);
  bool rounds_up(const Expr& code);

  const Sdfg& sdfg_;
  std::optional<TypeTable> types_;     ///< when a name is not declared
  std::optional<Assumptions> shapes_;  ///< when something is divided
};

}  // namespace sdfg
