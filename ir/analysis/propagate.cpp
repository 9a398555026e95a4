#include "ir/analysis/propagate.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/scope_tree.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

bool mentions(const SymbolSet& names, const Expr& e) {
  return std::ranges::any_of(names, [&](const std::string& n) { return uses_symbol(e, n); });
}
bool mentions(const SymbolSet& names, const Range& r) {
  return mentions(names, r.begin) || mentions(names, r.end) || mentions(names, r.step) ||
         mentions(names, r.tile);
}

/// One map or consume scope seen from outside.
class ScopeMemlets {
 public:
  ScopeMemlets(const Sdfg& sdfg, State& state, NodeId entry, NodeId exit,
               const Assumptions& assumptions)
      : sdfg_(sdfg), state_(state), entry_(entry), exit_(exit), assumptions_(assumptions),
        map_(state[entry].as<MapEntry>()) {
    // What the scope itself defines is not known outside.
    for (const auto& [connector, type] : state[entry].in_connectors)
      if (!connector.starts_with("IN_")) inside_.insert(connector);
    if (map_) {
      inside_.insert(map_->params.begin(), map_->params.end());
      for (const Range& r : map_->ranges) iterations_ = iterations_ * r.size();
    } else if (const auto* consume = state[entry].as<ConsumeEntry>()) {
      inside_.insert(consume->pe_index);
    }
  }

  void propagate() {
    for (const EdgeId outer : state_.in(entry_))
      if (state_[outer].dst_connector.starts_with("IN_")) propagate(outer, true);
    if (!exit_) return;
    for (const EdgeId outer : state_.out(exit_))
      if (state_[outer].src_connector.starts_with("OUT_")) propagate(outer, false);
  }

 private:
  void propagate(EdgeId outer_id, bool into) {
    Memlet& outer = state_[outer_id].memlet;
    if (outer.empty()) return;
    const NodeId end = into ? path_source(state_, outer_id) : path_target(state_, outer_id);
    const auto* access = state_[end].as<AccessNode>();
    const std::string data = access ? access->data : outer.data;
    const Data* desc = sdfg_.find_data(data);
    const std::vector<const Memlet*> inner = inner_memlets(outer_id, into);
    if (inner.empty() || !desc) return;

    std::optional<Subset> all;
    Expr volume = 0;
    bool dynamic = false, unknown = !map_;
    for (const Memlet* m : inner) {
      Subset part = image_of(*m, data, *desc, into);
      all = all ? bounding_box(*all, part, assumptions_) : std::move(part);
      volume = volume + m->volume;
      dynamic = dynamic || m->dynamic;
      unknown = unknown || (m->dynamic && m->volume == Expr(0));
    }
    volume = volume * iterations_;
    if (unknown || mentions(inside_, volume)) {
      dynamic = true;
      volume = 0;
    }
    outer.data = data;
    outer.data_is_src = into;
    outer.subset() = std::move(all);
    outer.other_subset().reset();
    outer.volume = std::move(volume);
    outer.dynamic = dynamic;
    outer.wcr = inner.front()->wcr;
    outer.wcr_nonatomic = inner.front()->wcr_nonatomic;
  }

  std::vector<const Memlet*> inner_memlets(EdgeId outer, bool into) const {
    const std::string connector =
        matching_connector(into ? state_[outer].dst_connector : state_[outer].src_connector);
    std::vector<const Memlet*> out;
    for (const EdgeId e : into ? state_.out(entry_) : state_.in(exit_)) {
      const Edge& edge = state_[e];
      if ((into ? edge.src_connector : edge.dst_connector) == connector && !edge.memlet.empty())
        out.push_back(&edge.memlet);
    }
    return out;
  }

  Subset image_of(const Memlet& m, const std::string& data, const Data& desc, bool into) const {
    const Subset whole = all_elements(desc);
    const std::optional<Subset>* side = into ? &m.src_subset : &m.dst_subset;
    // Memlets of code name the container whichever end they are attached to.
    if (!*side && m.data == data) side = &m.subset();
    if (!map_ || !*side || (*side)->rank() != whole.rank()) return whole;
    const auto ranges = image(**side, map_->params, map_->ranges, assumptions_);
    Subset out = whole;
    for (std::size_t d = 0; d < out.rank(); ++d)
      if (ranges[d] && !mentions(inside_, *ranges[d])) out[d] = *ranges[d];
    return out;
  }

