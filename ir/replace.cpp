#include "ir/replace.h"

#include <algorithm>

#include "ir/analysis/free_symbols.h"
#include "ir/analysis/scope_tree.h"
#include "ir/code_indices.h"
#include "ir/replacer.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

using detail::Replacer;

void replace(RareOptional<Code>& code, const Substitution& names) {
  if (code) *code = substitute(*code, names);
}

bool has_any(const Substitution& names, const auto& list) {
  return std::ranges::any_of(list, [&](const auto& name) { return names.contains(name); });
}
Substitution without(const Substitution& names, const auto& hidden) {
  Substitution rest = names;
  for (const auto& name : hidden) rest.erase(name);
  return rest;
}

std::vector<std::string> connector_names(const Connectors& connectors) {
  std::vector<std::string> out;
  for (const auto& [name, type] : connectors) out.push_back(name);
  return out;
}

/// Dynamic range inputs of an entry: symbols inside its scope and in its ranges.
bool is_range_input(std::string_view connector) { return !connector.starts_with("IN_"); }
std::vector<std::string> range_inputs(const Node& entry) {
  std::vector<std::string> out;
  for (const auto& [name, type] : entry.in_connectors)
    if (is_range_input(name)) out.push_back(name);
  return out;
}

/// Gives the locals of a tasklet's Python code that the replacements mention other names.
void rename_locals(const Node& node, Substitution& names) {
  const Code& code = node.as<Tasklet>()->code;
  if (!code.statements()) return;
  SymbolSet brought_in, taken, read;
  for (const auto& [name, value] : names) collect_symbols(value, brought_in);
  SymbolSet clashing = detail::assigned_names(*code.statements());
  std::erase_if(clashing, [&](const std::string& name) { return !brought_in.contains(name); });
  if (clashing.empty()) return;
  for_each_word(code.text(), [&](std::string_view word) { taken.emplace(word); });
  collect_code_symbols(node, read);
  taken.insert(brought_in.begin(), brought_in.end());
  for (const auto* connectors : {&node.in_connectors, &node.out_connectors})
    for (const auto& [name, type] : *connectors) taken.insert(name), read.insert(name);
  for (const std::string& name : clashing) {
    if (read.contains(name)) continue;
    std::string fresh = name;
    while (!taken.insert(fresh).second) fresh += "_";
    names.insert_or_assign(name, Expr::symbol(fresh));
  }
}

/// What the node itself evaluates, in the scope around it.
void replace(Node& node, Replacer& names) {
  if (auto* tasklet = node.as<Tasklet>()) {
    auto hidden = connector_names(node.in_connectors);
    for (const auto& [name, type] : node.out_connectors) hidden.push_back(name);
    Substitution here = detail::occurring_in(tasklet->code.text(), names.names());
    if (!here.empty()) {
      here = without(here, hidden);
      rename_locals(node, here);
      tasklet->code =
          names.types() ? substitute(tasklet->code, here, *names.types(), node.out_connectors)
                        : substitute(tasklet->code, here);
    }
    names(tasklet->location);
  } else if (auto* map = node.as<MapEntry>()) {
    // A range may use the parameters before it.
    std::vector<std::string> hidden = range_inputs(node);
    for (std::size_t d = 0; d < map->ranges.size(); ++d) {
      if (has_any(names.names(), hidden))
        map->ranges[d] = substitute(Subset{{map->ranges[d]}}, without(names.names(), hidden))[0];
      else
        names(map->ranges[d]);
      if (d < map->params.size()) hidden.push_back(map->params[d]);
    }
  } else if (auto* consume = node.as<ConsumeEntry>()) {
    names(consume->num_pes);
    replace(consume->condition, names.names());
  } else if (auto* nested = node.as<NestedSdfg>()) {
    names(nested->symbol_mapping);
    names(nested->location);
  } else if (auto* library = node.as<LibraryNode>()) {
    names(library->location);
  }
}
void replace(Memlet& memlet, Replacer& names) {
  names(memlet.src_subset);
  names(memlet.dst_subset);
  if (names(memlet.volume))
    if (const auto volume = memlet.volume.as_integer(); volume && *volume < 0) memlet.volume = 0;
  replace(memlet.wcr, names.names());
}

/// Of a scope's exit, its entry.
std::optional<NodeId> entry_of(const Node& node) {
  if (const auto* exit = node.as<MapExit>()) return exit->entry;
  if (const auto* exit = node.as<ConsumeExit>()) return exit->entry;
  return std::nullopt;
}

/// The scope in which an edge's memlet is evaluated.
NodeId scope_of_edge(const State& state, const ScopeTree& tree, EdgeId edge) {
  const NodeId from = state.source(edge);
  if (state[from].is_entry()) return from;
  const NodeId parent = tree.parent_of(from);
  return state[from].is_exit() ? tree.parent_of(parent) : parent;
}

