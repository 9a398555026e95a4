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
/// The state's only map, if there is nothing in the state but that and the access nodes next to it;
/// else says what is beside it.
Refusal find_only_map(const State& state, Scope& scope);

/// Gives an entry or exit the connectors IN_x and OUT_x. Returns x, which was free and begins like
/// `wish`, with '_' for '.'.
std::string add_port(Node& node, std::string wish);

/// Does the map's range or something inside read the name, whatever it means there?
bool uses_name(const State& state, const Scope& scope, const std::string& name);
/// That a parameter of another map, which this one is going to have, means something else in it.
Refusal check_parameters(const Sdfg& sdfg, const State& state, const Scope& scope,
                         const std::vector<std::string>& others);

/// Replaces parameters by expressions everywhere inside a scope: memlets between entry and exit,
/// nested ranges, mappings of nested SDFGs, and code, where values become integers of 64 bits as
/// parameters are (substitute). `symbols`: types of those that the values mention.
void substitute_in_scope(State& state, const Scope& scope, const Substitution& replacements,
                         const ByName<Type>& symbols = {});
/// The code of a tasklet after that.
Code with_parameters(const Node& tasklet, const Substitution& replacements,
                     const ByName<Type>& symbols = {});
/// Why that would change the meaning: an inner scope or code gives one of the names another
/// meaning, a container's shape depends on a replaced symbol, a library node mentions it, or code
/// would compute its value otherwise.
Refusal check_substitution(const Sdfg& sdfg, const State& state, const Scope& scope,
                           const Substitution& replacements);

}  // namespace sdfg
