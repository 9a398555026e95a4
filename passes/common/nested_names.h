#pragma once

#include <string>

#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// All names that have a meaning of their own in an SDFG or in those nested in it, or may get one:
/// containers, symbols, what control flow assigns, connectors, parameters.
SymbolSet names_within(const Sdfg& sdfg);

/// How many of the SDFGs nested directly in a parent have each name within. Looks at all of them
/// once; to be told when one of them is inlined.
class NestedNames {
 public:
  explicit NestedNames(const Sdfg& parent);

  /// Has another one than that with these names within (one of those in the parent) the name, too?
  bool in_another(std::string_view name, const SymbolSet& own) const;
  /// The parent gets those nested in `inner`, which has these names within and goes.
  void inlined(const Sdfg& inner, const SymbolSet& own);

 private:
  void add(const Sdfg& parent);
  ByName<std::size_t> count_;
};

}  // namespace sdfg
