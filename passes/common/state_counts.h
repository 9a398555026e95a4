#pragma once

#include <optional>
#include <string>

#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// The containers that have access nodes in a state.
SymbolSet accessed_in(const State& state);

/// Does the container keep nothing from one run of its state to the next, if that is the only one?
inline bool may_begin_anew(const Data& data) {
  return data.transient &&
         (data.lifetime == Lifetime::Scope || data.lifetime == Lifetime::State);
}

/// How many states of an SDFG have access nodes of a container. A transient that has them in one
/// state alone begins anew each time that state runs (docs/ir.md, memory).
class StateCounts {
 public:
  /// The SDFG must outlive it.
  explicit StateCounts(const Sdfg& sdfg);

  std::size_t of(std::string_view container) const {
    const auto found = counts_.find(container);
    return found == counts_.end() ? 0 : found->second;
  }
  /// Does some region of the SDFG have a cycle? Loops as blocks do not count.
  bool has_cycle();
  /// Two states that have it have become one.
  void joined(const std::string& container) { --counts_[container]; }

 private:
  const Sdfg& sdfg_;
  std::optional<bool> cycle_;
  ByName<std::size_t> counts_;
};

}  // namespace sdfg
