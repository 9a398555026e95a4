#pragma once

#include <string>

#include "ir/sdfg.h"

namespace sdfg {

// The elements of an array move apart: strides are multiplied by a pitch, and so are those of all
// that shows the array, which are views and containers of nested SDFGs.

/// Is that possible? Not where something relies on the array's own layout: code in C++, library
/// nodes, references, views of another type.
bool stretchable(Sdfg& sdfg, const std::string& name);
/// Does it; nested SDFGs get the pitch as a symbol, unless it is a number.
void stretch(Sdfg& sdfg, const std::string& name, const Expr& pitch);

/// Gives a nested SDFG a value of the level above: as it is if it is a number, else as a symbol
/// whose name begins with `name`.
Expr pass_down(NestedSdfg& nested, const std::string& name, const Expr& value);

}  // namespace sdfg