/// Every name that means something in the state or is read there.
SymbolSet all_names(const State& state) {
  SymbolSet out;
  const auto words = [&](std::string_view text) {
    for_each_word(text, [&](std::string_view word) { out.emplace(word); });
  };
  for (NodeId n : state.nodes()) {
    const Node& node = state[n];
    for (const auto* connectors : {&node.in_connectors, &node.out_connectors})
      for (const auto& [name, type] : *connectors) out.insert(name);
    for (std::string& name : names_of_scope(node)) out.insert(std::move(name));
    if (const auto* access = node.as<AccessNode>()) {
      out.insert(access->data);
    } else if (const auto* tasklet = node.as<Tasklet>()) {
      words(tasklet->code.text());
    } else if (const auto* map = node.as<MapEntry>()) {
      for (const Range& r : map->ranges) collect_symbols(Subset{{r}}, out);
    } else if (const auto* consume = node.as<ConsumeEntry>()) {
      collect_symbols(consume->num_pes, out);
      if (consume->condition) words(consume->condition->text());
    } else if (const auto* nested = node.as<NestedSdfg>()) {
      for (const auto& [name, value] : nested->symbol_mapping) collect_symbols(value, out);
    }
  }
  for (EdgeId e : state.edges()) {
    const Memlet& memlet = state[e].memlet;
    for (const auto* subset : {&memlet.src_subset, &memlet.dst_subset})
      if (*subset) collect_symbols(**subset, out);
    collect_symbols(memlet.volume, out);
    if (memlet.wcr) words(memlet.wcr->text());
  }
  return out;
}

void replace_in_dataflow(State& state, Replacer& names) {
  bool hides = false;
  for (NodeId n : state.nodes())
    for (const std::string& name : names_of_scope(state[n])) hides = hides || names.mentions(name);
  if (!hides) {
    for (NodeId n : state.nodes()) replace(state[n], names);
    for (EdgeId e : state.edges()) replace(state[e].memlet, names);
    return;
  }

  const ScopeTree tree = scope_tree_of(state);
  rename_bound_names(state, names.brought_in());
  // By entry: what is left of the replacements inside.
  std::map<NodeId, Substitution> inside;
  std::map<NodeId, Replacer> replacers;
  const auto names_in = [&](NodeId scope) -> Replacer& {
    if (!scope) return names;
    if (const auto known = replacers.find(scope); known != replacers.end()) return known->second;
    std::vector<std::string> hidden;
    for (NodeId at = scope; at; at = tree.parent_of(at))
      for (std::string& name : names_of_scope(state[at])) hidden.push_back(std::move(name));
    if (!has_any(names.names(), hidden)) return names;
    const Substitution& left = inside[scope] = without(names.names(), hidden);
    return replacers.emplace(scope, Replacer(left, names.types())).first->second;
  };
  for (NodeId n : state.nodes()) replace(state[n], names_in(tree.parent_of(n)));
  for (EdgeId e : state.edges()) replace(state[e].memlet, names_in(scope_of_edge(state, tree, e)));
}

void replace_in_state(State& state, Replacer& names) {
  names(state.location);
  CodeIndices indices;
  indices.add(state);
  replace_in_dataflow(state, names);
  indices.settle();
}

void replace_in_block(Block& block, Replacer& names);
void replace_in_region(Region& region, Replacer& names) {
  for (BlockId b : region.nodes()) replace_in_block(region[b], names);
  for (InterstateEdgeId e : region.edges()) replace_symbols(region[e], names.names());
}

void replace_in_loop(LoopRegion& loop, Replacer& names) {
  replace(loop.init_statement, names.names());
  replace(loop.loop_condition, names.names());
  replace(loop.update_statement, names.names());
  replace_in_region(loop, names);
}

void replace_in_block(Block& block, Replacer& names) {
  if (auto* state = block.as<State>()) {
    replace_in_state(*state, names);
  } else if (auto* loop = block.as<LoopRegion>()) {
    // With an init statement the variable is the loop's own, but init is evaluated outside.
    if (!loop->init_statement || !names.names().contains(loop->loop_variable))
      return replace_in_loop(*loop, names);
    const Substitution inside = without(names.names(), std::vector{loop->loop_variable});
    Replacer in_loop(inside, names.types());
    replace_in_loop(*loop, in_loop);
  } else if (auto* region = block.as<ControlFlowRegion>()) {
    replace_in_region(*region, names);
  } else if (auto* conditional = block.as<ConditionalBlock>()) {
    for (Branch& branch : conditional->branches) {
      replace(branch.condition, names.names());
      replace_in_region(branch.region(), names);
    }
  }
}

}  // namespace

