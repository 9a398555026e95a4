#pragma once

#include <vector>

#include "ir/sdfg.h"
#include "passes/common/symbol_entries.h"

namespace sdfg {

// A program in two versions: one made for the case that conditions on its symbols hold, and the
// general one. A check at the start of each call chooses.

/// Is there a Min or Max in it? These are what a version decides most.
bool has_extremum(const Expr& e);

/// Conditions that hold for typical values of the symbols (true is 1) and decide what the program
/// decides at run time: which branches are taken, and which argument of each Min and Max of a
/// range, a subset or an extent wins. Ties of symbols become equalities; a symbol that is compared
/// with a literal next to its value is taken to have this value. Inside nested SDFGs only
/// conditions about symbols of the same name are looked at; what mentions symbols without a value
/// is left open. In the order of first occurrence, without repeats.
std::vector<Expr> typical_decisions(const Sdfg& program, const SymbolValues& typical);

/// The same for values that symbols are only likely to have (`likely_values`): conditions of
/// branches are left open, and no more is asked than that of a Min or Max the same argument wins; a
/// symbol that lies below level 1 is level 0. Nothing is asked where only extents of transients
/// have a Min or Max: which maps meet, and what they move, does not depend on these. If anything
/// is decided, it is asked for, too, that of maps of one state that end alike, those that begin at
/// a symbol do so behind those that begin at a literal.
std::vector<Expr> likely_decisions(const Sdfg& program, const SymbolValues& likely);

/// Puts in what follows from conditions that say what a symbol is (`s`, `not s`, `s == 3`,
/// `s == t`), and returns the others. Symbols that the program assigns are left alone.
std::vector<Expr> bind_conditions(Sdfg& program, const std::vector<Expr>& conditions);

/// `general` becomes: if all conditions hold `special`, else what it was. Both come from one
/// program: containers of one name are the same argument, or transients, which get new names.
void join_versions(Sdfg& general, Sdfg special, const std::vector<Expr>& conditions);

}  // namespace sdfg
