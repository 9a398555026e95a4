#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// Replaces symbols, all at once, in everything the SDFG evaluates: descriptors, memlets, ranges,
/// conditions, values of assignments, code, and what nested SDFGs are given. Where a memlet of a
/// tasklet has fewer dimensions of more than one element afterwards, its code has fewer indices.
/// Ranges of memlets, and views, that turn out to have a negative size have no elements.
///
/// A name bound inside hides the outer symbol within its scope: map parameters, dynamic range
/// inputs, consume indices, variables of loops with an init statement, connectors of tasklets. What
/// a scope or a tasklet's Python code binds and a replacement mentions is renamed first, so that
/// nothing is captured; connectors are not, and loop variables and assigned symbols live in the
/// SDFG's one name space: these are the caller's business (rename_symbol). In tasklets values are
/// converted to the types of the symbols that they replace where these are given; for an SDFG they
/// are those that it declares, in the values, too.
void replace_symbols(Sdfg& sdfg, const Substitution& replacements);
void replace_symbols(Sdfg& sdfg, const Substitution& replacements, const SymbolTypes& types);
void replace_symbols(Block& block, const Substitution& replacements,
                     const ByName<Type>& types = {});
void replace_symbols(InterstateEdge& edge, const Substitution& replacements);
void replace_symbols(Memlet& memlet, const Substitution& replacements);

/// Gives a symbol of the SDFG another name wherever it is declared, assigned or read. Names bound
/// in scopes hide it, as above. The new name must be free.
void rename_symbol(Sdfg& sdfg, std::string_view from, const std::string& to);

/// Gives a parameter or dynamic range input of a map (or the index of a consume scope) another
/// name, in the entry and in everything inside its scope.
void rename_parameter(State& state, NodeId entry, std::string_view from, const std::string& to);
/// What an entry defines inside: dynamic range inputs, parameters, the index of a consume scope.
std::vector<std::string> names_of_scope(const Node& entry);
/// Of all scopes in states of the SDFG itself.
SymbolSet names_of_scopes(const Sdfg& sdfg);
/// Gives what a scope binds other names where these clash with some, so that expressions that
/// mention those may be moved into it. What took the place of each.
Substitution rename_bound_names(State& state, NodeId entry, const SymbolSet& clashing);
/// Of all scopes of the state.
void rename_bound_names(State& state, const SymbolSet& clashing);

/// A container as expressions read it: of a member of a structure, whose name has dots, attributes.
Expr container_expr(std::string_view data);

using Renaming = ByName<std::string>;
/// Names other containers in access nodes, memlets, conditions and assignments of one block (or
/// region), at once; dotted names follow their root. Descriptors, connectors and what is inside
/// nested SDFGs stay as they are.
void rename_data(Block& block, const Renaming& names);
void rename_data(State& state, const Renaming& names);
void rename_data(InterstateEdge& edge, const Renaming& names);
/// Of all blocks and edges in it.
void rename_data(Region& region, const Renaming& names);

}  // namespace sdfg
