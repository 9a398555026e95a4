#pragma once

#include "ir/sdfg.h"
#include "passes/common/symbol_entries.h"

namespace sdfg {

/// Values that the symbols in ranges of maps may well have, read off the ranges alone: maps have
/// points, and where a range is cut out of another one, the cut lies inside. Precisely, of the
/// ranges `begin:end` that maps have outside of nested SDFGs,
///
///  - each argument of a Max in `begin` (or `begin` itself) lies below each of a Min in `end`, and
///    in a union, `Min(a, b):Max(c, d)`, each symbol of `begin` below each of `end`;
///  - an argument of a Max that alone begins some range lies below the others, and one of a Min
///    that alone ends some range lies above them;
///  - in `0:Max(0, n)` only n counts;
///  - of the other arguments a literal loses: `Max(1, n)` is n;
///  - a literal end of a union, `Max(100, end)`, is the whole dimension: `end` is as much.
///
/// Values are the smallest, from 0, for which "below" means by `gap` or more: farther than
/// neighbours of a point, or as long as a dimension to be weighed. Symbols that nothing keeps apart
/// get the same value. What contradicts what was said before is left out. Only integers that the
/// program does not assign get a value.
SymbolValues likely_values(const Sdfg& program, std::int64_t gap = 8);

}  // namespace sdfg
