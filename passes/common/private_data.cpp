#include "passes/common/private_data.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/graph_algorithms.h"
#include "ir/library_node.h"
#include "passes/common/certain_writes.h"

namespace sdfg {
namespace {

using Written = std::vector<Subset>;

bool covered(const Written& written, const std::optional<Subset>& read) {
  return read &&
         std::ranges::any_of(written, [&](const Subset& w) { return certain(covers(w, *read)); });
}

class Walk {
 public:
  Walk(const Sdfg& sdfg, const Region& region, std::string_view container)
      : sdfg_(sdfg), name_(container), data_(*sdfg.arrays.get(container)), known_{name_},
        changing_(assigned_symbols(region)) {}

  /// False when something may be read that has not been written; adds what certainly is.
  bool on_region(const Region& region, Written& written) {
    const auto first = start(region);
    if (!first) return false;
    std::size_t seen = 0;
    for (BlockId id = *first;; ) {
      ++seen;
      if (!on_block(region[id], written)) return false;
      const auto out = region.out(id);
      for (InterstateEdgeId e : out)
        if (reads_by_name(region[e]) && !covered(written, all_elements(data_))) return false;
      if (out.empty()) break;
      // Several ways: what is written on one of them is not certain, so none may touch it.
      if (out.size() > 1 || !region[out[0]].condition.always_true()) return false;
      id = region.target(out[0]);
      if (id == first || region.in(id).size() != 1) return false;
    }
    return seen == region.node_count();
  }

 private:
  bool on_block(const Block& block, Written& written) {
    SymbolSet names;
    collect_used_names(block, known_, names);
    if (names.contains(name_) && !covered(written, all_elements(data_))) return false;
    if (const auto* state = block.as<State>()) return on_state(*state, written);
    if (const auto* conditional = block.as<ConditionalBlock>()) {
      for (const Branch& branch : conditional->branches) {
        Written inside = written;
        if (touches(branch.region()) && !on_region(branch.region(), inside)) return false;
      }
      return true;
    }
    const Region* inner = block.region();
    if (!inner || !touches(*inner)) return true;
    // What a loop writes is not certain: it may not run.
    if (!block.is<LoopRegion>()) return on_region(*inner, written);
    Written inside = written;
    return on_region(*inner, inside);
  }

  bool reads_by_name(const InterstateEdge& edge) const {
    SymbolSet names;
    collect_symbols(edge.condition, known_, names);
    for (const auto& [target, value] : edge.assignments) collect_symbols(value, names);
    return names.contains(name_);
  }

  bool touches(const Region& region) const {
    for (BlockId id : region.nodes()) {
      const Block& block = region[id];
      SymbolSet names;
      collect_used_names(block, known_, names);
      if (names.contains(name_)) return true;
      if (const auto* state = block.as<State>()) {
        for (NodeId n : state->nodes()) {
          const auto* access = (*state)[n].as<AccessNode>();
          if (access && access->data == name_) return true;
          collect_used_names((*state)[n], known_, names);
        }
        for (EdgeId e : state->edges()) collect_used_names((*state)[e], known_, names);
        if (names.contains(name_)) return true;
      }
      if (const Region* inner = block.region(); inner && touches(*inner)) return true;
      if (const auto* conditional = block.as<ConditionalBlock>())
        for (const Branch& branch : conditional->branches)
          if (touches(branch.region())) return true;
    }
    for (InterstateEdgeId e : region.edges())
      if (reads_by_name(region[e])) return true;
    return false;
  }

  bool on_state(const State& state, Written& written) {
    const ScopeTree tree = scope_tree_of(state);
    SymbolSet names;
    for (NodeId n : state.nodes()) collect_used_names(state[n], known_, names);
    for (EdgeId e : state.edges()) collect_used_names(state[e], known_, names);
    if (names.contains(name_) && !covered(written, all_elements(data_))) return false;
    for (NodeId n : state.nodes_of<AccessNode>()) {
      const auto* access = state[n].as<AccessNode>();
      if (access->data != name_) continue;
      // Inside a scope each point reads and writes its own part, in an order of its own.
      if (tree.parent_of(n) || is_viewed(state, n)) return false;
      Written here = written;
      for (EdgeId e : state.in(n))
        if (auto box = certainly_written(sdfg_, state, e)) here.push_back(std::move(*box));
      for (EdgeId e : state.out(n))
        if (!state[e].memlet.empty() && !covered(here, state[e].memlet.src_subset)) return false;
      for (EdgeId e : state.in(n)) {
        // Combining with what is there reads it.
        if (combines(state, e) && !covered(written, state[e].memlet.dst_subset)) return false;
      }
    }
    for (NodeId n : state.nodes_of<AccessNode>()) {
      const auto* access = state[n].as<AccessNode>();
      if (access->data != name_) continue;
      for (EdgeId e : state.in(n))
        if (auto box = certainly_written(sdfg_, state, e); box && !changes(*box))
          written.push_back(std::move(*box));
    }
    return true;
  }

  bool combines(const State& state, EdgeId edge) const {
    return state[edge].memlet.wcr || std::ranges::any_of(path_leaves(state, edge), [&](EdgeId e) {
      const Node& source = state[state.source(e)];
      return source.is<LibraryNode>() && reads_its_output(source);
    });
  }

  /// May the subset be another one in a later state?
  bool changes(const Subset& subset) const {
    SymbolSet names;
    collect_symbols(subset, names);
    return std::ranges::any_of(names, [&](const auto& name) { return changing_.contains(name); });
  }

  bool is_viewed(const State& state, NodeId n) const {
    const auto views = [&](NodeId end) {
      const auto* access = state[end].as<AccessNode>();
      const Data* data = access ? sdfg_.arrays.get(access->data) : nullptr;
      return data && data->is_view();
    };
    return std::ranges::any_of(state.in(n),
                               [&](EdgeId e) { return views(path_source(state, e)); }) ||
           std::ranges::any_of(state.out(n),
                               [&](EdgeId e) { return views(path_target(state, e)); });
  }

  const Sdfg& sdfg_;
  const std::string name_;
  const Data& data_;
  const SymbolSet known_;
  const SymbolSet changing_;  ///< symbols that the region assigns
};

}  // namespace

bool written_before_read(const Sdfg& sdfg, const Region& region, std::string_view container) {
  Written written;
  return Walk(sdfg, region, container).on_region(region, written);
}

}  // namespace sdfg
