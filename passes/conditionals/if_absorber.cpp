#include "passes/conditionals/if_absorber.h"

#include <algorithm>

#include "ir/hiding_names.h"
#include "passes/common/same_layout.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// What an edge brings in: equal texts, equal values.
std::string key(const State& state, EdgeId e) {
  const Memlet& memlet = state[e].memlet;
  if (memlet.empty() || !memlet.subset()) return {};
  const NodeId from = state.source(e);
  return (state[from].is_entry() ? "" : std::to_string(from.value)) + " " + memlet.data + "[" +
         to_text(*memlet.subset()) + "]";
}

}  // namespace

IfAbsorber::IfAbsorber(State& state, NodeId keeper, const IfShape& shape)
    : state_(state), keeper_(keeper), shape_(shape),
      connectors_(shape.connectors.begin(), shape.connectors.end()) {
  for (EdgeId e : state_.in(keeper_)) {
    remember_input(e);
    before_.insert(state_.source(e));
  }
  for (Branch& branch : shape_.conditional->branches) {
    const State& inside = *branch.region()[*branch.region().nodes().begin()].as<State>();
    for (NodeId n : inside.nodes()) remember_sources(inside, n);
  }
}

void IfAbsorber::remember_sources(const State& state, NodeId node) {
  if (const auto* access = state[node].as<AccessNode>(); access && state.in(node).empty())
    sources_[&state].emplace(access->data, node);
}

/// Names that would clash and cannot be changed.
Refusal IfAbsorber::check(const NestedSdfg& other, const IfShape& shape) {
  for (const std::string& connector : shape.connectors)
    if (inner().arrays.contains(connector))
      return "code in one uses a connector " + quoted(connector) +
             ", which is a container in the other";
  for (const auto& [name, constant] : (*other.sdfg)->constants) {
    const Constant* mine = inner().constants.get(name);
    const bool taken = inner().arrays.contains(name) || inner().symbols.contains(name);
    if (mine ? !(*mine == constant) : taken)
      return "the constant " + quoted(name) + " means something else in the other";
  }
  return {};
}

void IfAbsorber::absorb(NodeId node, const IfShape& shape) {
  NestedSdfg other = std::move(state_.get<NestedSdfg>(node));
  connectors_.insert(shape.connectors.begin(), shape.connectors.end());
  join_symbols(other);
  const Renaming names = join_containers(node, other);
  join_code(**other.sdfg);
  move_edges(node, names);
  for (std::size_t i = 0; i < shape.branches.size(); ++i)
    if (shape.branches[i]) join_branch(i, shape.conditional->branches[*shape.branches[i]], names);
  state_.erase(node);
}

void IfAbsorber::remember_input(EdgeId e) {
  const std::string& connector = state_[e].dst_connector;
  if (state_[keeper_].out_connectors.contains(connector)) return;
  if (std::string k = key(state_, e); !k.empty()) inputs_.emplace(std::move(k), connector);
}

std::string IfAbsorber::fresh(const std::string& base, const Sdfg& other) {
  const auto is_free = [&](const std::string& name) {
    return !inner().arrays.contains(name) && !inner().symbols.contains(name) &&
           !inner().constants.contains(name) && !nested().symbol_mapping.contains(name) &&
           !connectors_.contains(name) && !other.symbols.contains(name);
  };
  if (is_free(base)) return base;
  std::size_t& next = next_[base];
  for (;; ++next)
    if (std::string name = base + "_" + std::to_string(next); is_free(name)) return ++next, name;
}

void IfAbsorber::finish() {
  for (Branch& branch : shape_.conditional->branches) {
    Region& region = branch.region();
    rename_hiding_names(inner(), *region[*region.nodes().begin()].as<State>());
  }
}

/// A symbol with another value or type here gets another name.
void IfAbsorber::join_symbols(NestedSdfg& other) {
  Sdfg& from = **other.sdfg;
  const auto mapping = other.symbol_mapping;
  const auto same_type = [&](const std::string& name) {
    const auto mine = inner().symbols.find(name), theirs = from.symbols.find(name);
    return mine == inner().symbols.end() || theirs == from.symbols.end() ||
           mine->second == theirs->second;
  };
  for (const auto& [name, value] : mapping) {
    const auto mine = nested().symbol_mapping.find(name);
    std::string here = name;
    if (mine != nested().symbol_mapping.end() && mine->second == value && same_type(name))
      continue;
    if (mine != nested().symbol_mapping.end() || inner().arrays.contains(name) ||
        inner().constants.contains(name) || connectors_.contains(name)) {
      here = name;
      do here += "_";
      while (from.symbols.contains(here) || from.arrays.contains(here) ||
             inner().symbols.contains(here) || inner().arrays.contains(here) ||
             mapping.contains(here) || connectors_.contains(here));
      rename_symbol(from, name, here);
    }
    nested().symbol_mapping.emplace(here, value);
    if (const auto type = from.symbols.find(here); type != from.symbols.end())
      inner().symbols.emplace(here, type->second);
  }
}

