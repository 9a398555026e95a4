#include "passes/simplify/dead_dataflow_elimination.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>

#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/graph_algorithms.h"
#include "ir/walk.h"
#include "passes/common/side_effects.h"
#include "passes/simplify/dead_dataflow.h"

namespace sdfg::dead_dataflow {

// ---- Reads.

void Reads::change(Container c, int by) {
  count_[c] += by;
  if (logging_) log_.push_back({c, by});
}

std::vector<Reads::Change> Reads::take_back(std::size_t mark) {
  std::vector<Change> undone(log_.begin() + std::ptrdiff_t(mark), log_.end());
  for (const Change& change : undone) count_[change.container] -= change.by;
  log_.resize(mark);
  return undone;
}

// ---- One SDFG.

Program::Program(Sdfg& sdfg, SideEffects& effects, LazyAliases& aliases, PassContext& context,
                 std::size_t& promised)
    : sdfg_(sdfg),
      effects_(effects),
      aliases_(aliases),
      context_(context),
      promised_(promised),
      reads_(sdfg.arrays.size()) {
  names_.reserve(sdfg_.arrays.size());
  index_.reserve(sdfg_.arrays.size());
  for (const auto& [name, data] : sdfg_.arrays) {
    index_.add(name, Container(names_.size()));
    names_.push_back(name);
  }
  pinned_.assign(names_.size(), false);
}

Changed Program::run(const SymbolSet* needed_outside, const Trail& trail) {
  bool unknown = false;
  for_each_block(sdfg_, [&](const Block& b) { unknown = unknown || b.is<OtherBlock>(); });
  if (unknown) {
    context_.refused(trail, "a block of an unknown kind may read anything");
    pin_all();
  }
  pin_declared(needed_outside);
  pin_named();
  for_each_state(sdfg_, [&](State& state) { pin_in_state(state); });
  measure(sdfg_);
  on_region(sdfg_, trail);
  uses_ = find_uses();
  remove_containers(trail);
  return changed_;
}

Container Program::container(std::string_view data) const {
  const auto name_at = [&](Container c) -> std::string_view { return names_[c]; };
  return index_.find(data.substr(0, data.find('.')), name_at);
}

void Program::pin_declared(const SymbolSet* needed_outside) {
  for (const auto& [name, data] : sdfg_.arrays) {
    const Array* array = data.as_array();
    const bool simple = (array && !std::holds_alternative<ContainerArray>(data.kind)) ||
                        data.is_scalar() || data.is_stream();
    const bool outside = !data.transient && (!needed_outside || needed_outside->contains(name) ||
                                             (array && array->may_alias));
    if (!simple || data.is_reference() || outlives_run(data) || outside) pin(container(name));
    has_streams_ = has_streams_ || data.is_stream();
  }
}

/// What is read by name, wherever that is, counts everywhere.
void Program::pin_named() {
  named_ = containers_read_by_name(sdfg_);
  for (const std::string& name : named_) pin(container(name));
}

/// References make what they point to readable at any time; so does a view of nobody knows what.
void Program::pin_in_state(const State& state) {
  bool all = false;
  for (NodeId n : state.nodes_of<AccessNode>()) {
    const auto* access = state[n].as<AccessNode>();
    const Data* data = sdfg_.find_data(access->data);
    all = all || !data || data->is_reference() ||
          (data->is_view() && !accessed_container(sdfg_, state, n));
    if (data && data->is_stream() && !state.out(n).empty()) pin(container(access->data));
    if (access->setzero || access->instrument != DataInstrumentation::None)
      pin(container(access->data));
  }
  if (!all) return;
  for (NodeId n : state.nodes())
    if (const auto* access = state[n].as<AccessNode>()) pin(container(access->data));
}

/// How large regions are, for the order in which branches are visited.
std::size_t Program::measure(const Region& region) {
  std::size_t size = 1;
  for (BlockId b : region.nodes()) {
    if (const auto* state = region[b].as<State>()) size += state->node_count();
    if (const Region* inner = region[b].region()) size += measure(*inner);
    if (const auto* conditional = region[b].as<ConditionalBlock>())
      for (const Branch& branch : conditional->branches) size += measure(branch.region());
  }
  return sizes_[&region] = size;
}

// ---- Backward through the control flow.

void Program::on_region(Region& region, const Trail& trail) {
  const std::vector<std::size_t> component = strong_components(region);
  std::vector<BlockId> blocks;
  std::map<std::size_t, std::size_t> members;
  for (BlockId b : region.nodes()) blocks.push_back(b), ++members[component[b.value]];
  std::ranges::stable_sort(blocks, std::greater{}, [&](BlockId b) { return component[b.value]; });
  std::size_t current = ~std::size_t(0);
  bool cyclic = false;
  const bool was_in_loop = in_loop_;
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    const BlockId b = blocks[at];
    if (component[b.value] != current || at == 0) {
      current = component[b.value];
      cyclic = members[current] > 1 || std::ranges::any_of(region.out(b), [&](auto e) {
                 return region.target(e) == b;
               });
      if (cyclic && !was_in_loop)
        for (std::size_t k = at; k < blocks.size() && component[blocks[k].value] == current; ++k)
          add_reads(region[blocks[k]]);
    }
    in_loop_ = was_in_loop || cyclic;
    on_block(region[b], trail.in(region[b]));
  }
  in_loop_ = was_in_loop;
}

