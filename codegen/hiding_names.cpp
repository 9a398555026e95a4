#include "codegen/hiding_names.h"

#include "ir/analysis/used_names.h"
#include "ir/replace.h"
#include "ir/walk.h"

namespace sdfg {

void tell_names_apart(Sdfg& sdfg) {
  for_each_sdfg(sdfg, [](Sdfg& each) {
    for_each_state(each, [&](State& state) {
      SymbolSet bound, read;
      const auto add = [&](const std::string& name) {
        if (each.symbols.contains(name)) bound.insert(name);
      };
      for (NodeId n : state.nodes_of<MapEntry>()) {
        for (const std::string& param : state.get<MapEntry>(n).params) add(param);
        for (const auto& [name, type] : state[n].in_connectors) add(name);
      }
      for (NodeId n : state.nodes_of<ConsumeEntry>()) add(state.get<ConsumeEntry>(n).pe_index);
      if (bound.empty()) return;
      collect_free_names(state, bound, read);
      std::erase_if(read, [&](const std::string& name) { return !bound.contains(name); });
      rename_bound_names(state, read);
    });
  });
}

}  // namespace sdfg
