#pragma once

#include <string>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// One thing that two SDFGs do not have in common. Elements are matched by id, containers and
/// symbols by name, so this tells what a pass did; it does not look for isomorphic graphs.
struct Difference {
  enum class Kind : std::uint8_t { Added, Removed, Changed };
  Kind kind;
  std::string place;          ///< "state main / node 3 (map outer)", of the SDFG that has it
  std::string property;       ///< Changed: DaCe's name of the field
  std::string before, after;  ///< its values in the text form; for Added and Removed what it is

  /// "+ PLACE: WHAT", "- PLACE: WHAT", "~ PLACE: property: BEFORE -> AFTER"
  std::string text() const;
  bool operator==(const Difference&) const = default;
};

/// Every difference, in order of place: the outer before the inner, by id and name. Empty exactly
/// when the two are equal. Does not enter what was added or removed.
std::vector<Difference> compare(const Sdfg& before, const Sdfg& after);

}  // namespace sdfg