void replace_symbols(Memlet& memlet, const Substitution& names) {
  Replacer replacer(names);
  replace(memlet, replacer);
}

void replace_symbols(InterstateEdge& edge, const Substitution& names) {
  edge.condition = substitute(edge.condition, names);
  for (auto& [target, value] : edge.assignments) value = substitute_as_written(value, names);
}

void replace_symbols(Block& block, const Substitution& names, const ByName<Type>& types) {
  if (names.empty()) return;
  const SymbolTypes same{types, types};
  Replacer replacer(names, &same);
  replace_in_block(block, replacer);
}

void replace_symbols(Sdfg& sdfg, const Substitution& names) {
  replace_symbols(sdfg, names, {sdfg.symbols, sdfg.symbols});
}
void replace_symbols(Sdfg& sdfg, const Substitution& names, const SymbolTypes& types) {
  if (names.empty()) return;
  Replacer replacer(names, &types);
  for (auto& [name, data] : sdfg.arrays) detail::replace(data, replacer);
  replace_in_region(sdfg, replacer);
}

namespace {

/// Other names for some that clash: one for each, whichever scope binds it, so that scopes within
/// scopes keep apart what they kept apart.
class FreshNames {
 public:
  FreshNames(State& state, const SymbolSet& clashing) : state_(state), clashing_(clashing) {}

  Substitution rename(NodeId entry) {
    Substitution renamed;
    for (const std::string& name : names_of_scope(state_[entry])) {
      if (!clashing_.contains(name)) continue;
      const std::string& fresh = fresh_for(name);
      rename_parameter(state_, entry, name, fresh);
      renamed.emplace(name, Expr::symbol(fresh));
    }
    return renamed;
  }

 private:
  const std::string& fresh_for(const std::string& name) {
    if (taken_.empty()) taken_ = all_names(state_);
    const auto [known, is_new] = fresh_.try_emplace(name, name);
    std::string& fresh = known->second;
    while (is_new && (clashing_.contains(fresh) || !taken_.insert(fresh).second)) fresh += "_";
    return fresh;
  }

  State& state_;
  const SymbolSet& clashing_;
  SymbolSet taken_;  ///< all names of the state, once one is needed
  std::map<std::string, std::string> fresh_;
};

}  // namespace

std::vector<std::string> names_of_scope(const Node& entry) {
  if (!entry.is_entry()) return {};
  std::vector<std::string> out = range_inputs(entry);
  if (const auto* map = entry.as<MapEntry>())
    out.insert(out.end(), map->params.begin(), map->params.end());
  if (const auto* consume = entry.as<ConsumeEntry>()) out.push_back(consume->pe_index);
  return out;
}

SymbolSet names_of_scopes(const Sdfg& sdfg) {
  SymbolSet out;
  for_each_state(sdfg, [&](const State& state) {
    for (NodeId n : state.nodes())
      for (std::string& name : names_of_scope(state[n])) out.insert(std::move(name));
  });
  return out;
}

Substitution rename_bound_names(State& state, NodeId entry, const SymbolSet& clashing) {
  return FreshNames(state, clashing).rename(entry);
}

void rename_bound_names(State& state, const SymbolSet& clashing) {
  if (clashing.empty()) return;
  FreshNames names(state, clashing);
  for (NodeId n : state.nodes())
    if (state[n].is_entry()) names.rename(n);
}

void rename_parameter(State& state, NodeId entry, std::string_view from, const std::string& to) {
  const Substitution substitution{{std::string(from), Expr::symbol(to)}};
  Replacer name(substitution);
  auto* map = state[entry].as<MapEntry>();
  auto* consume = state[entry].as<ConsumeEntry>();
  if (map) {
    const auto param = std::ranges::find(map->params, from);
    for (auto d = std::size_t(param - map->params.begin()) + 1; d < map->ranges.size(); ++d)
      name(map->ranges[d]);
    if (param != map->params.end()) *param = to;
  } else if (consume && consume->pe_index == from) {
    consume->pe_index = to;
  }
  if (auto& inputs = state[entry].in_connectors; is_range_input(from) && inputs.contains(from)) {
    auto moved = inputs.extract(inputs.find(from));
    moved.key() = to;
    inputs.insert(std::move(moved));
    for (EdgeId e : state.in(entry))
      if (state[e].dst_connector == from) state[e].dst_connector = to;
    if (map)
      for (Range& r : map->ranges) name(r);
    if (consume) name(consume->num_pes);
  }
  const auto hides = [&](NodeId scope) {
    return std::ranges::count(names_of_scope(state[scope]), from) > 0;
  };
  // From the entry to the exit, so that the cost is that of the scope. `visible` says of each node
  // that was reached whether the name means the parameter there; a scope inside may bind it, too.
  std::map<NodeId, bool> visible{{entry, true}};
  std::vector<NodeId> waiting{entry};
  while (!waiting.empty()) {
    const NodeId n = waiting.back();
    waiting.pop_back();
    bool here = visible.at(n);
    if (const auto opened = entry_of(state[n]))
      here = visible.at(*opened);
    else if (n != entry && state[n].is_entry())
      here = here && !hides(n);
    for (EdgeId e : state.out(n)) {
      const NodeId next = state.target(e);
      if (here) replace(state[e].memlet, name);
      if (!visible.try_emplace(next, here).second) continue;
      if (here) replace(state[next], name);
      if (entry_of(state[next]) != entry) waiting.push_back(next);
    }
  }
}

