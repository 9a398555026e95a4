#include "passes/common/certain_writes.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/window.h"
#include "ir/expr_symbols.h"
#include "ir/graph_algorithms.h"
#include "ir/library_node.h"
#include "ir/replace.h"
#include "passes/common/blocks.h"
#include "passes/common/copy.h"
#include "passes/common/loop_range.h"
#include "passes/common/relayout.h"

namespace sdfg {
namespace {

using Boxes = std::vector<Subset>;

/// A budget: so many SDFGs within one another are looked into.
constexpr int most_levels = 4;

std::optional<Subset> written_by(const Sdfg& sdfg, const State& state, EdgeId edge,
                                 const Assumptions& known, int level);

/// Does each point of the map give an own element in this dimension, one after the other?
bool follows(const Range& range, const std::string& param) {
  if (!range.is_index()) return false;
  const auto affine = match_affine(range.begin, param);
  return affine && (affine->coefficient == Expr(1) || affine->coefficient == Expr(-1));
}

/// Does a map, going through all its points, touch every element of the box around what one point
/// touches? A parameter that none of them depends on must have values.
bool fills_its_image(const Subset& subset, const std::vector<std::string>& params,
                     const std::vector<Range>& ranges, const Assumptions& known) {
  std::vector<bool> used(subset.rank());
  for (std::size_t p = 0; p < params.size(); ++p) {
    if (ranges[p].step != Expr(1) || ranges[p].tile != Expr(1)) return false;
    std::size_t dims = 0;
    for (std::size_t d = 0; d < subset.rank(); ++d) {
      const Range& r = subset[d];
      if (!uses_symbol(r.begin, params[p]) && !uses_symbol(r.end, params[p])) continue;
      if (used[d] || !follows(r, params[p])) return false;
      used[d] = true;
      ++dims;
    }
    if (dims > 1) return false;
    if (dims == 0 && !certain(less_equal(ranges[p].begin, ranges[p].end, known))) return false;
  }
  return true;
}

/// What is written by all points of a map or loop together, if that is a box.
std::optional<Subset> filled(const Subset& subset, const std::vector<std::string>& params,
                             const std::vector<Range>& ranges, const Assumptions& known) {
  if (!fills_its_image(subset, params, ranges, known)) return std::nullopt;
  Subset out;
  for (auto& range : image(subset, params, ranges, known)) {
    if (!range) return std::nullopt;
    out.ranges.push_back(std::move(*range));
  }
  return out;
}

bool mentions_any(const Subset& subset, const SymbolSet& names) {
  return std::ranges::any_of(subset.ranges, [&](const Range& r) {
    return uses_any(r.begin, names) || uses_any(r.end, names) || uses_any(r.step, names);
  });
}

/// What an SDFG certainly writes of one of its containers whenever it runs, in terms of what the
/// symbols are where it starts. Looks at what comes one after the other.
class Inside {
 public:
  Inside(const Sdfg& sdfg, const std::string& name, int level)
      : sdfg_(sdfg), name_(name), level_(level) {}

  /// By a region of it.
  Boxes of(const Region& region) {
    Boxes out;
    on_region(region, out);
    if (out.empty()) return out;
    const SymbolSet changing = assigned_symbols(sdfg_);
    std::erase_if(out, [&](const Subset& box) { return mentions_any(box, changing); });
    return out;
  }

 private:
  void on_region(const Region& region, Boxes& out) {
    const std::optional<BlockId> first = start(region);
    if (!first) return;
    for (BlockId at = *first;;) {
      on_block(region[at], out);
      // Only forward: a chain of blocks that each has one way in.
      const auto next = region.out(at);
      if (may_jump(region[at]) || next.size() != 1 || !region[next[0]].condition.always_true())
        return;
      at = region.target(next[0]);
      if (at == *first || region.in(at).size() != 1) return;
    }
  }

  void on_block(const Block& block, Boxes& out) {
    if (const auto* state = block.as<State>()) {
      on_state(*state, out);
    } else if (const auto* loop = block.as<LoopRegion>()) {
      on_loop(*loop, out);
    } else if (const auto* conditional = block.as<ConditionalBlock>()) {
      on_conditional(*conditional, out);
    } else if (const Region* inner = block.region()) {
      on_region(*inner, out);
    }
  }

