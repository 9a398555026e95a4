#pragma once

#include <functional>
#include <string>

#include "tools/common/judge.h"

namespace sdfg {

struct ReduceOptions {
  bool allow_invalid =
      false;  ///< candidates need not verify (the fault is in reading or verifying)
  /// Told of each success: what was removed, and what is left.
  std::function<void(const std::string& what, const Sdfg& now)> progress{};
};

/// Removes what the fault does not need: makes temporaries arguments, takes out blocks, branches,
/// scopes and nodes, edges, assignments; shrinks maps to one iteration; at last containers and
/// symbols that nothing uses. Halves what it removes at once until single parts cannot go any more,
/// and starts over until a whole round removes nothing. The error says that the program does not
/// show the fault, or comes from the judge.
Result<Sdfg> reduce(Sdfg program, const Judge& judge, const ReduceOptions& options);

}  // namespace sdfg
