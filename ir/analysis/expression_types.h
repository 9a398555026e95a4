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

/// Types of the names that Python code assigns, by the first assignment of each, where the names in
/// `names` have these types already. Names whose type cannot be told are left out.
TypeTable types_assigned(const Code& code, const TypeTable& names);

/// Adds what a map or consume entry defines for its scope: parameters and dynamic range inputs.
void add_scope_symbols(const State& state, NodeId entry, const Sdfg& sdfg, TypeTable& types);

}  // namespace sdfg