  void on_state(const State& state, Boxes& out) {
    std::optional<ScopeTree> tree;
    for (NodeId n : state.nodes_of<AccessNode>()) {
      if (state.get<AccessNode>(n).data != name_ || state.in(n).empty()) continue;
      if (!tree) tree = scope_tree_of(state);
      // Inside of a scope there may be no points.
      if (tree->parent_of(n)) continue;
      for (EdgeId e : state.in(n))
        if (auto box = written_by(sdfg_, state, e, {}, level_)) out.push_back(std::move(*box));
    }
  }

  void on_loop(const LoopRegion& loop, Boxes& out) {
    Boxes body;
    on_region(loop, body);
    if (body.empty() || find_jump(loop)) return;
    const auto range = LoopRanges(sdfg_).of(loop);
    if (!range || check_values(loop, *range)) return;
    for (const Subset& box : body)
      if (auto all = filled(box, {range->variable}, {range->tested_first({}).ascending()}, {}))
        out.push_back(std::move(*all));
  }

  /// What each branch writes, if one of them always runs.
  void on_conditional(const ConditionalBlock& conditional, Boxes& out) {
    const auto& branches = conditional.branches;
    if (branches.empty() || branches.back().condition) return;
    std::vector<Boxes> written(branches.size());
    for (std::size_t b = 0; b < branches.size(); ++b) {
      on_region(branches[b].region(), written[b]);
      const SymbolSet changing = assigned_symbols(branches[b].region());
      std::erase_if(written[b], [&](const Subset& box) { return mentions_any(box, changing); });
      if (written[b].empty()) return;
    }
    const Data& data = *sdfg_.find_data(name_);
    for (Subset& box : written.front())
      if (std::all_of(written.begin() + 1, written.end(),
                      [&](const Boxes& other) { return is_written(data, box, other); }))
        out.push_back(std::move(box));
  }

  /// May control leave the region around from within the block?
  static bool may_jump(const Block& block) {
    if (is_jump(block) || block.is<OtherBlock>()) return true;
    if (const Region* inner = block.region()) return find_jump(*inner, block.is<LoopRegion>());
    const auto* conditional = block.as<ConditionalBlock>();
    return conditional && std::ranges::any_of(conditional->branches, [](const Branch& b) {
             return find_jump(b.region()) != nullptr;
           });
  }

