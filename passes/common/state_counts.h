#pragma once

#include <string>

#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// The containers that have access nodes in a state.
SymbolSet accessed_in(const State& state);

/// How many states of an SDFG have access nodes of a container. A transient that has them in one
/// state alone begins anew each time that state runs (docs/ir.md, memory).
class StateCounts {
 public:
  explicit StateCounts(const Sdfg& sdfg);

  std::size_t of(std::string_view container) const {
    const auto found = counts_.find(container);
    return found == counts_.end() ? 0 : found->second;
  }
  /// Two states that have it have become one.
  void joined(const std::string& container) { --counts_[container]; }

 private:
  ByName<std::size_t> counts_;
};

}  // namespace sdfg
