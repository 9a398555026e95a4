#pragma once

#include <functional>

#include "ir/sdfg.h"

namespace sdfg {

/// Why a symbol cannot be replaced by a constant everywhere: it is assigned inside, or it is a
/// container. Empty when it can.
std::string cannot_bind(const Sdfg& sdfg, std::string_view symbol);

/// Replaces symbols by constants everywhere in an SDFG, descriptors and code included, and drops
/// their declarations. Nested SDFGs that are given one of them, or an expression that has become
/// constant, are bound likewise where they do not assign it.
void bind_symbols(Sdfg& sdfg, const Substitution& constants);

/// The values that a nested SDFG gets as constants and does not assign: binds those for which
/// wanted(symbol) holds, and drops them from the mapping. Did it bind any?
bool bind_constant_mapping(NestedSdfg& nested,
                           const std::function<bool(const std::string& symbol)>& wanted);

/// For passes that drop control flow: symbols of a nested SDFG that it declared and assigned
/// itself, and does not assign any more, lose their declaration. Those that something still reads
/// (what was never assigned in time) are given some value.
void settle_symbols(NestedSdfg& nested);

}  // namespace sdfg
