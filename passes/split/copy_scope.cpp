#include "passes/split/copy_scope.h"

#include <algorithm>

#include "ir/analysis/propagate.h"
#include "ir/replace.h"

namespace sdfg {
namespace {

/// Nodes of the original: those of the copy.
using Nodes = std::map<NodeId, NodeId>;

Node copy_of(const Node& node) {
  Node out = node;
  out.guid.clear();
  out.origin = {};
  return out;
}

/// Do all access nodes of the container lie in the scope?
bool is_own(const State& state, const Accesses& accesses, const Scope& scope,
            const std::string& name) {
  return std::ranges::all_of(accesses.sites(name), [&](const AccessSite& site) {
    return site.state == &state && std::ranges::binary_search(scope.nodes, site.node);
  });
}

/// Names of containers whose access nodes all lie in the scope; constants serve the copy, too.
Renaming rename_own_containers(Sdfg& sdfg, const State& state, const Accesses& accesses,
                               const Scope& scope) {
  Renaming names;
  for (NodeId n : scope.nodes) {
    const auto* access = state[n].as<AccessNode>();
    if (!access) continue;
    const std::string name = access->data.substr(0, access->data.find('.'));
    const Data* data = sdfg.find_data(name);
    if (!data || !data->transient || names.contains(name) || sdfg.constants.contains(name))
      continue;
    if (!is_own(state, accesses, scope, name)) continue;
    Data copy = *data;
    copy.origin = {};
    std::string fresh = sdfg.fresh_name(name);
    sdfg.arrays.set(fresh, std::move(copy));
    names.emplace(name, std::move(fresh));
  }
  return names;
}

void rename(std::string& name, const Renaming& names) {
  const std::size_t dot = name.find('.');
  if (const auto found = names.find(name.substr(0, dot)); found != names.end())
    name = found->second + (dot == name.npos ? "" : name.substr(dot));
}

Edge copy_of(const Edge& edge, const Renaming& names) {
  Edge out = edge;
  out.memlet.guid.clear();
  out.memlet.origin = {};
  rename(out.memlet.data, names);
  return out;
}

NodeId* entry_of(Node& exit) {
  if (auto* map = exit.as<MapExit>()) return &map->entry;
  if (auto* consume = exit.as<ConsumeExit>()) return &consume->entry;
  return nullptr;
}

}  // namespace

Refusal check_copy_scope(const Sdfg& sdfg, const State& state, const Scope& scope) {
  for (NodeId n : scope.nodes) {
    const auto* access = state[n].as<AccessNode>();
    const Data* data = access ? sdfg.find_data(access->data) : nullptr;
    if (data && data->transient && (data->is_stream() || data->is_reference()))
      return "the " + data->json_type() + " '" + access->data + "' lives in it";
  }
  return {};
}

Refusal check_leave_out(const Sdfg& sdfg, const State& state, const Accesses& accesses,
                        const Scope& scope, SideEffects& effects) {
  const auto is_stream = [&](NodeId n) {
    const auto* access = state[n].as<AccessNode>();
    const Data* data = access ? sdfg.find_data(access->data) : nullptr;
    return data && data->is_stream();
  };
  for (EdgeId e : state.in(scope.entry))
    if (is_stream(state.source(e)))
      return "it takes elements from stream '" + std::string(state[state.source(e)].label()) + "'";
  for (NodeId n : scope.nodes) {
    const std::string who = "'" + std::string(state[n].label()) + "'";
    if (effects.of(sdfg, state[n])) return who + " has side effects";
    if (is_stream(n)) return "it uses stream " + who;
    const auto* access = state[n].as<AccessNode>();
    const bool written = access && std::ranges::any_of(state.in(n), [&](EdgeId e) {
      return !state[e].memlet.empty();
    });
    if (!written) continue;
    const std::string name = access->data.substr(0, access->data.find('.'));
    const Data* data = sdfg.find_data(name);
    if (!data || !data->transient || accesses.is_named(name) ||
        !is_own(state, accesses, scope, name))
      return "it writes " + who + " inside";
  }
  return {};
}

ScopeCopy copy_scope(Sdfg& sdfg, State& state, Accesses& accesses, const Scope& scope) {
  const Renaming names = rename_own_containers(sdfg, state, accesses, scope);
  std::vector<NodeId> originals{scope.entry};
  originals.insert(originals.end(), scope.nodes.begin(), scope.nodes.end());
  originals.push_back(scope.exit);
  Nodes copies;
  for (NodeId n : originals) {
    Node copy = copy_of(state[n]);
    if (auto* access = copy.as<AccessNode>()) rename(access->data, names);
    const NodeId added = copies[n] = state.add(std::move(copy));
    if (state[added].is<AccessNode>()) accesses.add(state, added);
  }
  ScopeCopy out{copies[scope.entry], copies[scope.exit], {}};
  for (const auto& [from, to] : copies)
    if (NodeId* entry = entry_of(state[to])) *entry = copies.at(*entry);
  for (NodeId n : originals) {
    // Each edge once: those inside at their source, those from outside at the entry.
    if (n == scope.entry)
      for (EdgeId e : std::vector(state.in(n).begin(), state.in(n).end()))
        out.outer_edges[e] = state.connect(state.source(e), out.entry, copy_of(state[e], {}));
    for (EdgeId e : std::vector(state.out(n).begin(), state.out(n).end())) {
      if (n == scope.exit)
        out.outer_edges[e] = state.connect(out.exit, state.target(e), copy_of(state[e], {}));
      else
        state.connect(copies.at(n), copies.at(state.target(e)), copy_of(state[e], names));
    }
  }
  return out;
}

void cut_map(Sdfg& sdfg, State& state, Accesses& accesses, ScopeTree& tree, NodeId entry,
             const std::vector<std::vector<Range>>& pieces, const Assumptions& assumptions,
             const std::function<void(EdgeId edge, EdgeId clone)>& cloned) {
  const auto scope = find_scope(state, entry);
  std::vector<NodeId> entries{entry};
  for (std::size_t p = 1; p < pieces.size(); ++p) {
    const ScopeCopy copy = copy_scope(sdfg, state, accesses, *scope);
    if (cloned)
      for (const auto& [edge, clone] : copy.outer_edges) cloned(edge, clone);
    entries.push_back(copy.entry);
    tree.parent.resize(state.id_bound());
    tree.exit.resize(state.id_bound());
    tree.exit[copy.entry.value] = copy.exit;
  }
  for (std::size_t p = 0; p < entries.size(); ++p) {
    state.get<MapEntry>(entries[p]).ranges = pieces[p];
    propagate_memlets(sdfg, state, tree, entries[p], assumptions);
  }
}

}  // namespace sdfg