  const Sdfg& sdfg_;
  State& state_;
  NodeId entry_, exit_;
  const Assumptions& assumptions_;
  const MapEntry* map_;
  SymbolSet inside_;
  Expr iterations_ = 1;
};

/// What the maps around the entry say of their parameters.
Assumptions around(const State& state, const ScopeTree& tree, NodeId entry, Assumptions given) {
  for (const NodeId outer : tree.enclosing(entry)) {
    const auto* map = state[outer].as<MapEntry>();
    if (!map || map->params.size() != map->ranges.size()) continue;
    for (std::size_t p = 0; p < map->params.size(); ++p) {
      const Range& r = map->ranges[p];
      const auto step = r.step.as_integer();
      if (!step) continue;
      if (*step > 0) given.assume(map->params[p], r.begin, r.end);
      else given.assume(map->params[p], r.end, r.begin);
    }
  }
  return given;
}

}  // namespace

void propagate_memlets(const Sdfg& sdfg, State& state, const ScopeTree& tree, NodeId entry,
                       const Assumptions& assumptions) {
  if (const auto* map = state[entry].as<MapEntry>();
      map && map->params.size() != map->ranges.size())
    return;
  const Assumptions known = around(state, tree, entry, assumptions);
  ScopeMemlets(sdfg, state, entry, tree.exit_of(entry), known).propagate();
}

Subset all_elements(const Data& data) {
  Subset all = Subset::whole(data.shape);
  if (const Array* array = data.as_array(); array && array->offset.size() == all.rank())
    for (std::size_t d = 0; d < all.rank(); ++d) {
      all[d].begin = all[d].begin - array->offset[d];
      all[d].end = all[d].end - array->offset[d];
    }
  return all;
}

void propagate_memlets(const Sdfg& sdfg, State& state, NodeId entry,
                       const Assumptions& assumptions) {
  if (const auto tree = scope_tree(state))
    propagate_memlets(sdfg, state, *tree, entry, assumptions);
}

void propagate_memlets(const Sdfg& sdfg, State& state, const std::vector<NodeId>& entries,
                       const Assumptions& assumptions) {
  if (entries.empty()) return;
  const auto tree = scope_tree(state);
  if (!tree) return;
  std::vector<std::pair<std::size_t, NodeId>> by_depth;
  std::vector<std::size_t> depth(state.id_bound(), ~std::size_t(0));
  for (const NodeId n : entries) {
    // The parent's depth is found first, up to the first that is known.
    std::vector<NodeId> chain{n};
    while (depth[chain.back().value] == ~std::size_t(0) && tree->parent_of(chain.back()))
      chain.push_back(tree->parent_of(chain.back()));
    std::size_t d = depth[chain.back().value] == ~std::size_t(0) ? 0 : depth[chain.back().value];
    for (std::size_t i = chain.size(); i-- > 0; ++d) depth[chain[i].value] = d;
    by_depth.emplace_back(depth[n.value], n);
  }
  std::ranges::stable_sort(by_depth,
                           [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [level, entry] : by_depth)
    propagate_memlets(sdfg, state, *tree, entry, assumptions);
}

void propagate_memlets(const Sdfg& sdfg, State& state, const Assumptions& assumptions) {
  std::vector<NodeId> entries;
  for (const NodeId n : state.nodes())
    if (state[n].is_entry()) entries.push_back(n);
  propagate_memlets(sdfg, state, entries, assumptions);
}

void propagate_memlets(Sdfg& sdfg, const Assumptions& assumptions) {
  for_each_sdfg(sdfg, [&](Sdfg& inner) {
    for_each_state(inner, [&](State& state) {
      // Symbols of a nested SDFG are others, even where the names agree.
      propagate_memlets(inner, state, &inner == &sdfg ? assumptions : Assumptions{});
    });
  });
}

}  // namespace sdfg
