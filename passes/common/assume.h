#pragma once

#include <functional>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"

namespace sdfg {

/// Those of `names` that have other values somewhere inside than what is handed in: assigned by
/// control flow, or bound by a scope. Nothing can be assumed of them for all places.
SymbolSet names_with_other_values(const Sdfg& sdfg, const SymbolSet& names);
/// The same of those that `asked(name)` holds for.
SymbolSet names_with_other_values(const Sdfg& sdfg,
                                  const std::function<bool(const std::string&)>& asked);

SymbolSet symbols_of(const std::vector<Expr>& expressions);
/// Dimension after dimension, argument after argument.
std::vector<Expr> extents_of_arguments(const Sdfg& sdfg);
/// Adds what the program itself grants: no argument has a negative extent. A relation in which some
/// symbol stands alone becomes a bound of that symbol, which is cheap to use; others become facts.
/// Extents that mention `changing`, names_with_other_values(), say nothing that holds everywhere.
void assume_shapes(const std::vector<Expr>& extents, const SymbolSet& changing,
                   Assumptions& assumptions);
void assume_shapes(const Sdfg& sdfg, Assumptions& assumptions);

/// Adds a condition that holds, in the same way.
void assume(const Expr& condition, Assumptions& assumptions);

/// Adds that the parameters of a map lie in its ranges (which is what the body may rely on). Steps
/// are taken to be positive, as the verifier demands.
void assume_scope(const MapEntry& map, Assumptions& assumptions);
/// The same for all maps around a node, the outermost first.
void assume_scopes(const State& state, const ScopeTree& tree, NodeId node,
                   Assumptions& assumptions);

/// What holds inside a nested SDFG of `parent`: assumptions about symbols that are passed on under
/// the same name, and the values of the others; nothing of names that control flow or a scope
/// inside gives other values, or whose types do not hold all values that they may be given.
Assumptions assumptions_inside(const Sdfg& parent, const NestedSdfg& nested,
                               const Assumptions& outside);

}  // namespace sdfg
