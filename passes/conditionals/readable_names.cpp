#include "passes/conditionals/readable_names.h"

#include <ranges>

#include "ir/analysis/expression_types.h"

namespace sdfg {

ReadableNames readable_names(const Sdfg& sdfg) {
  ReadableNames out{symbol_types(sdfg), {}};
  std::erase_if(out.symbols, [&](const auto& symbol) {
    return sdfg.arrays.contains(symbol.first) || sdfg.constants.contains(symbol.first);
  });
  for (const auto& [name, type] : out.symbols) out.names.insert(name);
  for (const auto& [name, constant] : sdfg.constants)
    if (!sdfg.arrays.contains(name)) out.names.insert(name);
  return out;
}

NamesInScope::NamesInScope(ReadableNames& names, const Sdfg& sdfg, const State& state,
                           const ScopeTree& tree, NodeId scope)
    : readable_(names), sdfg_(sdfg) {
  std::vector<NodeId> scopes;
  for (NodeId s = scope; s != NodeId{}; s = tree.parent_of(s)) scopes.push_back(s);
  for (NodeId s : scopes | std::views::reverse) add(state, s);
}

NamesInScope::NamesInScope(ReadableNames& names, const Sdfg& sdfg, const State& state, NodeId scope)
    : readable_(names), sdfg_(sdfg) {
  add(state, scope);
}

void NamesInScope::add(const State& state, NodeId scope) {
  TypeTable bound;  // for its names
  add_scope_symbols(state, scope, sdfg_, bound);
  for (const auto& [name, type] : bound) {
    const auto known = readable_.symbols.find(name);
    outside_.emplace_back(
        name, known == readable_.symbols.end() ? std::nullopt : std::optional(known->second));
    readable_.names.insert(name);
  }
  add_scope_symbols(state, scope, sdfg_, readable_.symbols);
}

NamesInScope::~NamesInScope() {
  for (const auto& [name, type] : outside_ | std::views::reverse) {
    if (type) {
      readable_.symbols[name] = *type;
      continue;
    }
    readable_.symbols.erase(name);
    if (!sdfg_.constants.contains(name)) readable_.names.erase(name);
  }
}

}  // namespace sdfg
