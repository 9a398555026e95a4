#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "codegen/array.h"
#include "codegen/counts.h"
#include "codegen/interpreter.h"
#include "ir/sdfg.h"
#include "support/result.h"

namespace sdfg {

/// How one recorded output compares with what was computed.
struct OutputDifference {
  std::string name;
  std::size_t elements = 0;
  std::size_t unequal = 0;       ///< elements that are not the same (NaN equals NaN)
  double largest_absolute = 0;   ///< over elements that are finite on both sides
  double largest_relative = 0;   ///< |computed - recorded| / |recorded|; infinite where that is 0
  double error = 0;              ///< the smaller of the two, largest over all elements
  std::size_t nonfinite = 0;  ///< elements that are infinite or NaN on one side only, or differ so
  bool operator==(const OutputDifference&) const = default;
};

struct RunReport {
  std::vector<OutputDifference> outputs;  ///< by name
  Diagnostics warnings;
  std::optional<ExecutionCounts> counts{};  ///< of a backend that counts

  bool bit_for_bit() const;
  /// Every element's relative difference (near zero, its absolute one) is within the tolerance.
  bool within(double tolerance) const;
  double largest_error() const;
};

/// Runs a program on arguments and gives them back as they are after the call.
struct Executed {
  NamedArrays arguments;
  Diagnostics warnings;
  NamedArrays arbitrary{};  ///< 1 where an element may have any value; see interpret()
  std::optional<ExecutionCounts> counts{};
  std::uint64_t steps = 0;  ///< of the interpreter
};
using Backend = std::function<Result<Executed>(const Sdfg& sdfg, NamedArrays arguments)>;
Backend interpreter_backend(const InterpreterOptions& options = {});

/// Runs the SDFG on the `in:` entries of recorded data and compares with the `out:` entries. The
/// error names a missing, extra or misshapen output, or says why the program did not run; no `out:`
/// entry at all is an error, too, where an argument is an array.
Result<RunReport> run_and_compare(const Sdfg& sdfg, const NamedArrays& recorded,
                                  const Backend& backend);

/// The `in:` entries with what the program makes of its arrays, all of them, as `out:` entries.
Result<NamedArrays> run_and_record(const Sdfg& sdfg, const NamedArrays& recorded,
                                   const Backend& backend);

/// Compares what two runs gave, for every name that `expected` has, leaving out what is arbitrary.
/// Errors as above.
Result<RunReport> compare_arguments(const NamedArrays& computed, const NamedArrays& expected,
                                    const NamedArrays& arbitrary = {});

/// One line per output, aligned: name, elements, largest differences, unequal elements.
std::string to_text(const RunReport& report);

}  // namespace sdfg
