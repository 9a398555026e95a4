#include "passes/common/aliases.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/analysis/memlet_path.h"
#include "ir/walk.h"
#include "passes/common/viewed.h"

namespace sdfg {
namespace {

/// A part of a container at a connector; none: any part.
struct Given {
  std::string connector;
  std::optional<Subset> part;
};

bool overlap(const Given& a, const Given& b) {
  return !a.part || !b.part || intersects(*a.part, *b.part) != Truth::No;
}

/// What a node is given, by container, or by the first of containers that may be the same. What may
/// be any of them is with each.
std::map<std::string, std::vector<Given>> given_to(const Sdfg& sdfg, const State& state,
                                                   NodeId node, const Aliases& outside) {
  std::map<std::string, std::vector<Given>> given;
  std::vector<Given> anywhere;  // references
  const auto add = [&](EdgeId e, NodeId end, const std::string& connector) {
    const Memlet& memlet = state[e].memlet;
    if (memlet.empty() || !state[end].is<AccessNode>()) return;
    const auto container = accessed_container(sdfg, state, end);
    if (!container) return anywhere.push_back({connector, std::nullopt});
    const std::string root = root_name(*container);
    const auto same = outside.find(root);
    const bool known = same == outside.end() && root == memlet.data;
    given[same == outside.end() ? root : same->second].push_back(
        {connector, known ? memlet.subset() : std::nullopt});
  };
  for (EdgeId e : state.in(node)) add(e, path_source(state, e), state[e].dst_connector);
  for (EdgeId e : state.out(node)) add(e, path_target(state, e), state[e].src_connector);
  if (given.empty()) return {{"", std::move(anywhere)}};
  for (auto& [container, list] : given) list.insert(list.end(), anywhere.begin(), anywhere.end());
  return given;
}

Aliases groups(const std::map<std::string, std::vector<Given>>& given) {
  Aliases out;
  const auto first = [&](const std::string& name) {
    const auto known = out.find(name);
    return known == out.end() ? name : known->second;
  };
  for (const auto& [container, list] : given)
    for (const Given& a : list)
      for (const Given& b : list) {
        if (a.connector >= b.connector || !overlap(a, b)) continue;
        const std::string one = first(a.connector), two = first(b.connector);
        const std::string& least = std::min(one, two);
        for (auto& [name, group] : out)
          if (group == one || group == two) group = least;
        out[a.connector] = out[b.connector] = least;
      }
  return out;
}

void collect(const Sdfg& sdfg, AllAliases& all) {
  const Aliases& outside = all[&sdfg];
  for_each_nested_sdfg(sdfg, [&](const NestedSdfg& nested, const State& state, NodeId n) {
    all[&**nested.sdfg] = aliases_inside(sdfg, state, n, outside);
    collect(**nested.sdfg, all);
  });
}

}  // namespace

Aliases aliases_inside(const Sdfg& sdfg, const State& state, NodeId node, const Aliases& outside) {
  return groups(given_to(sdfg, state, node, outside));
}

void add_aliases(const Aliases& aliases, SymbolSet& names) {
  SymbolSet groups;
  for (const auto& [name, group] : aliases)
    if (names.contains(name)) groups.insert(group);
  for (const auto& [name, group] : aliases)
    if (groups.contains(group)) names.insert(name);
}

AllAliases find_aliases(const Sdfg& sdfg) {
  AllAliases all;
  collect(sdfg, all);
  return all;
}

}  // namespace sdfg
