#include "tools/common/hide_names.h"

#include <string>
#include <vector>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/replace.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

void collect_names(const Node& node, SymbolSet& out) {
  for (const auto* connectors : {&node.in_connectors, &node.out_connectors})
    for (const auto& [name, type] : *connectors) out.insert(name);
  if (const auto* map = node.as<MapEntry>()) out.insert(map->params.begin(), map->params.end());
  if (const auto* consume = node.as<ConsumeEntry>()) out.insert(consume->pe_index);
}

/// What means something in a scope, or in the whole state where none is given, or is read there.
SymbolSet names_in(const State& state, const ScopeTree& tree, NodeId scope,
                   const SymbolSet& containers) {
  SymbolSet names;
  UsedNames used(containers, names);
  const auto is_inside = [&](NodeId n) {
    for (NodeId at = n; at; at = tree.parent_of(at))
      if (at == scope) return true;
    return !scope;
  };
  for (NodeId n : state.nodes()) {
    if (!is_inside(n)) continue;
    used.add(state[n]);
    collect_names(state[n], names);
    for (EdgeId e : state.out(n)) used.add(state[e]);
  }
  return names;
}

/// An argument of the SDFG must mean one thing in a whole state: else DaCe does not find it
/// (rename_hiding_names).
void hide(Sdfg& sdfg, SymbolSet around, Random& random) {
  SymbolSet fixed;
  for (const auto& [name, data] : sdfg.arrays) {
    fixed.insert(name);
    collect_symbols(data, fixed);
  }
  for (const auto& [name, constant] : sdfg.constants) fixed.insert(name);
  for (const auto& [name, type] : sdfg.symbols) around.insert(name);
  const SymbolSet assigned = assigned_symbols(sdfg);
  around.insert(assigned.begin(), assigned.end());
  for_each_state(sdfg, [&](State& state) {
    const ScopeTree tree = scope_tree_of(state);
    SymbolSet inside = around;
    std::vector<std::string> choices(around.begin(), around.end());
    for (NodeId n : state.nodes_of<MapEntry>())
      for (const std::string& param : state.get<MapEntry>(n).params) choices.push_back(param);
    for (NodeId n : state.nodes_of<MapEntry>())
      for (const std::string& param : std::vector(state.get<MapEntry>(n).params)) {
        inside.insert(param);
        if (!random.chance(25)) continue;
        const std::string& other = choices[random.below(choices.size())];
        const bool is_argument = sdfg.symbols.contains(other) && !assigned.contains(other);
        if (fixed.contains(other) ||
            names_in(state, tree, is_argument ? NodeId() : n, fixed).contains(other))
          continue;
        rename_parameter(state, n, param, other);
      }
    for (NodeId n : state.nodes_of<NestedSdfg>())
      hide(**state.get<NestedSdfg>(n).sdfg, inside, random);
  });
}

}  // namespace

void hide_names(Sdfg& sdfg, Random& random) { hide(sdfg, {}, random); }

}  // namespace sdfg
