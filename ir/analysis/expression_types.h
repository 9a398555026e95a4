#pragma once

#include <optional>
#include <string_view>

#include "ir/analysis/connector_types.h"

namespace sdfg {

/// The value of an integer that only uint64 holds: an Opaque leaf of digits, as what computes with
/// int64 must not take it for a number.
std::optional<std::uint64_t> unsigned_literal(const Expr& expr);

/// The type to which a call of the function converts: `dace.int8`, `numpy.float16`, `bool`.
std::optional<Type> conversion_type(std::string_view function);

// ---- The types of C++ and of DaCe's runtime, in which interpreter and generated code compute.

/// What a value of the type becomes in arithmetic: small integers and bool become int.
BaseType promoted_in_cpp(BaseType type);
/// The common type of two operands (the usual arithmetic conversions).
BaseType common_type_in_cpp(BaseType a, BaseType b);
/// The type of an integer literal as DaCe prints it: int, unsigned, or 64 bits.
BaseType literal_type_in_cpp(std::int64_t value);
/// The type of an expression in code; unknown with names of none and where functions are called.
Type type_in_code(const Expr& expr, const TypeTable& names);

/// Types of the names that Python code assigns, by the first assignment of each, where the names in
/// `names` have these types already. Names whose type cannot be told are left out.
TypeTable types_assigned(const Code& code, const TypeTable& names);

/// Adds what a map or consume entry defines for its scope: parameters and dynamic range inputs.
void add_scope_symbols(const State& state, NodeId entry, const Sdfg& sdfg, TypeTable& types);

}  // namespace sdfg
