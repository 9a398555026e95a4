#include "passes/conditionals/branch_side.h"

#include <algorithm>

#include "ir/analysis/expression_types.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/split_state.h"
#include "passes/common/total.h"
#include "passes/maps/copy_to_map.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Does it connect nothing?
bool is_loose(const State& state, NodeId n) {
  const auto by_map = [&](EdgeId e) {
    return state[state.source(e)].is_exit() && !state[e].memlet.empty();
  };
  return state[n].is<AccessNode>() &&
         (state.in(n).empty() ||
          (state.out(n).empty() && std::ranges::all_of(state.in(n), by_map)));
}

void find_parts(BranchSide& side, const ScopeTree& tree) {
  const State& state = *side.state;
  const auto top = [&](NodeId n) { return state[n].is_exit() ? tree.parent_of(n) : n; };
  for (NodeId first : state.nodes()) {
    if (tree.parent_of(first) || is_loose(state, first) || side.part_of.contains(first)) continue;
    std::vector<NodeId> open{first};
    side.part_of[first] = first;
    for (std::size_t at = 0; at < open.size(); ++at) {
      const NodeId n = open[at], end = state[n].is_entry() ? tree.exit_of(n) : n;
      const auto visit = [&](NodeId other) {
        if (!is_loose(state, other) && side.part_of.emplace(other, first).second)
          open.push_back(other);
      };
      for (EdgeId e : state.in(n)) visit(top(state.source(e)));
      for (EdgeId e : state.out(end)) visit(state.target(e));
    }
  }
  for (NodeId n : state.nodes()) {
    const auto* access = state[n].as<AccessNode>();
    if (!access || tree.parent_of(n)) continue;
    for (EdgeId e : state.in(n)) {
      auto part = side.part_of.find(n);
      if (part == side.part_of.end()) part = side.part_of.find(top(state.source(e)));
      side.writes[part->second].push_back({access->data, state[e].memlet.dst_subset});
    }
  }
}

}  // namespace

Refusal SideReader::read(BranchSide& side) const {
  const State& state = *side.state;
  const ScopeTree tree = scope_tree_of(state);
  for (NodeId n : state.nodes()) {
    if (tree.parent_of(n)) continue;
    Refusal why;
    if (state[n].is<MapEntry>()) {
      side.maps.emplace_back();
      why = read_guarded_map(sdfg_, state, n, side.branch, accesses_, readable_, effects_,
                             side.maps.back());
    } else if (state[n].is<AccessNode>()) {
      why = check_access(side, n);
    } else if (state[n].is<Tasklet>()) {
      why = check_code(state, n);
    } else {
      why = quoted(state[n].label()) + " is no map and no tasklet";
    }
    if (why) return why;
  }
  find_parts(side, tree);
  return {};
}

Refusal SideReader::check_access(BranchSide& side, NodeId node) const {
  const State& state = *side.state;
  const auto& access = state.get<AccessNode>(node);
  const Data* data = sdfg_.arrays.get(access.data);  // none for a member of a structure
  if (!data || data->role() != Role::Plain || data->is_stream())
    return quoted(access.data) + " is no plain container";
  if (access.setzero) return quoted(access.data) + " is set to zero";
  for (EdgeId e : state.in(node)) {
    if (!state[state.source(e)].is<AccessNode>() || state[e].memlet.empty()) continue;
    if (state[e].memlet.wcr) return "a copy resolves conflicts on " + quoted(access.data);
    if (const Refusal why = check_copy_to_map(sdfg_, state, e, gpu_))
      return "the copy to " + quoted(access.data) + " cannot be a map: " + why.reason();
    side.copies.push_back(e);
  }
  return {};
}

Refusal SideReader::check_code(const State& state, NodeId n) const {
  const std::string who = quoted(state[n].label());
  if (effects_.of(sdfg_, state[n])) return who + " has side effects";
  if (!never_fails(state, n)) return who + " may divide by zero, or never end";
  if (!stays_inside(sdfg_, state, n))
    return who + " may touch an element that is not there where the branch is not taken";
  for (EdgeId e : state.out(n))
    if (!is_computed(state, state.target(e))) return who + " writes what is used elsewhere, too";
  for (EdgeId e : state.in(n))
    if (!is_computed(state, state.source(e))) return who + " reads what no such code has computed";
  return {};
}

/// A transient that code beside the maps writes, and nothing else: it can be hoisted with the code.
bool SideReader::is_computed(const State& state, NodeId n) const {
  const auto* access = state[n].as<AccessNode>();
  return access && accesses_.is_single_use(access->data) && is_private(state, access->data) &&
         !state.in(n).empty() &&
         std::ranges::all_of(state.in(n),
                             [&](EdgeId e) { return state[state.source(e)].is<Tasklet>(); });
}

bool SideReader::never_fails(const State& state, NodeId n) const {
  const Code& code = state.get<Tasklet>(n).code;
  if (is_total(code, {})) return true;
  TypeTable types(sdfg_.symbols.begin(), sdfg_.symbols.end());
  for (EdgeId e : state.in(n))
    if (const Data* data = sdfg_.find_data(state[e].memlet.data))
      types.insert_or_assign(state[e].dst_connector, data->dtype);
  types.merge(types_assigned(code, types));
  return is_total(code, types);
}

bool SideReader::is_private(const State& state, const std::string& container) const {
  const Data* data = sdfg_.find_data(container);
  return data && data->transient && !accesses_.is_named(container) &&
         std::ranges::all_of(accesses_.sites(container),
                             [&](const AccessSite& site) { return site.state == &state; });
}

bool SideReader::keep_rest(BranchSide& side, const std::set<NodeId>& parts, State& rest) const {
  State& state = *side.state;
  const ScopeTree tree = scope_tree_of(state);
  std::set<NodeId> stays;
  for (NodeId n : state.nodes()) {
    NodeId top = n;
    while (tree.parent_of(top)) top = tree.parent_of(top);
    const auto part = side.part_of.find(top);
    if (part != side.part_of.end() && !parts.contains(part->second)) stays.insert(n);
  }
  if (stays.empty()) return false;
  // A node that both write stands on both sides of the cut.
  for (NodeId n : state.nodes())
    if (!tree.parent_of(n) && !side.part_of.contains(n))
      for (EdgeId e : state.in(n))
        if (stays.contains(state.source(e))) stays.insert(n);
  std::erase_if(side.maps, [&](const GuardedMap& map) { return stays.contains(map.entry); });
  std::erase_if(side.copies, [&](EdgeId e) { return stays.contains(state.target(e)); });
  StateCut(sdfg_, state, std::move(stays)).apply(state, rest);
  return true;
}

void SideReader::hoist_code(State& from, State& to) const {
  std::map<NodeId, NodeId> moved;
  const auto moves = [&](NodeId n) { return from[n].is<Tasklet>() || is_computed(from, n); };
  const ScopeTree tree = scope_tree_of(from);
  for (NodeId n : from.nodes())
    if (!tree.parent_of(n) && moves(n)) moved[n] = to.add(from[n]);
  for (const auto& [n, there] : moved)
    for (EdgeId e : from.out(n))
      if (const auto at = moved.find(from.target(e)); at != moved.end())
        to.connect(there, at->second, from[e]);
  for (const auto& [n, there] : moved)
    if (from[n].is<Tasklet>()) from.erase(n);
  for (const auto& [n, there] : moved)
    if (from.contains(n) && from.out(n).empty()) from.erase(n);
}

}  // namespace sdfg
