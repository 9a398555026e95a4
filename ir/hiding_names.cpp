#include "ir/hiding_names.h"

#include <algorithm>

#include "ir/analysis/used_names.h"
#include "ir/replace.h"
#include "ir/walk.h"

namespace sdfg {

namespace {
/// Of what scopes bind, only names for which `counts(name)`.
void rename_hiding(State& state, const auto& counts) {
  SymbolSet bound, free;
  const auto add = [&](const std::string& name) {
    if (counts(name)) bound.insert(name);
  };
  for (NodeId n : state.nodes_of<MapEntry>()) {
    for (const std::string& param : state.get<MapEntry>(n).params) add(param);
    for (const auto& [name, type] : state[n].in_connectors) add(name);
  }
  for (NodeId n : state.nodes_of<ConsumeEntry>()) add(state.get<ConsumeEntry>(n).pe_index);
  if (bound.empty()) return;
  collect_free_names(state, bound, free);
  std::erase_if(free, [&](const std::string& name) { return !bound.contains(name); });
  rename_bound_names(state, free);
}
}  // namespace

void rename_hiding_names(const Sdfg& sdfg, State& state) {
  rename_hiding(state, [&](const std::string& name) { return sdfg.symbols.contains(name); });
}
void rename_hiding_names(State& state) {
  rename_hiding(state, [](const std::string& name) { return !name.starts_with("IN_"); });
}
void rename_hiding_names(Sdfg& sdfg) {
  for_each_sdfg(sdfg, [](Sdfg& each) {
    for_each_state(each, [&](State& state) { rename_hiding_names(each, state); });
  });
}

}  // namespace sdfg
