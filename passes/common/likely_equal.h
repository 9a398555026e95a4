#pragma once

#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Equalities `s == t` of symbols that likely hold: those under which two results that a state
/// writes as a whole have the same shape and are made of the same elements of some container, or by
/// one map. The results of one field operator, say, are of one size, though the program has symbols
/// for each.
/// In the order of the states; the program may assign some of the symbols.
std::vector<Expr> likely_equalities(const Sdfg& program);

}  // namespace sdfg
