#include "passes/conditionals/if_bodies.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/used_names.h"

namespace sdfg {
namespace {

bool has_conditional(const Region& region) {
  return std::ranges::any_of(region.nodes(), [&](BlockId b) {
    const auto* inner = region[b].as<ControlFlowRegion>();
    return region[b].is<ConditionalBlock>() || (inner && has_conditional(*inner));
  });
}

/// Finds the places and who uses which connector where.
class UseFinder {
 public:
  using Index = PlaceTree::Index;
  UseFinder(PlaceTree& tree, std::vector<IfBodies::Branch>& branches, std::size_t body, IfBody& out)
      : tree_(tree), branches_(branches), body_(body), out_(out) {}

  void run(State& state, NodeId node) {
    NestedSdfg& nested = state.get<NestedSdfg>(node);
    Sdfg& inner = **nested.sdfg;
    for (const auto& [name, type] : state[node].in_connectors)
      if (!state[node].out_connectors.contains(name) && inner.arrays.contains(name))
        inputs_.insert(name);
    SymbolSet names;
    for (const auto& [name, data] : inner.arrays) collect_used_names(data, inputs_, names);
    fix(names);
    on_region(inner, out_.inside, false);
    for (const std::string& name : fixed_) out_.inputs.erase(name);
  }

 private:
  void use(const std::string& name, Index place) {
    if (!inputs_.contains(name)) return;
    const auto [at, first] = out_.inputs.emplace(name, place);
    if (!first) at->second = tree_.common(at->second, place);
  }
  void use(const SymbolSet& names, Index place) {
    for (const std::string& name : names) use(name, place);
  }
  void fix(const SymbolSet& names) { fixed_.insert(names.begin(), names.end()); }

  void on_region(Region& region, Index place, bool repeats) {
    for (InterstateEdgeId e : region.edges()) {
      SymbolSet names;
      collect_symbols(region[e].condition, inputs_, names);
      for (const auto& [symbol, value] : region[e].assignments) collect_symbols(value, names);
      use(names, place);
    }
    for (BlockId b : region.nodes()) on_block(region[b], place, repeats);
  }

  void on_block(Block& block, Index place, bool repeats) {
    SymbolSet names;
    collect_used_names(block, inputs_, names);
    use(names, place);
    if (auto* state = block.as<State>()) return on_state(*state, place);
    if (auto* loop = block.as<LoopRegion>()) return on_region(*loop, place, true);
    if (auto* region = block.as<ControlFlowRegion>()) return on_region(*region, place, repeats);
    auto* conditional = block.as<ConditionalBlock>();
    if (!conditional) return;
    for (Branch& branch : conditional->branches) {
      Index inner = place;
      if (!repeats) {
        inner = tree_.add(place);
        branches_.push_back({body_, &branch.region(), branch.block.label});
      }
      on_region(branch.region(), inner, repeats);
    }
  }

  /// A container that is read by name inside a state would have to be there before the state
  /// begins.
  void on_state(const State& state, Index place) {
    SymbolSet names;
    for (NodeId n : state.nodes()) {
      if (const auto* access = state[n].as<AccessNode>()) {
        use(access->data, place);
        if (!state.in(n).empty() && inputs_.contains(access->data)) fixed_.insert(access->data);
        continue;
      }
      collect_used_names(state[n], inputs_, names);
      if (state[n].is<Tasklet>())
        for (const auto* connectors : {&state[n].in_connectors, &state[n].out_connectors})
          for (const auto& [name, type] : *connectors) out_.taken.insert(name);
    }
    for (EdgeId e : state.edges()) collect_used_names(state[e], inputs_, names);
    fix(names);
  }

  PlaceTree& tree_;
  std::vector<IfBodies::Branch>& branches_;
  std::size_t body_;
  IfBody& out_;
  SymbolSet inputs_, fixed_;
};

}  // namespace

bool IfBodies::chooses(const NestedSdfg& nested) {
  return nested.sdfg && nested.instrument == Instrumentation::None &&
         has_conditional(**nested.sdfg);
}

const IfBody& IfBodies::add(const Sdfg& sdfg, State& state, NodeId node,
                            PlaceTree::Index home) {
  const std::size_t index = bodies_.size();
  IfBody body;
  body.node = node;
  body.inside = tree_.add(home);
  branches_.push_back({index, nullptr});
  UseFinder(tree_, branches_, index, body).run(state, node);
  by_node_.emplace(node.value, index);
  bodies_.push_back(std::move(body));
  add_bound_names(sdfg, state.get<NestedSdfg>(node), bodies_.back());
  return bodies_.back();
}

const IfBody* IfBodies::find(NodeId node) const {
  const auto found = by_node_.find(node.value);
  return found == by_node_.end() ? nullptr : &bodies_[found->second];
}

void IfBodies::add_bound_names(const Sdfg& sdfg, const NestedSdfg& nested, const IfBody& body) {
  const Sdfg& inner = **nested.sdfg;
  const auto bind = [&](const std::string& name) { block(bound_, name, body.inside); };
  for (const auto& [name, data] : inner.arrays) bind(name);
  for (const auto& [name, constant] : inner.constants)
    if (const Constant* same = sdfg.constants.get(name); !same || !(*same == constant)) bind(name);
  for (const auto& [name, value] : nested.symbol_mapping)
    if (!value.is_symbol(name)) bind(name);
  // Symbols that the inside gives values of its own.
  SymbolSet assigned = assigned_symbols(inner);
  for (const auto& [name, type] : inner.symbols)
    if (!nested.symbol_mapping.contains(name)) assigned.insert(name);
  for (const std::string& name : assigned) bind(name);
}

void IfBodies::block(BlockersOf& all, const std::string& name, PlaceTree::Index inside) {
  if (outside(all, name, inside) != inside) return;
  Blockers& of = all[name];
  of.ifs.insert(inside);
  of.depths.insert(tree_.depth(inside));
}

PlaceTree::Index IfBodies::outside(const BlockersOf& all, std::string_view name,
                                   PlaceTree::Index place) const {
  const auto found = all.find(std::string(name));
  if (found == all.end()) return place;
  for (const std::uint32_t depth : found->second.depths) {
    if (depth > tree_.depth(place)) break;
    const PlaceTree::Index around = tree_.at_depth(place, depth);
    if (found->second.ifs.contains(around)) return tree_.parent(around);
  }
  return place;
}

PlaceTree::Index IfBodies::where_visible(std::string_view name, PlaceTree::Index place) const {
  return outside(bound_, name, place);
}
PlaceTree::Index IfBodies::where_unwritten(std::string_view container,
                                           PlaceTree::Index place) const {
  return outside(writes_, container, place);
}

}  // namespace sdfg
