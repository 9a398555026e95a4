#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/sdfg.h"
#include "passes/common/nested_names.h"

namespace sdfg {

/// Hands out names that nothing in an SDFG has: no container, symbol or constant, no variable that
/// an interstate edge or a loop assigns, and no connector of a tasklet, which may not be called
/// like any of these. Remembers where the numbers of each base have come to, so that many names
/// with one base cost little.
class TakenNames {
 public:
  explicit TakenNames(const Sdfg& sdfg);

  bool taken(std::string_view name) const;
  /// Does a container, symbol or constant have the name, or a variable of the control flow?
  bool is_variable(std::string_view name) const;
  /// What comes into the SDFG from elsewhere takes its names, too.
  void add_connectors(const Node& node);
  /// `base`, or `base_0`, `base_1`, …; taken from then on.
  std::string take(std::string_view base);

  /// Names in nested SDFGs, which may be taken again. Those change by what is told alone once this
  /// has been called.
  NestedNames& nested();
  /// Null before the first call of that.
  NestedNames* nested_if_asked() { return nested_ ? &*nested_ : nullptr; }

 private:
  const Sdfg& sdfg_;
  SymbolSet assigned_, connectors_;
  std::optional<NestedNames> nested_;
  // Looked up, never iterated.
  std::unordered_map<std::string, std::size_t> next_;
};

}  // namespace sdfg
