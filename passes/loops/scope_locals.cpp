#include "passes/loops/scope_locals.h"

#include <map>
#include <utility>

#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/replace.h"
#include "ir/walk.h"
#include "passes/common/side_effects.h"
#include "passes/common/viewed.h"

namespace sdfg {

void ScopeLocals::renew(Block& copy) {
  for_each_block_in(copy, [&](Block& block) {
    if (auto* state = block.as<State>()) renew(*state);
  });
}

void ScopeLocals::renew(State& state) {
  if (state.nodes_of<MapEntry>().empty() && state.nodes_of<ConsumeEntry>().empty()) return;
  const ScopeTree tree = scope_tree_of(state);
  std::map<std::pair<std::string, NodeId>, std::size_t> inside;  // by container and outermost scope
  for (NodeId n : state.nodes_of<AccessNode>()) {
    NodeId scope = tree.parent_of(n);
    if (!scope) continue;
    while (tree.parent_of(scope)) scope = tree.parent_of(scope);
    ++inside[{root_name(state.get<AccessNode>(n).data), scope}];
  }
  Renaming names;
  for (const auto& [place, used] : inside) {
    const std::string& name = place.first;
    if (!uses_) {
      uses_.emplace(Uses{{}, containers_read_by_name(sdfg_)});
      for_each_state(sdfg_, [&](const State& other) {
        for (NodeId n : other.nodes_of<AccessNode>())
          ++uses_->accesses[root_name(other.get<AccessNode>(n).data)];
      });
    }
    if (!is_local(name, used)) continue;
    const std::string fresh = names_(sdfg_, name);
    sdfg_.arrays.set(fresh, Data(*sdfg_.arrays.get(name)));
    uses_->accesses[fresh] = used;
    names.emplace(name, fresh);
  }
  if (!names.empty()) rename_data(state, names);
}

bool ScopeLocals::is_local(const std::string& name, std::size_t used) const {
  const Data* data = sdfg_.arrays.get(name);
  if (!data || !data->transient || outlives_run(*data) || sdfg_.constants.contains(name) ||
      uses_->named.contains(name))
    return false;
  const auto all = uses_->accesses.find(name);
  return all != uses_->accesses.end() && all->second == used;
}

}  // namespace sdfg
