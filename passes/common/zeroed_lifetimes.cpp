#include "passes/common/zeroed_lifetimes.h"

#include <algorithm>

#include "ir/analysis/used_names.h"
#include "ir/walk.h"
#include "passes/common/accesses.h"
#include "passes/common/state_flow.h"

namespace sdfg {

void fix_zeroed_lifetimes(Sdfg& root) {
  for_each_sdfg(root, [](Sdfg& sdfg) {
    NameSet zeroed;
    for (BlockId b : sdfg.nodes()) collect_zeroed(sdfg[b], zeroed);
    if (zeroed.empty()) return;
    const Accesses accesses(sdfg);
    const StateFlow flow(sdfg);
    for (const std::string& name : zeroed) {
      Data* data = sdfg.arrays.get(name);
      if (!data || !data->transient || data->role() != Role::Plain ||
          data->lifetime != Lifetime::Scope)
        continue;
      const auto& sites = accesses.sites(name);
      const auto elsewhere = [&](const AccessSite& s) { return s.state != sites.front().state; };
      const auto again = [&](const AccessSite& s) { return flow.repeats(flow.point(*s.state)); };
      if ((accesses.is_named(name) || std::ranges::any_of(sites, elsewhere)) &&
          std::ranges::any_of(sites, again))
        data->lifetime = Lifetime::Sdfg;
    }
  });
}

void collect_zeroed(const Block& block, NameSet& out) {
  for_each_block_in(block, [&](const Block& b) {
    if (const auto* state = b.as<State>())
      for (NodeId n : state->nodes_of<AccessNode>())
        if (const auto& access = state->get<AccessNode>(n); access.setzero) out.insert(access.data);
  });
}

namespace {

/// Those of the containers that no access node shows any more and conditions or assignments read:
/// they get a node behind a tasklet that does nothing, since no node may be without edges.
void set_by_idle_nodes(Sdfg& sdfg, const NameSet& containers, const ByName<AccessNode*>& shown) {
  State* first = nullptr;
  for_each_state(sdfg, [&](State& state) {
    if (!first) first = &state;
  });
  if (!first) return;
  const NameSet read = containers_read_by_name(sdfg);
  for (const std::string& container : containers) {
    if (shown.contains(container) || !read.contains(container)) continue;
    const NodeId idle = first->add(Node{Tasklet{.label = "zero_" + container}});
    const NodeId access = first->add(Node{AccessNode{.data = container, .setzero = true}});
    first->connect(idle, access, Edge{});
  }
}

}  // namespace

void set_to_zero(Sdfg& sdfg, const NameSet& containers) {
  if (containers.empty()) return;
  ByName<AccessNode*> first;
  NameSet zeroed;
  for_each_state(sdfg, [&](State& state) {
    for (NodeId n : state.nodes_of<AccessNode>()) {
      auto& access = state.get<AccessNode>(n);
      if (!containers.contains(access.data)) continue;
      first.try_emplace(access.data, &access);
      if (access.setzero) zeroed.insert(access.data);
    }
  });
  for (const auto& [container, access] : first)
    if (!zeroed.contains(container)) access->setzero = true;
  if (first.size() < containers.size()) set_by_idle_nodes(sdfg, containers, first);
}

}  // namespace sdfg
