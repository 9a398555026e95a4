#pragma once

#include "ir/analysis/connector_types.h"
#include "ir/sdfg.h"

namespace sdfg {

/// Is the value integer arithmetic that means the same in code and as a symbolic expression, given
/// that all names stand for signed integers? In code, divisions truncate and remainders have the
/// sign of the dividend, while symbolic ones are exact or round down: operands must certainly not
/// be negative, or nothing be left over.
bool is_integer_arithmetic(const Expr& value, const Assumptions& assumptions = {});
/// The same of a condition over such values.
bool is_integer_condition(const Expr& condition, const Assumptions& assumptions = {});

/// Does code round, or take remainders, otherwise than the symbolic expression does?
bool divides_otherwise(const Expr& value, const Assumptions& assumptions = {});

/// Would code compute an integer value of the SDFG otherwise? It divides as above, and what is
/// unsigned wraps around there.
bool differs_in_code(const Expr& value, const Sdfg& sdfg, const Assumptions& assumptions = {});
/// Those of the replaced symbols whose values would differ.
SymbolSet differing_in_code(const Substitution& values, const Sdfg& sdfg,
                            const Assumptions& assumptions = {});

/// Decides conditions over integer symbols alone, and whether an array is there: a container's
/// value is not known, and a comparison of floating-point values may fail although both sides are
/// spelled the same (nan). `types` are those of the names in scope (symbol_types).
Truth decide(const Code& condition, const Sdfg& sdfg, const TypeTable& types,
             const Assumptions& assumptions = {});
/// Is the name a symbol of a signed integer type here, and no container? (What is unsigned wraps
/// around, and comparisons with it do.)
bool is_integer_symbol(std::string_view name, const Sdfg& sdfg, const TypeTable& types);
/// Do all names in the expression stand for integer symbols?
bool over_integer_symbols(const Expr& expr, const Sdfg& sdfg, const TypeTable& types);

}  // namespace sdfg
