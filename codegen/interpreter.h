#pragma once

#include "codegen/array.h"
#include "codegen/counts.h"
#include "ir/sdfg.h"

namespace sdfg {

struct InterpreterOptions {
  /// Stop after that many executed statements and memlets (a hang of the program is then an error).
  std::uint64_t step_limit = ~std::uint64_t(0);
  /// Count kernels and the bytes they move; see counts.h.
  bool count = false;
  /// What the program leaves open turns out the other way: of the nodes that are ready the one with
  /// the largest id runs first instead of that with the smallest (of those that reduce into one
  /// container still the smallest), maps begin with their last iteration unless they reduce, and
  /// what was never written holds only 1 bits (NaN) instead of what was there.
  bool adverse = false;
  /// A view, and what a nested SDFG is given, must begin inside of the container, too. Without it
  /// only elements that are accessed count, and for them the memory of what is viewed.
  bool check_windows = false;
};

struct Execution {
  NamedArrays arguments;  ///< as they are after the call
  Diagnostics warnings;   ///< reads of transient elements that were never written, first of a kind
  /// Of arguments into which such elements were copied: 1 where an element's value is arbitrary
  /// (type bool, layout of the argument).
  NamedArrays arbitrary;
  std::optional<ExecutionCounts> counts{};  ///< where asked for
  std::uint64_t steps = 0;                  ///< executed statements and memlets
};

/// Executes a verified SDFG: slow, obviously right. Every access is bounds-checked. `arguments`
/// holds each non-transient container, each free symbol and scalar (0-d). The error says where
/// execution stopped: an access out of bounds, code that is not Python, a library node without an
/// implementation, a missing argument.
Result<Execution> interpret(const Sdfg& sdfg, NamedArrays arguments,
                            const InterpreterOptions& options = {});

}  // namespace sdfg
