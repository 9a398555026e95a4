#include "passes/common/assume.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "ir/analysis/assigned_symbols.h"
#include "ir/expr_quotient.h"
#include "ir/expr_symbols.h"
#include "ir/walk.h"
#include "support/in_order.h"

namespace sdfg {
namespace {

using Bounds = Assumptions::Bounds;

/// Bounds that mention each other in a circle would be followed in vain.
bool mentions_bounded(const Expr& bound, const Assumptions& assumptions, std::string_view symbol,
                      int depth = 0) {
  if (depth > 8 || uses_symbol(bound, symbol)) return true;
  return any_symbol(bound, [&](const std::string& name) {
    const Bounds* bounds = assumptions.bounds_of(name);
    if (!bounds) return false;
    return std::ranges::any_of(std::array{&bounds->low, &bounds->high}, [&](const auto* next) {
      return *next && mentions_bounded(**next, assumptions, symbol, depth + 1);
    });
  });
}

/// difference >= 0, with one symbol of coefficient 1 or -1 taken out. Prefers the last by name, so
/// that `end - begin >= 0` says something of `end`.
bool assume_bound(const Expr& difference, Assumptions& assumptions) {
  const SymbolSet names = free_symbols(difference);
  for (const std::string& name : names | std::views::reverse) {
    const auto affine = match_affine(difference, name);
    if (!affine) continue;
    const auto factor = affine->coefficient.as_integer();
    if (!factor || (*factor != 1 && *factor != -1)) continue;
    const Expr bound = *factor == 1 ? -affine->rest : affine->rest;
    if (mentions_bounded(bound, assumptions, name)) continue;
    const Bounds* known = assumptions.bounds_of(name);
    Bounds bounds = known ? *known : Bounds();
    std::optional<Expr>& side = *factor == 1 ? bounds.low : bounds.high;
    if (!side)
      side = bound;
    else
      side = *factor == 1 ? max(*side, bound) : min(*side, bound);
    assumptions.assume(name, std::move(bounds.low), std::move(bounds.high));
    return true;
  }
  return false;
}

}  // namespace

SymbolSet names_with_other_values(const Sdfg& sdfg, const SymbolSet& names) {
  if (names.empty()) return {};
  return names_with_other_values(
      sdfg, [&](const std::string& name) { return names.contains(name); });
}

SymbolSet names_with_other_values(const Sdfg& sdfg,
                                  const std::function<bool(const std::string&)>& asked) {
  SymbolSet out;
  const auto found = [&](const std::string& name) {
    if (asked(name)) out.insert(name);
  };
  for_each_interstate_edge(sdfg, [&](const InterstateEdge& edge) {
    for (const auto& [name, value] : edge.assignments) found(name);
  });
  for_each_block(sdfg, [&](const Block& block) {
    if (const auto* loop = block.as<LoopRegion>())
      for (const std::string& name : assigned_by_statements(*loop)) found(name);
    const auto* state = block.as<State>();
    if (!state) return;
    for (NodeId n : state->nodes_of<MapEntry>()) {
      std::ranges::for_each(state->get<MapEntry>(n).params, found);
      for (const auto& [connector, type] : (*state)[n].in_connectors)
        if (!connector.starts_with("IN_")) found(connector);
    }
    for (NodeId n : state->nodes_of<ConsumeEntry>()) found(state->get<ConsumeEntry>(n).pe_index);
  });
  return out;
}

void assume(const Expr& condition, Assumptions& assumptions) {
  const Expr fact = simplify(condition);
  if (fact.is(Op::And)) {
    for (const Expr& part : fact.args()) assume(part, assumptions);
    return;
  }
  const bool less = fact.is(Op::Le) || fact.is(Op::Lt);
  const bool greater = fact.is(Op::Ge) || fact.is(Op::Gt);
  if (less || greater) {
    Expr difference = less ? fact.arg(1) - fact.arg(0) : fact.arg(0) - fact.arg(1);
    if (fact.is(Op::Lt) || fact.is(Op::Gt)) difference = difference - 1;
    if (assume_bound(difference, assumptions)) return;
  }
  if (fact.is(Op::True)) return;
  assumptions.add_fact(fact);
}

SymbolSet symbols_of(const std::vector<Expr>& expressions) {
  SymbolSet out;
  for (const Expr& expression : expressions) collect_symbols(expression, out);
  return out;
}

std::vector<Expr> extents_of_arguments(const Sdfg& sdfg) {
  std::vector<Expr> out;
  for (const auto& [name, data] : sdfg.arrays)
    if (!data.transient && !data.is_scalar())
      out.insert(out.end(), data.shape.begin(), data.shape.end());
  return out;
}

void assume_shapes(const Sdfg& sdfg, Assumptions& assumptions) {
  const std::vector<Expr> extents = extents_of_arguments(sdfg);
  assume_shapes(extents, names_with_other_values(sdfg, symbols_of(extents)), assumptions);
}

void assume_shapes(const std::vector<Expr>& extents, const SymbolSet& changing,
                   Assumptions& assumptions) {
  std::vector<Expr> seen;
  for (const Expr& extent : extents) {
    if (extent.is(Op::Integer) || extent.is(Op::Max)) continue;
    if (std::ranges::find(seen, extent) != seen.end()) continue;
    seen.push_back(extent);
    if (uses_any(extent, changing)) continue;
    if (less_equal(0, extent, assumptions) != Truth::Yes)
      assume(compare_expr(Op::Ge, extent, 0), assumptions);
  }
}

void assume_scope(const MapEntry& map, Assumptions& assumptions) {
  for (std::size_t d = 0; d < map.params.size() && d < map.ranges.size(); ++d) {
    const Range& range = map.ranges[d];
    const bool own =
        uses_symbol(range.begin, map.params[d]) || uses_symbol(range.end, map.params[d]);
    if (own)
      assumptions.forget(map.params[d]);
    else
      assumptions.assume(map.params[d], range.begin, range.end);
  }
}

void assume_scopes(const State& state, const ScopeTree& tree, NodeId node,
                   Assumptions& assumptions) {
  for (NodeId entry : tree.enclosing(node) | std::views::reverse)
    if (const auto* map = state[entry].as<MapEntry>()) assume_scope(*map, assumptions);
}

namespace {
/// Adds symbols inside that may be other numbers than the values that they are given.
void add_narrowed(const Sdfg& parent, const NestedSdfg& nested, SymbolSet& out) {
  InOrder inner((**nested.sdfg).symbols), same(parent.symbols);
  for (const auto& [name, value] : nested.symbol_mapping) {
    const Type* own = inner.find(name);
    if (!own || own->base() == BaseType::Int64) continue;
    const auto is_wider = [&](const Type& given) { return given.bytes() > own->bytes(); };
    const auto mentions_wider = [&](const std::string& read) {
      const auto given = parent.symbols.find(read);
      return given != parent.symbols.end() && is_wider(given->second);
    };
    const Type* given = value.is_symbol(name) ? same.find(name) : nullptr;
    const bool wider = given ? is_wider(*given) : any_symbol(value, mentions_wider);
    if (wider || !own->is_signed_integer()) out.insert(name);
  }
}
}  // namespace

Assumptions assumptions_inside(const Sdfg& parent, const NestedSdfg& nested,
                               const Assumptions& outside) {
  const auto is_handed_on = [](const auto& entry) { return entry.second.is_symbol(entry.first); };
  // Most often: no walk over the nested SDFG.
  if (outside.empty() && std::ranges::all_of(nested.symbol_mapping, is_handed_on)) return {};
  Assumptions inside;
  SymbolSet changing;
  if (nested.sdfg) {
    changing = names_with_other_values(**nested.sdfg, [&](const std::string& name) {
      return nested.symbol_mapping.contains(name);
    });
    add_narrowed(parent, nested, changing);
  }
  const auto passed = [&](const std::string& name) {
    const auto found = nested.symbol_mapping.find(name);
    return found != nested.symbol_mapping.end() && found->second.is_symbol(name) &&
           !changing.contains(name);
  };
  const auto all_passed = [&](const Expr& e) {
    return !any_symbol(e, [&](const std::string& name) { return !passed(name); });
  };
  for (const auto& [name, value] : nested.symbol_mapping) {
    const Bounds* bounds = outside.bounds_of(name);
    if (!bounds || !passed(name)) continue;
    Bounds kept;
    if (bounds->low && all_passed(*bounds->low)) kept.low = bounds->low;
    if (bounds->high && all_passed(*bounds->high)) kept.high = bounds->high;
    if (kept.low || kept.high) inside.assume(name, kept.low, kept.high);
  }
  for (const Expr& fact : outside.facts())
    if (all_passed(fact)) inside.add_fact(fact);
  for (const auto& [name, value] : nested.symbol_mapping)
    if (!value.is_symbol(name) && !inside.bounds_of(name) && !changing.contains(name) &&
        all_passed(value))
      inside.assume(name, rounded_down(value), rounded_down(value));
  return inside;
}

}  // namespace sdfg
