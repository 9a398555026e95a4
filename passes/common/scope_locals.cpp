#include "passes/common/scope_locals.h"

#include <map>
#include <utility>

#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/replace.h"
#include "ir/walk.h"
#include "passes/common/side_effects.h"
#include "passes/common/viewed.h"

namespace sdfg {

bool ScopeLocals::is_local(const std::string& name, std::size_t accesses) {
  const Data* data = sdfg_.arrays.get(name);
  if (!data || !data->transient || sdfg_.constants.contains(name)) return false;
  if (!accesses_) {
    accesses_.emplace();
    for_each_node(sdfg_, [&](const Node& node) {
      if (const auto* access = node.as<AccessNode>()) ++(*accesses_)[root_name(access->data)];
    });
  }
  return (*accesses_)[name] == accesses;
}

std::string ScopeLocals::renew(const std::string& name) {
  const std::string fresh = names_(sdfg_, name);
  sdfg_.arrays.set(fresh, Data(*sdfg_.arrays.get(name)));
  (*accesses_)[fresh] = (*accesses_)[name];
  return fresh;
}

void ScopeLocals::renew_in(Block& copy) {
  for_each_block_in(copy, [&](Block& block) {
    if (auto* state = block.as<State>()) renew_in(*state);
  });
}

void ScopeLocals::renew_in(State& state) {
  if (state.nodes_of<MapEntry>().empty() && state.nodes_of<ConsumeEntry>().empty()) return;
  const ScopeTree tree = scope_tree_of(state);
  std::map<std::pair<std::string, NodeId>, std::size_t> inside;  // by container and outermost scope
  for (NodeId n : state.nodes_of<AccessNode>())
    if (tree.parent_of(n))
      ++inside[{root_name(state.get<AccessNode>(n).data), tree.enclosing(n).back()}];
  Renaming names;
  for (const auto& [place, accesses] : inside) {
    const std::string& name = place.first;
    if (!is_local(name, accesses) || outlives_run(*sdfg_.arrays.get(name))) continue;
    if (!named_) named_ = containers_read_by_name(sdfg_);
    if (!named_->contains(name)) names.emplace(name, renew(name));
  }
  if (!names.empty()) rename_data(state, names);
}

}  // namespace sdfg
