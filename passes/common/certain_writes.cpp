#include "passes/common/certain_writes.h"

#include <algorithm>

#include "ir/analysis/propagate.h"
#include "ir/analysis/window.h"
#include "ir/graph_algorithms.h"
#include "ir/library_node.h"
#include "passes/common/blocks.h"
#include "passes/common/relayout.h"

namespace sdfg {
namespace {

/// A budget: so many SDFGs within one another are looked into.
constexpr int most_levels = 4;

bool writes_all(const Sdfg& sdfg, const State& state, EdgeId edge, NodeId node, const Subset& box,
                int level);

/// Does each point of the map give an own element in this dimension, one after the other?
bool follows(const Range& range, const std::string& param) {
  if (!range.is_index()) return false;
  const auto affine = match_affine(range.begin, param);
  return affine && (affine->coefficient == Expr(1) || affine->coefficient == Expr(-1));
}

/// Does a map, going through all its points, touch every element of the box around what one point
/// touches? A parameter that none of them depends on must have values.
bool fills_its_image(const Subset& subset, const MapEntry& map) {
  std::vector<bool> used(subset.rank());
  for (std::size_t p = 0; p < map.params.size(); ++p) {
    if (map.ranges[p].step != Expr(1)) return false;
    bool matters = false;
    for (std::size_t d = 0; d < subset.rank(); ++d) {
      const Range& r = subset[d];
      if (!uses_symbol(r.begin, map.params[p]) && !uses_symbol(r.end, map.params[p])) continue;
      if (used[d] || !follows(r, map.params[p])) return false;
      used[d] = matters = true;
    }
    if (!matters && !certain(less_equal(map.ranges[p].begin, map.ranges[p].end))) return false;
    const auto dims = std::ranges::count_if(subset.ranges, [&](const Range& r) {
      return uses_symbol(r.begin, map.params[p]);
    });
    if (dims > 1) return false;
  }
  return true;
}

/// Does the SDFG write all of the container whenever it runs? Looks at the states from the start on
/// that come one after the other.
bool writes_container(const Sdfg& sdfg, const std::string& name, int level) {
  const Data* data = sdfg.find_data(name);
  if (!data) return false;
  const std::optional<BlockId> first = start(sdfg);
  if (!first) return false;
  for (BlockId at = *first;;) {
    if (const auto* state = sdfg[at].as<State>())
      for (NodeId n : state->nodes_of<AccessNode>()) {
        if (state->get<AccessNode>(n).data != name) continue;
        for (EdgeId e : state->in(n))
          if (const auto& written = (*state)[e].memlet.dst_subset;
              written && is_whole(*data, *written) && !(*state)[e].memlet.dynamic &&
              writes_all(sdfg, *state, e, n, *written, level))
            return true;
      }
    // Only forward: a chain of blocks that each has one way in.
    const auto out = sdfg.out(at);
    if (may_return(sdfg[at]) || out.size() != 1 || !sdfg[out[0]].condition.always_true())
      return false;
    at = sdfg.target(out[0]);
    if (at == *first || sdfg.in(at).size() != 1) return false;
  }
}

/// Does an expression about what the map does mention a parameter or a dynamic range input of it?
bool mentions_bound_name(const Subset& subset, const MapEntry& map, const Connectors& inputs) {
  SymbolSet symbols;
  collect_symbols(subset, symbols);
  return std::ranges::any_of(symbols, [&](const std::string& symbol) {
    return inputs.contains(symbol) || std::ranges::find(map.params, symbol) != map.params.end();
  });
}

bool writes_all(const Sdfg& sdfg, const State& state, EdgeId edge, NodeId node, const Subset& box,
                int level) {
  const auto path = edges_from(state, edge, node);
  // One edge per level: no other writes join.
  for (std::size_t i = 0; i < path.size(); ++i)
    if (path[i].leaf != (i + 1 == path.size())) return false;
  const EdgeId leaf = path.back().edge;
  const Memlet& memlet = state[leaf].memlet;
  if (memlet.dynamic || memlet.wcr) return false;
  const Node& source = state[state.source(leaf)];
  if (const auto* nested = source.as<NestedSdfg>()) {
    const Data* data = sdfg.find_data(memlet.data);
    if (level == most_levels || !nested->sdfg || !data || !memlet.dst_subset ||
        !is_all_inside(*nested, state[leaf].src_connector, *memlet.dst_subset, *data) ||
        !writes_container(**nested->sdfg, state[leaf].src_connector, level + 1))
      return false;
  } else if (source.is<LibraryNode>()) {
    if (reads_its_output(source)) return false;
  } else if (!source.is<Tasklet>() && !source.is<AccessNode>()) {
    return false;
  }
  std::optional<Subset> subset = memlet.dst_subset;
  if (!subset) return false;
  for (std::size_t i = path.size() - 1; i-- > 0;) {
    const auto* exit = state[state.source(path[i].edge)].as<MapExit>();
    const auto* map = exit ? state[exit->entry].as<MapEntry>() : nullptr;
    if (!map || !fills_its_image(*subset, *map) ||
        mentions_bound_name(Subset{map->ranges}, *map, {}))
      return false;
    const auto ranges = image(*subset, map->params, map->ranges);
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      if (!ranges[d]) return false;
      (*subset)[d] = *ranges[d];
    }
    if (mentions_bound_name(*subset, *map, state[exit->entry].in_connectors)) return false;
  }
  return *subset == box;
}

}  // namespace

bool writes_all(const Sdfg& sdfg, const State& state, EdgeId edge, NodeId node, const Subset& box) {
  return writes_all(sdfg, state, edge, node, box, 0);
}

bool is_whole(const Data& data, const Subset& subset) {
  return subset == all_elements(data);
}

bool is_written(const Data& data, const std::optional<Subset>& read,
                const std::vector<Subset>& writes) {
  // Accesses lie within their container.
  if (std::ranges::any_of(writes, [&](const Subset& w) { return is_whole(data, w); })) return true;
  if (!read) return false;
  constexpr std::size_t most_parts = 16;
  std::vector<Subset> left{*read};
  for (const Subset& write : writes) {
    std::vector<Subset> parts;
    for (const Subset& part : left)
      if (auto rest = difference(part, write))
        std::ranges::move(*rest, std::back_inserter(parts));
      else
        parts.push_back(part);
    if (parts.empty()) return true;
    if (parts.size() <= most_parts) left = std::move(parts);
  }
  return false;
}

}  // namespace sdfg
