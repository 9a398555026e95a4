#include "passes/common/scope.h"

#include <algorithm>
#include <set>

#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/replace.h"
#include "passes/common/decide.h"

namespace sdfg {
namespace {

NodeId entry_of_exit(const Node& node) {
  if (const auto* exit = node.as<MapExit>()) return exit->entry;
  if (const auto* exit = node.as<ConsumeExit>()) return exit->entry;
  return {};
}

/// Edges that lie inside a scope, those at its entry's and exit's inner sides included; each once.
std::vector<EdgeId> inner_edges(const State& state, const Scope& scope) {
  const auto outgoing = state.out(scope.entry);
  std::vector<EdgeId> edges(outgoing.begin(), outgoing.end());
  for (NodeId node : scope.nodes)
    edges.insert(edges.end(), state.out(node).begin(), state.out(node).end());
  return edges;
}

void substitute_all(std::vector<Range>& ranges, const Substitution& replacements) {
  Subset subset{std::move(ranges)};
  ranges = substitute(subset, replacements).ranges;
}

void substitute_all(ByName<Expr>& values, const Substitution& replacements) {
  for (auto& [name, value] : values) value = substitute_as_written(value, replacements);
}

void substitute_in(Node& node, const Substitution& replacements, const ByName<Type>& symbols) {
  if (auto* map = node.as<MapEntry>()) substitute_all(map->ranges, replacements);
  if (auto* consume = node.as<ConsumeEntry>()) {
    consume->num_pes = substitute(consume->num_pes, replacements);
    if (consume->condition) consume->condition = substitute(*consume->condition, replacements);
  }
  if (auto* nested = node.as<NestedSdfg>()) substitute_all(nested->symbol_mapping, replacements);
  if (auto* tasklet = node.as<Tasklet>())
    tasklet->code = with_parameters(node, replacements, symbols);
}

/// Names that the node gives a meaning of their own, to itself or to what is inside it.
SymbolSet names_bound_by(const Node& node) {
  SymbolSet bound;
  if (const auto* map = node.as<MapEntry>()) bound.insert(map->params.begin(), map->params.end());
  if (const auto* consume = node.as<ConsumeEntry>()) bound.insert(consume->pe_index);
  if (node.is_entry() || node.is<Tasklet>())
    for (const auto* connectors : {&node.in_connectors, &node.out_connectors})
      for (const auto& [name, type] : *connectors) bound.insert(name);
  return bound;
}

bool intersects(const SymbolSet& a, const SymbolSet& b, std::string& common) {
  for (const std::string& name : a)
    if (b.contains(name)) return common = name, true;
  return false;
}

}  // namespace

std::string add_port(Node& node, std::string wish) {
  std::ranges::replace(wish, '.', '_');
  std::string port = wish;
  for (int i = 0; node.in_connectors.contains("IN_" + port); ++i)
    port = wish + '_' + std::to_string(i);
  node.in_connectors.emplace("IN_" + port, Type());
  node.out_connectors.emplace("OUT_" + port, Type());
  return port;
}

std::optional<Scope> find_scope(const State& state, NodeId entry) {
  Scope scope{entry, {}, {}};
  std::set<NodeId> seen;
  std::vector<NodeId> todo{entry};
  while (!todo.empty()) {
    const NodeId node = todo.back();
    todo.pop_back();
    for (EdgeId e : state.out(node)) {
      const NodeId next = state.target(e);
      if (entry_of_exit(state[next]) == entry)
        scope.exit = next;
      else if (seen.insert(next).second)
        todo.push_back(next);
    }
  }
  if (!scope.exit) return std::nullopt;
  scope.nodes.assign(seen.begin(), seen.end());
  return scope;
}

Refusal find_only_map(const State& state, Scope& scope) {
  const auto tree = scope_tree(state);
  if (!tree) return tree.error().message;
  NodeId entry;
  for (NodeId n : state.nodes()) {
    if (tree->parent_of(n)) continue;
    if (state[n].is<MapEntry>()) {
      if (entry) return "the state holds several maps";
      entry = n;
    } else if (!state[n].is<AccessNode>()) {
      return "the state holds '" + std::string(state[n].label()) + "' beside the map";
    }
  }
  if (!entry) return "the state holds no map";
  scope = *find_scope(state, entry);
  for (NodeId n : state.nodes()) {
    if (tree->parent_of(n) || n == entry) continue;
    for (EdgeId e : state.out(n))
      if (state.target(e) != entry) return "the state copies data beside the map";
  }
  return {};
}

bool uses_name(const State& state, const Scope& scope, const std::string& name) {
  const SymbolSet known{name};
  bool found = false;
  UsedNames used(known, [&](const std::string& each) { found = found || each == name; });
  const auto add = [&](NodeId n) {
    if (found) return;
    // What a tasklet calls so is its own.
    if (!state[n].is<Tasklet>() || !names_bound_by(state[n]).contains(name)) used.add(state[n]);
    for (EdgeId e : state.out(n)) used.add(state[e]);
  };
  add(scope.entry);
  for (NodeId n : scope.nodes) add(n);
  return found;
}

Refusal check_parameters(const Sdfg& sdfg, const State& state, const Scope& scope,
                         const std::vector<std::string>& others) {
  const auto& own = state.get<MapEntry>(scope.entry).params;
  std::vector<std::string> fresh;
  for (const std::string& param : others)
    if (std::ranges::find(own, param) == own.end()) fresh.push_back(param);
  if (fresh.empty()) return {};
  for (const std::string& param : fresh)
    if (uses_name(state, scope, param))
      return "'" + param + "' means something else in the other map";
  std::set<std::string_view> seen;
  for (const auto edges : {state.in(scope.entry), state.out(scope.exit)})
    for (EdgeId e : edges) {
      const std::string& name = state[e].memlet.data;
      const Data* data = sdfg.find_data(name);
      if (!data || !seen.insert(name).second) continue;
      SymbolSet symbols;
      collect_symbols(*data, symbols);
      for (const std::string& param : fresh)
        if (symbols.contains(param))
          return "the shape or layout of '" + name + "' depends on a symbol '" + param + "'";
    }
  return {};
}

Code with_parameters(const Node& tasklet, const Substitution& replacements,
                     const ByName<Type>& symbols) {
  ByName<Type> params;
  for (const auto& [name, value] : replacements) params.emplace(name, BaseType::Int64);
  return substitute(tasklet.as<Tasklet>()->code, replacements, {params, symbols},
                    tasklet.out_connectors);
}

void substitute_in_scope(State& state, const Scope& scope, const Substitution& replacements,
                         const ByName<Type>& symbols) {
  for (EdgeId e : inner_edges(state, scope)) replace_symbols(state[e].memlet, replacements);
  for (NodeId node : scope.nodes) substitute_in(state[node], replacements, symbols);
}

Refusal check_substitution(const Sdfg& sdfg, const State& state, const Scope& scope,
                           const Substitution& replacements) {
  SymbolSet names, in_values;
  for (const auto& [name, value] : replacements) {
    names.insert(name);
    collect_symbols(value, in_values);
  }
  const SymbolSet differing = differing_in_code(replacements, sdfg);
  SymbolSet all = names;
  all.insert(in_values.begin(), in_values.end());

  std::string name;
  for (NodeId id : scope.nodes) {
    const Node& node = state[id];
    const std::string who = "'" + std::string(node.label()) + "'";
    if (const auto* access = node.as<AccessNode>()) {
      const Data* data = sdfg.find_data(access->data);
      SymbolSet used;
      if (data) collect_used_names(*data, names, used);
      if (intersects(names, used, name))
        return "the size or layout of " + who + " depends on '" + name + "'";
      continue;
    }
    if (node.is<LibraryNode>() || node.is<OtherNode>()) {
      SymbolSet used;
      collect_used_names(node, names, used);
      if (intersects(names, used, name)) return "the node " + who + " mentions '" + name + "'";
    }
    if (node.is_entry() && intersects(names_bound_by(node), all, name))
      return "the inner scope " + who + " gives '" + name + "' another meaning";
    if (const auto* tasklet = node.as<Tasklet>()) {
      SymbolSet used, words;
      collect_symbols(tasklet->code, names, used);
      if (!intersects(names, used, name)) continue;
      if (intersects(names_bound_by(node), all, name))
        return "tasklet " + who + " has a connector named '" + name + "'";
      if (intersects(differing, used, name))
        return "the code of tasklet " + who + " would compute the value of '" + name +
               "' otherwise";
      // A local variable of the code would capture the name. (One that is replaced is none.)
      collect_words(tasklet->code.text(), in_values, words);
      std::erase_if(words, [&](const std::string& word) { return used.contains(word); });
      if (!words.empty())
        return "the code of tasklet " + who + " mentions '" + *words.begin() + "'";
    }
  }
  return {};
}

}  // namespace sdfg