Renaming IfAbsorber::join_containers(NodeId node, NestedSdfg& other) {
  Renaming names;
  shared_.clear();
  for (EdgeId e : state_.in(node)) {
    const std::string& connector = state_[e].dst_connector;
    const auto mine = inputs_.find(key(state_, e));
    if (mine == inputs_.end() || state_[node].out_connectors.contains(connector)) continue;
    const Data& theirs = (*other.sdfg)->arrays.at(connector);
    const Data& ours = inner().arrays.at(mine->second);
    if (!same_layout(theirs, ours)) continue;
    names[connector] = mine->second;
    shared_.insert(mine->second);
  }
  for (auto& [name, data] : (*other.sdfg)->arrays) {
    if (names.contains(name)) continue;
    const std::string here = fresh(name, **other.sdfg);
    names[name] = here;
    inner().arrays.insert(here, std::move(data));
  }
  return names;
}

void IfAbsorber::join_code(Sdfg& other) {
  for (auto& [name, constant] : other.constants)
    inner().constants.insert(name, std::move(constant));
  const auto join = [](std::map<std::string, Code>& into, const std::map<std::string, Code>& from) {
    for (const auto& [where, code] : from) {
      Code& all = into[where];
      if (all.empty())
        all = code;
      else if (all.text().find(code.text()) == std::string::npos)
        all = Code(all.text() + "\n" + code.text(), all.language());
    }
  };
  join(inner().global_code, other.global_code);
  join(inner().init_code, other.init_code);
  join(inner().exit_code, other.exit_code);
  inner().callback_mapping.merge(other.callback_mapping);
}

void IfAbsorber::move_edges(NodeId node, const Renaming& names) {
  const std::vector<EdgeId> in(state_.in(node).begin(), state_.in(node).end());
  std::vector<EdgeId> arrived;
  for (EdgeId e : in) {
    if (state_[e].memlet.empty()) {
      if (before_.insert(state_.source(e)).second) state_.set_target(e, keeper_);
      continue;
    }
    const std::string here = names.at(state_[e].dst_connector);
    if (shared_.contains(here)) continue;
    const Type& type = state_[node].in_connectors[state_[e].dst_connector];
    state_[keeper_].in_connectors.emplace(here, type);
    state_[e].dst_connector = here;
    state_.set_target(e, keeper_);
    before_.insert(state_.source(e));
    arrived.push_back(e);
  }
  const std::vector<EdgeId> out(state_.out(node).begin(), state_.out(node).end());
  for (EdgeId e : out) {
    if (!state_[e].memlet.empty()) {
      const std::string here = names.at(state_[e].src_connector);
      state_[keeper_].out_connectors.emplace(here,
                                             state_[node].out_connectors[state_[e].src_connector]);
      state_[e].src_connector = here;
    }
    state_.set_source(e, keeper_);
  }
  for (EdgeId e : arrived) remember_input(e);
}

void IfAbsorber::join_branch(std::size_t role, Branch& theirs, const Renaming& names) {
  rename_data(theirs.block, names);
  auto& mine = shape_.branches[role];
  if (mine) {
    Region& region = shape_.conditional->branches[*mine].region();
    Region& other = theirs.region();
    join_states(*region[*region.nodes().begin()].as<State>(),
                *other[*other.nodes().begin()].as<State>());
    return;
  }
  // A two-way if that lacked this branch: it runs when the other does not.
  mine = shape_.conditional->branches.size();
  theirs.condition.reset();
  for (const Branch& branch : shape_.conditional->branches)
    if (branch.block.label == theirs.block.label) theirs.block.label += "_else";
  shape_.conditional->branches.push_back(std::move(theirs));
  Region& region = shape_.conditional->branches.back().region();
  const State& inside = *region[*region.nodes().begin()].as<State>();
  for (NodeId n : inside.nodes()) remember_sources(inside, n);
}

/// Inputs that both read get one access node.
void IfAbsorber::join_states(State& into, State& from) {
  const std::map<std::string, NodeId>& sources = sources_[&into];
  std::vector<NodeId> moved(from.id_bound()), added;
  for (NodeId n : from.nodes()) {
    const auto* access = from[n].as<AccessNode>();
    const auto same = access && shared_.contains(access->data) ? sources.find(access->data)
                                                               : sources.end();
    if (same != sources.end() && from.in(n).empty()) {
      moved[n.value] = same->second;
      continue;
    }
    moved[n.value] = into.add(std::move(from[n]));
    added.push_back(moved[n.value]);
  }
  for (NodeId n : added) {
    if (auto* exit = into[n].as<MapExit>()) exit->entry = moved[exit->entry.value];
    if (auto* exit = into[n].as<ConsumeExit>()) exit->entry = moved[exit->entry.value];
    if (auto* other = into[n].as<OtherNode>(); other && other->entry)
      other->entry = moved[other->entry->value];
  }
  for (EdgeId e : from.edges())
    into.connect(moved[from.source(e).value], moved[from.target(e).value], std::move(from[e]));
  for (NodeId n : moved)
    if (n != NodeId{}) remember_sources(into, n);
}

}  // namespace sdfg
