#pragma once

#include <string>

#include "ir/analysis/scope_tree.h"
#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// Types of names in scope: symbols, constants, scalars, map parameters.
using TypeTable = ByName<Type>;

/// Fills in connectors whose type is unknown, by DaCe's rules (spec of infer_types): one element
/// or a scalar container: the element type, otherwise a pointer to it; what Python code computes,
/// for edges between tasklets. Recurses into nested SDFGs. The error names the connector that
/// stays unknown.
Status infer_connector_types(Sdfg& sdfg);
Status infer_connector_types(Sdfg& sdfg, const Dataflows& flows);

/// The type of an expression where names have these types. By default DaCe's rules: result_type
/// for arithmetic, bool for comparisons; unknown names give an unknown type. Integer literals are
/// int64, float literals float64.
Type type_of(const Expr& expr, const TypeTable& names);

/// Types visible at the top of the SDFG: declared symbols, constants, scalar containers and
/// symbols that interstate edges and loops assign.
TypeTable symbol_types(const Sdfg& sdfg);

}  // namespace sdfg
