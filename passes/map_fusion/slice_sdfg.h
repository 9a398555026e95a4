#pragma once

#include <optional>
#include <string>

#include "passes/loops/nest_scope.h"
#include "passes/map_fusion/value_slice.h"

namespace sdfg {

/// An SDFG that computes one value of a slice, for the iteration whose parameters have these values
/// where the node is. It reads all of the slice's inputs and stored values, and writes a scalar of
/// the result's name. With a condition on the parameters, it computes the value where that holds,
/// and otherwise hands on the scalar `stored`.
NestedSdfg slice_sdfg(const FusionSite& site, const FusionMap& map, const ValueSlice& slice,
                      const ScopeNester& nester, const Substitution& params,
                      const std::optional<Expr>& condition, const std::string& stored);

}  // namespace sdfg
