#include "passes/common/accesses.h"

#include <algorithm>

#include "ir/analysis/free_symbols.h"
#include "ir/walk.h"
#include "passes/common/used_names.h"

namespace sdfg {
namespace {

/// Names in what a state evaluates by itself. Memlets and ranges see symbols only: the verifier
/// rejects containers there.
void collect_named(const Node& node, KnownNames containers, SymbolCollector& mappings,
                   const NameSink& named) {
  if (const auto* nested = node.as<NestedSdfg>())
    for (const auto& [symbol, value] : nested->symbol_mapping) mappings.add(value);
  const auto* tasklet = node.as<Tasklet>();
  if (!tasklet) return;
  if (tasklet->code.language() == Language::Python)
    collect_symbols(tasklet->code, containers, named);
  else
    UsedNames(containers, named).add(node);
}

}  // namespace

Accesses::Accesses(Sdfg& sdfg) {
  const NameSink named = [&](const std::string& name) {
    if (sdfg.arrays.contains(root(name))) add_name(name);
  };
  const KnownNames containers(sdfg.arrays);
  UsedNames used(containers, named);
  SymbolCollector mappings(named);
  for (const auto& [name, data] : sdfg.arrays) used.add(data);
  for_each_block(sdfg, [&](Block& block) {
    used.add(block);
    auto* state = block.as<State>();
    if (!state) return;
    for (NodeId n : state->nodes()) {
      add(*state, n);
      collect_named((*state)[n], containers, mappings, named);
    }
  });
  for_each_interstate_edge(sdfg, [&](const InterstateEdge& edge) {
    for (const std::string& name : free_symbols(edge)) named(name);
  });
}

const Accesses::Entry* Accesses::find(std::string_view container) const {
  const auto found = entries_.find(std::string(root(container)));
  return found == entries_.end() ? nullptr : &found->second;
}

std::span<const AccessSite> Accesses::sites(std::string_view container) const {
  const Entry* entry = find(container);
  return entry ? std::span<const AccessSite>(entry->sites) : std::span<const AccessSite>();
}

bool Accesses::is_named(std::string_view container) const {
  const Entry* entry = find(container);
  return entry && entry->named;
}

void Accesses::add(State& state, NodeId node) {
  if (const auto* access = state[node].as<AccessNode>())
    entries_[std::string(root(access->data))].sites.push_back({&state, node});
}

void Accesses::remove(const State& state, NodeId node) {
  const auto* access = state[node].as<AccessNode>();
  if (!access) return;
  auto& sites = entries_[std::string(root(access->data))].sites;
  std::erase_if(sites, [&](const AccessSite& s) { return s.state == &state && s.node == node; });
}

void Accesses::add_name(std::string_view container) {
  entries_[std::string(root(container))].named = true;
}

}  // namespace sdfg