  const Sdfg& sdfg_;
  const std::string& name_;
  const int level_;
};

/// Does the nested SDFG write all that the memlet at its connector names?
bool writes_inside(const Sdfg& sdfg, const NestedSdfg& nested, const std::string& connector,
                   const Memlet& memlet, const Assumptions& known, int level) {
  const Data* outside = sdfg.find_data(memlet.data);
  const Data* found = nested.sdfg ? (**nested.sdfg).arrays.get(connector) : nullptr;
  if (level == most_levels || !outside || !found) return false;
  Boxes boxes = Inside(**nested.sdfg, connector, level + 1).of(**nested.sdfg);
  if (boxes.empty()) return false;
  // What a name that is handed in under its own means is the same outside.
  const Substitution symbols = mapped_values(nested);
  SymbolSet unknown;
  for (const Subset& box : boxes) collect_symbols(box, unknown);
  for (const auto& [name, value] : symbols) unknown.erase(name);
  Data inside = *found;
  substitute(inside, symbols);
  const auto view = window(inside, *outside, *memlet.dst_subset);
  if (!view) return false;
  Boxes written;
  for (const Subset& box : boxes)
    if (box.rank() == inside.shape.size() && !mentions_any(box, unknown))
      written.push_back(view->to_outer(substitute(box, symbols)));
  return is_written(*outside, *memlet.dst_subset, written, known);
}

/// The same for the container that a view looks at: wherever the whole view was written.
bool writes_view(const Sdfg& sdfg, const State& state, EdgeId edge, NodeId node,
                 const Assumptions& known, int level) {
  const Data* data = sdfg.find_data(state.get<AccessNode>(node).data);
  if (!data) return false;
  if (!data->is_view() || viewed_edge(sdfg, state, node) != edge) return true;
  return std::ranges::any_of(state.in(node), [&](EdgeId e) {
    const auto box = written_by(sdfg, state, e, known, level);
    return box && is_whole(*data, *box);
  });
}

/// What the innermost edge of a path writes.
std::optional<Subset> written_by_leaf(const Sdfg& sdfg, const State& state, EdgeId leaf,
                                      const Assumptions& known, int level) {
  const Memlet& memlet = state[leaf].memlet;
  if (memlet.empty() || memlet.dynamic) return std::nullopt;
  const NodeId from = state.source(leaf);
  const Node& source = state[from];
  if (source.is<AccessNode>()) {
    if (!writes_view(sdfg, state, leaf, from, known, level)) return std::nullopt;
    if (memlet.dst_subset) return memlet.dst_subset;
    const auto sides = copy_sides(sdfg, state, leaf);
    return sides ? std::optional(sides->dst) : std::nullopt;
  }
  const auto& subset = memlet.dst_subset;
  if (!subset) return std::nullopt;
  bool writes = false;
  if (source.is<Tasklet>())  // which may skip elements of a range
    writes = num_elements(*subset) == Expr(1);
  else if (source.is<LibraryNode>())
    writes = !reads_its_output(source);
  else if (const auto* nested = source.as<NestedSdfg>())
    writes = writes_inside(sdfg, *nested, state[leaf].src_connector, memlet, known, level);
  return writes ? subset : std::nullopt;
}

std::optional<Subset> written_by(const Sdfg& sdfg, const State& state, EdgeId edge,
                                 const Assumptions& known, int level) {
  const auto path = edges_from(state, edge, state.target(edge));
  // One edge per level: connectors have one.
  for (const PathEdge& each : path)
    if (state[each.edge].memlet.wcr) return std::nullopt;
  auto subset = written_by_leaf(sdfg, state, path.back().edge, known, level);
  for (std::size_t i = path.size() - 1; subset && i-- > 0;) {
    const auto* exit = state[state.source(path[i].edge)].as<MapExit>();
    const auto* map = exit ? state[exit->entry].as<MapEntry>() : nullptr;
    if (!map) return std::nullopt;
    SymbolSet bound(map->params.begin(), map->params.end());
    if (mentions_any(Subset{map->ranges}, bound)) return std::nullopt;
    subset = filled(*subset, map->params, map->ranges, known);
    for (const auto& [name, type] : state[exit->entry].in_connectors) bound.insert(name);
    if (subset && mentions_any(*subset, bound)) return std::nullopt;
  }
  return subset;
}

}  // namespace

std::optional<Subset> certainly_written(const Sdfg& sdfg, const State& state, EdgeId edge,
                                        const Assumptions& known) {
  return written_by(sdfg, state, edge, known, 0);
}

bool writes_all(const Sdfg& sdfg, const State& state, EdgeId edge, const Subset& box,
                const Assumptions& known) {
  const auto written = certainly_written(sdfg, state, edge, known);
  return written && (*written == box || certain(covers(*written, box, known)));
}

bool writes_container(const Sdfg& sdfg, const Region& region, const std::string& container) {
  const Data& data = sdfg.arrays.at(container);
  return is_written(data, all_elements(data), Inside(sdfg, container, 0).of(region));
}

bool is_whole(const Data& data, const Subset& subset) {
  return subset == all_elements(data);
}

bool is_written(const Data& data, const std::optional<Subset>& read,
                const std::vector<Subset>& writes, const Assumptions& known) {
  // Accesses lie within their container.
  if (std::ranges::any_of(writes, [&](const Subset& w) { return is_whole(data, w); })) return true;
  if (!read) return false;
  constexpr std::size_t most_parts = 16;
  std::vector<Subset> left{*read};
  for (const Subset& write : writes) {
    std::vector<Subset> parts;
    for (const Subset& part : left)
      if (auto rest = difference(part, write, known))
        std::ranges::move(*rest, std::back_inserter(parts));
      else
        parts.push_back(part);
    if (parts.empty()) return true;
    if (parts.size() <= most_parts) left = std::move(parts);
  }
  return false;
}

}  // namespace sdfg
