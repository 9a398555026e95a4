#include "passes/common/private_data.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/used_names.h"
#include "ir/graph_algorithms.h"
#include "ir/library_node.h"

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
      if (out.size() > 1 || !region[out[0]].condition.always_true() ||
          region.in(region.target(out[0])).size() != 1)
        return false;
      id = region.target(out[0]);
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
      for (EdgeId e : state.in(n)) add_write(state, e, here);
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
      Written added;
      for (EdgeId e : state.in(n)) add_write(state, e, added);
      for (Subset& subset : added)
        if (!changes(subset)) written.push_back(std::move(subset));
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

  /// What an edge into the container's access node certainly writes.
  void add_write(const State& state, EdgeId edge, Written& written) {
    const Memlet& memlet = state[edge].memlet;
    if (memlet.empty() || memlet.dynamic || memlet.wcr || !memlet.dst_subset) return;
    const Node& source = state[state.source(edge)];
    if (source.is<Tasklet>()) {
      // A tasklet may skip elements of a range.
      if (num_elements(*memlet.dst_subset) == Expr(1)) written.push_back(*memlet.dst_subset);
    } else if (source.is<AccessNode>() ||
               (source.is<LibraryNode>() && !reads_its_output(source))) {
      written.push_back(*memlet.dst_subset);
    } else if (source.is<MapExit>()) {
      if (auto all = written_by_map(state, edge)) written.push_back(std::move(*all));
    }
  }

  /// A map around one tasklet that writes A[p + a, q + b, …] writes a box, one element per point.
  std::optional<Subset> written_by_map(const State& state, EdgeId edge) const {
    const auto leaves = path_leaves(state, edge);
    if (leaves.size() != 1) return std::nullopt;
    const EdgeId leaf = leaves[0];
    const Memlet& memlet = state[leaf].memlet;
    const auto* exit = state[state.target(leaf)].as<MapExit>();
    if (!exit || state.target(leaf) != state.source(edge) || memlet.dynamic || memlet.wcr ||
        !memlet.dst_subset || !state[state.source(leaf)].is<Tasklet>())
      return std::nullopt;
    const auto& map = state.get<MapEntry>(exit->entry);
    for (const auto& [name, type] : state[exit->entry].in_connectors)
      if (!name.starts_with("IN_")) return std::nullopt;
    Subset all = *memlet.dst_subset;
    SymbolSet used;
    for (Range& range : all.ranges) {
      if (!range.is_index()) return std::nullopt;
      std::size_t params = 0;
      const Expr index = range.begin;
      for (std::size_t p = 0; p < map.params.size(); ++p) {
        if (!uses_symbol(index, map.params[p])) continue;
        const auto affine = match_affine(index, map.params[p]);
        if (!affine || !(affine->coefficient == Expr(1)) || !(map.ranges[p].step == Expr(1)) ||
            ++params > 1 || !used.insert(map.params[p]).second)
          return std::nullopt;
        range = {map.ranges[p].begin + affine->rest, map.ranges[p].end + affine->rest};
      }
    }
    // A parameter that chooses no element only matters when it has no values.
    for (std::size_t p = 0; p < map.params.size(); ++p) {
      SymbolSet names;
      collect_symbols(Subset{{map.ranges[p]}}, names);
      for (const std::string& q : map.params)
        if (names.contains(q)) return std::nullopt;
      if (!used.contains(map.params[p]) &&
          !certain(less_equal(map.ranges[p].begin, map.ranges[p].end)))
        return std::nullopt;
    }
    return all;
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
