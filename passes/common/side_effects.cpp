#include "passes/common/side_effects.h"

#include "ir/library_node.h"
#include "ir/walk.h"

namespace sdfg {

bool outlives_run(const Data& data) {
  return data.lifetime != Lifetime::Scope && data.lifetime != Lifetime::State &&
         data.lifetime != Lifetime::Sdfg;
}

namespace {

const std::string* find_kept_here(const Sdfg& sdfg) {
  SymbolSet kept;
  for (const auto& [name, data] : sdfg.arrays)
    if (data.transient && outlives_run(data)) kept.insert(name);
  const std::string* found = nullptr;
  if (kept.empty()) return found;
  for_each_state(sdfg, [&](const State& state) {
    for (NodeId n : state.nodes_of<AccessNode>())
      if (const auto& access = state.get<AccessNode>(n);
          !found && kept.contains(access.data) && !state.in(n).empty())
        found = &access.data;
  });
  return found;
}

}  // namespace

const std::string* find_kept(const Sdfg& sdfg) {
  const std::string* found = nullptr;
  for_each_sdfg(sdfg, [&](const Sdfg& inner) {
    if (!found) found = find_kept_here(inner);
  });
  return found;
}

bool SideEffects::of(const Sdfg& sdfg, const Node& node) {
  if (const auto* nested = node.as<NestedSdfg>()) return !nested->sdfg || inside(**nested->sdfg);
  if (const auto* library = node.as<LibraryNode>()) return !has_known_class(*library);
  if (node.is<OtherNode>()) return true;
  const auto* tasklet = node.as<Tasklet>();
  if (!tasklet) return false;
  if (tasklet->side_effects) return *tasklet->side_effects;
  if (!tasklet->state_fields->empty()) return true;
  if (tasklet->code.language() != Language::Python)
    return node.out_connectors.empty() || !tasklet->code_global->empty();
  const SymbolSet& callbacks = known(sdfg).callbacks;
  if (callbacks.empty()) return false;
  SymbolSet names;
  collect_symbols(tasklet->code, callbacks, names);
  for (const std::string& name : names)
    if (callbacks.contains(name)) return true;
  return false;
}

void SideEffects::keep_only(const Sdfg& sdfg) {
  std::erase_if(known_, [&](const auto& entry) { return entry.first != &sdfg; });
}

SideEffects::Known& SideEffects::known(const Sdfg& sdfg) {
  const auto [at, is_new] = known_.try_emplace(&sdfg);
  if (is_new)
    for (const auto& [name, type] : sdfg.symbols)
      if (type.base() == BaseType::Callback) at->second.callbacks.insert(name);
  return at->second;
}

bool SideEffects::inside(const Sdfg& sdfg) {
  if (const Known& before = known(sdfg); before.inside) return *before.inside;
  bool any = find_kept_here(sdfg);
  for_each_block(sdfg, [&](const Block& b) { any = b.is<OtherBlock>() || any; });
  for_each_node(sdfg, [&](const Node& node) { any = of(sdfg, node) || any; });
  known(sdfg).inside = any;
  return any;
}

}  // namespace sdfg
