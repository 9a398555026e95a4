#pragma once

#include <map>
#include <optional>
#include <string>

#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// Containers of a nested SDFG that may be the same memory, because overlapping parts of one
/// container are given to it under several names. Each maps to the first of its group.
using Aliases = ByName<std::string>;
/// Those of a node's nested SDFG; `outside`: of the SDFG that the node is in.
Aliases aliases_inside(const Sdfg& sdfg, const State& state, NodeId node, const Aliases& outside);

/// Two names that may be the same memory?
inline bool may_be_same(const Aliases& aliases, const std::string& a, const std::string& b) {
  const auto one = aliases.find(a), two = aliases.find(b);
  return a == b || (one != aliases.end() && two != aliases.end() && one->second == two->second);
}

/// The name that stands for all that may be the same memory.
inline const std::string& group_of(const Aliases& aliases, const std::string& name) {
  const auto found = aliases.find(name);
  return found == aliases.end() ? name : found->second;
}

/// Adds the other names of what is in the set.
void add_aliases(const Aliases& aliases, SymbolSet& names);

/// By SDFG, for one and all that are nested in it; looked up only.
using AllAliases = std::map<const Sdfg*, Aliases>;

AllAliases find_aliases(const Sdfg& sdfg);
/// The same, found when first asked for: most runs of a pass have nothing to ask.
class LazyAliases {
 public:
  explicit LazyAliases(const Sdfg& root) : root_(root) {}
  /// Those of one SDFG; none if it was not there at the first question.
  const Aliases& of(const Sdfg& sdfg) {
    if (!all_) all_ = find_aliases(root_);
    const auto found = all_->find(&sdfg);
    return found == all_->end() ? none_ : found->second;
  }

 private:
  const Sdfg& root_;
  std::optional<AllAliases> all_;
  const Aliases none_;
};

}  // namespace sdfg