void Program::on_block(Block& block, const Trail& trail) {
  if (auto* state = block.as<State>()) {
    on_state(*state, trail);
  } else if (auto* conditional = block.as<ConditionalBlock>()) {
    on_conditional(*conditional, trail);
  } else if (Region* region = block.region()) {
    const bool was_in_loop = in_loop_;
    if (block.is<LoopRegion>() && !in_loop_) add_reads(block), in_loop_ = true;
    on_region(*region, trail);
    in_loop_ = was_in_loop;
  }
}

/// No branch sees the reads of another. Those of the largest need not be taken back, because it
/// comes last; so each read is moved a logarithmic number of times at most.
void Program::on_conditional(ConditionalBlock& conditional, const Trail& trail) {
  std::vector<Branch*> branches;
  for (Branch& branch : conditional.branches) branches.push_back(&branch);
  std::ranges::stable_sort(branches, {}, [&](Branch* b) { return sizes_.at(&b->region()); });
  std::vector<Reads::Change> others;
  for (Branch* branch : branches) {
    if (in_loop_ || branch == branches.back()) {
      on_region(branch->region(), trail.in(branch->block));
      continue;
    }
    const Reads::Logging log(reads_);
    const std::size_t mark = reads_.mark();
    on_region(branch->region(), trail.in(branch->block));
    const auto undone = reads_.take_back(mark);
    others.insert(others.end(), undone.begin(), undone.end());
  }
  for (const Reads::Change& change : others) reads_.change(change.container, change.by);
}

void Program::add_reads(const Block& block) {
  for_each_block_in(block, [&](const Block& b) {
    if (const auto* state = b.as<State>())
      for (Container c : reads_of(*state)) reads_.change(c, 1);
  });
}

/// What a node's reads through its access node count for: its container, and the one it views.
std::vector<Container> Program::counted(const State& state, NodeId access) const {
  std::vector<Container> out{container(state.get<AccessNode>(access).data)};
  const Data* data = sdfg_.find_data(state.get<AccessNode>(access).data);
  if (data && data->is_view())
    if (const auto viewed = accessed_container(sdfg_, state, access))
      out.push_back(container(*viewed));
  std::erase(out, none);
  return out;
}

std::vector<Container> Program::reads_of(const State& state) const {
  std::vector<Container> out;
  for (NodeId n : state.nodes()) {
    if (!state[n].is<AccessNode>() || !is_read(sdfg_, state, n)) continue;
    const auto containers = counted(state, n);
    out.insert(out.end(), containers.begin(), containers.end());
  }
  return out;
}

namespace {

/// A topological order in which what code and scopes write stands right behind the last of its
/// writers: there it happens, whatever waits for the access node.
std::vector<NodeId> order_of_accesses(const State& state, const std::vector<NodeId>& order) {
  std::vector<NodeId> out;
  std::vector<std::size_t> writers(state.id_bound());
  std::vector<bool> placed(state.id_bound());
  for (NodeId n : order) {
    if (placed[n.value]) continue;
    placed[n.value] = true;
    out.push_back(n);
    if (state[n].is<AccessNode>()) continue;
    for (EdgeId e : state.out(n)) {
      const NodeId written = state.target(e);
      if (!state[written].is<AccessNode>() ||
          ++writers[written.value] < state.in(written).size() || placed[written.value])
        continue;
      placed[written.value] = true;
      out.push_back(written);
    }
  }
  return out;
}

}  // namespace

void Program::on_state(State& state, const Trail& trail) {
  auto [order, tree] = dataflow_of(state);
  changed_ |= Sweep(*this, state, std::move(tree), order_of_accesses(state, order), trail).run();
}

// ---- What is left.

Uses Program::find_uses() const {
  Uses out{std::vector<bool>(names_.size()), std::vector<bool>(names_.size())};
  const auto add = [&](std::vector<bool>& to, std::string_view name) {
    if (const Container c = container(name); c != none) to[c] = true;
  };
  for (const std::string& name : changed_ == Changed::Yes ? containers_read_by_name(sdfg_) : named_)
    add(out.mentioned, name);
  for_each_node(sdfg_, [&](const Node& node, const State& state, NodeId n) {
    const auto* access = node.as<AccessNode>();
    if (!access) return;
    const bool written = access->setzero || std::ranges::any_of(state.in(n), [&](EdgeId e) {
      return carries_data(state[e]);
    });
    if (written) add(out.written, access->data);
    add(out.mentioned, access->data);
    const Data* data = sdfg_.find_data(access->data);
    out.anything = out.anything || !data || data->is_reference();
  });
  for_each_edge(sdfg_, [&](const Edge& e) {
    if (!e.memlet.empty()) add(out.mentioned, e.memlet.data);
  });
  return out;
}

void Program::remove_containers(const Trail& trail) {
  sdfg_.arrays.erase_if([&](const auto& entry) {
    const Data& data = entry.second;
    if (!data.transient || mentions(entry.first) || !may_drop()) return false;
    context_.applied(trail, "container '" + entry.first + "' is not used");
    changed_ = Changed::Yes;
    return true;
  });
}

}  // namespace sdfg::dead_dataflow

namespace sdfg {

Result<Changed> DeadDataflowElimination::run(Sdfg& sdfg, const Options&, PassContext& context) {
  SideEffects effects;
  LazyAliases aliases(sdfg);
  std::size_t promised = 0;
  return dead_dataflow::Program(sdfg, effects, aliases, context, promised).run(nullptr, {});
}

}  // namespace sdfg
