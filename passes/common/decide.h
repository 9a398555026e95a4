#pragma once

#include "ir/analysis/connector_types.h"
#include "ir/sdfg.h"

namespace sdfg {

/// Decides conditions over integer symbols alone, and whether an array is there: a container's
/// value is not known, and a comparison of floating-point values may fail although both sides are
/// spelled the same (nan). `types` are those of the names in scope (symbol_types).
Truth decide(const Code& condition, const Sdfg& sdfg, const TypeTable& types,
             const Assumptions& assumptions = {});
/// Is the name an integer symbol here, and no container?
bool is_integer_symbol(std::string_view name, const Sdfg& sdfg, const TypeTable& types);
/// Do all names in the expression stand for integer symbols?
bool over_integer_symbols(const Expr& expr, const Sdfg& sdfg, const TypeTable& types);

}  // namespace sdfg
