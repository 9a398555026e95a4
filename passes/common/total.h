#pragma once

#include "ir/analysis/connector_types.h"
#include "ir/sdfg.h"

namespace sdfg {

/// Can it be computed whatever values the names have? Integers must not be divided by what may be
/// 0, and not be shifted by what may be no number of bits; a loop might never end. Names
/// without a type may be integers.
bool is_total(const Expr& expr, const TypeTable& types = {});
bool is_total(const Subset& subset);
/// Python; code in other languages is if it has no character that divides.
bool is_total(const Code& code, const TypeTable& types);
/// Do its memlets, and the indices in its code, certainly name elements that are there? Parameters
/// of maps around it may have any value, unless `known` says which (assume_scopes).
bool stays_inside(const Sdfg& sdfg, const State& state, NodeId tasklet,
                  const Assumptions& known = {});
/// Where an element of the container lies.
bool has_total_layout(const Data& data);

}  // namespace sdfg
