#pragma once

#include <cstddef>
#include <optional>

#include "passes/common/fresh_names.h"

namespace sdfg {

/// Transients of one SDFG that one scope alone uses are its own: each iteration of a map has
/// another one. With a copy of the scope that used them, too, all iterations would share them.
class ScopeLocals {
 public:
  explicit ScopeLocals(Sdfg& sdfg) : sdfg_(sdfg) {}
  const Sdfg& sdfg() const { return sdfg_; }

  /// Is it a transient, and no constant, that has so many access nodes, those of its members
  /// included, and no other ones? The first question counts all of the SDFG; they count as they
  /// were then, because copies have containers of their own.
  bool is_local(const std::string& name, std::size_t accesses);
  /// Another container like that one, for a copy of the scope; its name.
  std::string renew(const std::string& name);
  /// Gives the maps and consume scopes in a copy of a block transients of their own, but not of
  /// what lives longer than a run or is read by name. The original has its place in the SDFG, or
  /// another copy will take it. Costs what the copy has.
  void renew_in(Block& copy);

 private:
  void renew_in(State& state);

  Sdfg& sdfg_;
  FreshNames names_;
  std::optional<ByName<std::size_t>> accesses_;  ///< by container
  std::optional<NameSet> named_;                 ///< containers that something reads by name
};

}  // namespace sdfg
