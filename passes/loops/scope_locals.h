#pragma once

#include <cstddef>
#include <optional>

#include "passes/common/fresh_names.h"

namespace sdfg {

/// Transients that one scope alone uses are its own: each iteration of a map has another one. With
/// a copy of the scope that used them, too, all iterations would share them.
class ScopeLocals {
 public:
  explicit ScopeLocals(Sdfg& sdfg) : sdfg_(sdfg) {}
  /// Gives the scopes in a copy of a block transients of their own. The original has its place in
  /// the SDFG, or another copy will take it. The first call counts access nodes in the SDFG; then a
  /// call costs what the copy has.
  void renew(Block& copy);

 private:
  void renew(State& state);
  bool is_local(const std::string& name, std::size_t used) const;

  Sdfg& sdfg_;
  FreshNames names_;
  struct Uses {
    ByName<std::size_t> accesses;  ///< access nodes of a container and of its members
    NameSet named;                 ///< containers that something reads by name
  };
  std::optional<Uses> uses_;
};

}  // namespace sdfg