void rename_symbol(Sdfg& sdfg, std::string_view from, const std::string& to) {
  if (const auto declared = sdfg.symbols.find(from); declared != sdfg.symbols.end()) {
    sdfg.symbols[to] = declared->second;
    sdfg.symbols.erase(std::string(from));
  }
  const Substitution name{{std::string(from), Expr::symbol(to)}};
  for_each_interstate_edge(sdfg, [&](InterstateEdge& edge) {
    if (edge.assignments.contains(from)) edge.assignments.rename(from, to);
  });
  for_each_block(sdfg, [&](Block& block) {
    auto* loop = block.as<LoopRegion>();
    if (!loop || loop->loop_variable != from) return;
    loop->loop_variable = to;
    // Hidden from replace_symbols below by its new name, so done here.
    Replacer replacer(name);
    replace_in_loop(*loop, replacer);
  });
  replace_symbols(sdfg, name);
}

Expr container_expr(std::string_view data) {
  const std::size_t dot = data.rfind('.');
  if (dot == std::string_view::npos) return Expr::symbol(data);
  return Expr::make(Op::Attribute, {container_expr(data.substr(0, dot))},
                    std::string(data.substr(dot + 1)));
}

namespace {

std::string renamed(const std::string& data, const Renaming& names) {
  if (const auto found = names.find(data); found != names.end()) return found->second;
  if (const std::size_t dot = data.find('.'); dot != std::string::npos)
    if (const auto found = names.find(std::string_view(data).substr(0, dot)); found != names.end())
      return found->second + data.substr(dot);
  return data;
}

Substitution as_symbols(const Renaming& names) {
  Substitution out;
  for (const auto& [from, to] : names) out.emplace(from, container_expr(to));
  return out;
}

/// `symbols` is the same renaming: subsets and nested symbol mappings may read scalars and arrays
/// by name.
void rename_data(State& state, const Renaming& names, Replacer& symbols) {
  for (NodeId n : state.nodes_of<AccessNode>()) {
    std::string& data = state.get<AccessNode>(n).data;
    data = renamed(data, names);
  }
  for (EdgeId e : state.edges()) {
    Memlet& memlet = state[e].memlet;
    if (!memlet.empty()) memlet.data = renamed(memlet.data, names);
  }
  replace_in_state(state, symbols);
}
}  // namespace

void rename_data(State& state, const Renaming& names) {
  const Substitution symbols = as_symbols(names);
  Replacer replacer(symbols);
  rename_data(state, names, replacer);
}

void rename_data(InterstateEdge& edge, const Renaming& names) {
  replace_symbols(edge, as_symbols(names));
}

namespace {
/// What the block itself says, but not the blocks inside.
void rename_data(Block& b, const Renaming& names, const Substitution& symbols, Replacer& replacer) {
  if (auto* state = b.as<State>()) {
    rename_data(*state, names, replacer);
    return;
  }
  if (auto* loop = b.as<LoopRegion>()) {
    replace(loop->init_statement, symbols);
    replace(loop->loop_condition, symbols);
    replace(loop->update_statement, symbols);
  }
  if (auto* conditional = b.as<ConditionalBlock>())
    for (Branch& branch : conditional->branches) replace(branch.condition, symbols);
  if (Region* region = b.region())
    for (InterstateEdgeId e : region->edges()) replace_symbols((*region)[e], symbols);
}
}  // namespace

void rename_data(Block& block, const Renaming& names) {
  if (names.empty()) return;
  const Substitution symbols = as_symbols(names);
  Replacer replacer(symbols);
  for_each_block_in(block, [&](Block& b) { rename_data(b, names, symbols, replacer); });
}

void rename_data(Region& region, const Renaming& names) {
  if (names.empty()) return;
  const Substitution symbols = as_symbols(names);
  Replacer replacer(symbols);
  for_each_block(region, [&](Block& b) { rename_data(b, names, symbols, replacer); });
  for (InterstateEdgeId e : region.edges()) replace_symbols(region[e], symbols);
}

}  // namespace sdfg
