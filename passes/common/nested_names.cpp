#include "passes/common/nested_names.h"

#include "ir/analysis/assigned_symbols.h"
#include "ir/walk.h"

namespace sdfg {

SymbolSet names_within(const Sdfg& sdfg) {
  SymbolSet names;
  for_each_sdfg(sdfg, [&](const Sdfg& each) {
    for (const auto& [name, data] : each.arrays) names.insert(name);
    for (const auto& [name, type] : each.symbols) names.insert(name);
    names.merge(assigned_symbols(each));
    for_each_node(each, [&](const Node& node) {
      for (const auto* connectors : {&node.in_connectors, &node.out_connectors})
        for (const auto& [name, type] : *connectors) names.insert(name);
      if (const auto* map = node.as<MapEntry>())
        names.insert(map->params.begin(), map->params.end());
      if (const auto* consume = node.as<ConsumeEntry>()) names.insert(consume->pe_index);
    });
  });
  return names;
}

NestedNames::NestedNames(const Sdfg& parent) { add(parent); }

void NestedNames::add(const Sdfg& parent) {
  for_each_nested_sdfg(parent, [&](const NestedSdfg& nested) {
    for (const std::string& name : names_within(**nested.sdfg)) ++count_[name];
  });
}

bool NestedNames::in_another(std::string_view name, const SymbolSet& own) const {
  const auto found = count_.find(name);
  return found != count_.end() && found->second > own.count(name);
}

void NestedNames::inlined(const Sdfg& inner, const SymbolSet& own) {
  for (const std::string& name : own) --count_[name];
  add(inner);
}

}  // namespace sdfg
