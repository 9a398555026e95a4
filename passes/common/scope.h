#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/sdfg.h"
#include "passes/pass.h"

namespace sdfg {

/// What a scope holds, found by walking from its entry: in time linear in the scope, whatever the
/// size of the state around it.
struct Scope {
  NodeId entry, exit;
  std::vector<NodeId> nodes;  ///< inside, in id order; neither entry nor exit
};
/// Nothing when the entry has no exit (an SDFG that is not valid).
std::optional<Scope> find_scope(const State& state, NodeId entry);

/// Replaces symbols by expressions everywhere inside a scope: memlets between entry and exit,
/// nested ranges, code, mappings of nested SDFGs.
void substitute_in_scope(State& state, const Scope& scope, const Substitution& replacements);
/// Why that would change the meaning: an inner scope or code gives one of the names another
/// meaning, a container's shape depends on a replaced symbol, or a library node mentions it.
Refusal check_substitution(const Sdfg& sdfg, const State& state, const Scope& scope,
                           const Substitution& replacements);

}  // namespace sdfg
