#include "passes/common/side_effects.h"

#include "ir/library_node.h"
#include "ir/walk.h"

namespace sdfg {

bool SideEffects::of(const Sdfg& sdfg, const Node& node) {
  if (const auto* nested = node.as<NestedSdfg>()) return !nested->sdfg || inside(**nested->sdfg);
  if (node.is<LibraryNode>()) return !library_operation(node);
  if (node.is<OtherNode>()) return true;
  const auto* tasklet = node.as<Tasklet>();
  if (!tasklet) return false;
  if (tasklet->side_effects) return *tasklet->side_effects;
  if (!tasklet->state_fields.empty()) return true;
  if (tasklet->code.language() != Language::Python) return !tasklet->code_global.empty();
  SymbolSet callbacks, names;
  for (const auto& [name, type] : sdfg.symbols)
    if (type.base() == BaseType::Callback) callbacks.insert(name);
  if (!callbacks.empty()) collect_symbols(tasklet->code, callbacks, names);
  for (const std::string& name : names)
    if (callbacks.contains(name)) return true;
  return false;
}

bool SideEffects::inside(const Sdfg& sdfg) {
  const auto found = known_.find(&sdfg);
  if (found != known_.end()) return found->second;
  bool any = false;
  for_each_node(sdfg, [&](const Node& node) { any = of(sdfg, node) || any; });
  known_.emplace(&sdfg, any);
  return any;
}

}  // namespace sdfg
