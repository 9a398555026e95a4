#include "passes/common/accesses.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/used_names.h"
#include "ir/walk.h"
#include "passes/common/viewed.h"

namespace sdfg {

Accesses::Accesses(Sdfg& sdfg) : sdfg_(sdfg) {
  containers_.reserve(sdfg.arrays.size());
  index_.reserve(sdfg.arrays.size());
  for_each_state(sdfg, [&](State& state) {
    for (NodeId n : state.nodes_of<AccessNode>()) add(state, n);
  });
}

const std::vector<AccessSite>* Accesses::find(std::string_view root) const {
  const auto name_at = [&](std::uint32_t at) -> std::string_view { return containers_[at].name; };
  const std::uint32_t at = index_.find(root, name_at);
  return at == NameIndex::none ? nullptr : &containers_[at].sites;
}

std::span<const AccessSite> Accesses::sites(std::string_view container) const {
  const auto* found = find(root(container));
  return found ? std::span<const AccessSite>(*found) : std::span<const AccessSite>();
}

bool Accesses::is_named(std::string_view container) const {
  if (!named_) named_ = find_named();
  return named_->contains(root(container));
}

bool Accesses::is_referenced(std::string_view container) const {
  if (!referenced_) referenced_ = find_referenced();
  return referenced_->contains(root(container));
}

NameSet Accesses::find_named() const {
  NameSet named = containers_read_by_name(sdfg_);
  for_each_state(std::as_const(sdfg_), [&](const State& state) {
    for (EdgeId e : state.edges()) {
      // Seen from outside of scopes: edges within lead to or from others.
      const Node &from = state[state.source(e)], &to = state[state.target(e)];
      if (!from.is<AccessNode>() && !from.is_entry() && !to.is<AccessNode>() && !to.is_exit() &&
          !state[e].memlet.empty())
        named.emplace(root(state[e].memlet.data));
    }
  });
  NameSet viewed;
  for (const auto& name : named) {
    const Data* data = sdfg_.arrays.get(name);
    if (!data || !data->is_view()) continue;
    for (const AccessSite& site : sites(name))
      if (const auto container = accessed_container(sdfg_, *site.state, site.node))
        viewed.emplace(root(*container));
  }
  named.insert(viewed.begin(), viewed.end());
  return named;
}

NameSet Accesses::find_referenced() const {
  NameSet out;
  for (const auto& [name, data] : sdfg_.arrays) {
    if (!data.is_reference()) continue;
    for (const AccessSite& site : sites(name))
      for (EdgeId e : site.state->in(site.node)) {
        if ((*site.state)[e].dst_connector != "set") continue;
        const NodeId source = path_source(*site.state, e);
        if (!(*site.state)[source].is<AccessNode>()) continue;
        const auto container = accessed_container(sdfg_, *site.state, source);
        out.emplace(root(container ? *container : site.state->get<AccessNode>(source).data));
      }
  }
  return out;
}

void Accesses::add(State& state, NodeId node) {
  const auto* access = state[node].as<AccessNode>();
  if (!access) return;
  const std::string_view name = root(access->data);
  auto* sites = find(name);
  if (!sites) {
    index_.add(name, std::uint32_t(containers_.size()));
    sites = &containers_.emplace_back(Container{std::string(name), {}}).sites;
  }
  sites->push_back({&state, node});
}

void Accesses::remove(const State& state, NodeId node) {
  const auto* access = state[node].as<AccessNode>();
  if (auto* sites = access ? find(root(access->data)) : nullptr)
    std::erase_if(*sites, [&](const AccessSite& s) { return s.state == &state && s.node == node; });
}

void Accesses::forget(std::span<const State* const> states, const SymbolSet& containers) {
  for (const std::string& container : containers)
    if (auto* sites = find(root(container)))
      std::erase_if(*sites, [&](const AccessSite& site) {
        return std::ranges::find(states, site.state) != states.end();
      });
}

void Accesses::add_name(std::string_view container) {
  if (named_) named_->emplace(root(container));  // else it will be found
}

}  // namespace sdfg
