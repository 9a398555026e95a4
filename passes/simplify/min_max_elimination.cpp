#include "passes/simplify/min_max_elimination.h"

#include <algorithm>
#include <unordered_map>

#include "ir/code_indices.h"
#include "ir/walk.h"
#include "passes/common/assume.h"
#include "passes/common/versions.h"

namespace sdfg {
namespace {

/// Rewrites the expressions of one SDFG. The same expression is decided once.
class Resolver {
 public:
  Resolver(Sdfg& sdfg, const Assumptions& assumptions) : sdfg_(sdfg), assumptions_(assumptions) {
    for_each_node(sdfg, [&](const Node& node) {
      if (const auto* map = node.as<MapEntry>())
        local_.insert(map->params.begin(), map->params.end());
      if (const auto* consume = node.as<ConsumeEntry>()) local_.insert(consume->pe_index);
      if (node.is_entry())
        for (const auto& [name, type] : node.in_connectors) local_.insert(name);
    });
  }

  Changed run() {
    for (auto& [name, data] : sdfg_.arrays)
      if (data.transient) on(data);
    for_each_node(sdfg_, [&](Node& node) {
      if (auto* map = node.as<MapEntry>())
        for (Range& range : map->ranges) on(range);
      if (auto* nested = node.as<NestedSdfg>())
        for (auto& [name, value] : nested->symbol_mapping) on(value);
    });
    for_each_edge(sdfg_, [&](Edge& edge) {
      for (auto* subset : {&edge.memlet.src_subset, &edge.memlet.dst_subset})
        if (*subset)
          for (Range& range : (*subset)->ranges) on(range);
      on(edge.memlet.volume);
    });
    return changed_;
  }

 private:
  void on(Data& data) {
    for (Expr& extent : data.shape) on(extent);
    if (Array* array = data.as_array()) {
      for (Expr& stride : array->strides) on(stride);
      on(array->total_size);
    }
  }
  void on(Range& range) {
    for (Expr* e : {&range.begin, &range.end, &range.step, &range.tile}) on(*e);
  }
  void on(Expr& e) {
    if (!has_extremum(e)) return;
    const Expr resolved = resolve(e);
    if (resolved.same(e) || resolved == e) return;
    e = resolved;
    changed_ = Changed::Yes;
  }

  Expr resolve(const Expr& e) {
    if (e.args().empty()) return e;
    if (const auto known = known_.find(e); known != known_.end()) return known->second;
    std::vector<Expr> args;
    bool same = true;
    for (const Expr& arg : e.args()) {
      args.push_back(resolve(arg));
      same = same && args.back().same(arg);
    }
    Expr out = same ? e : simplify(Expr::make(e.op(), std::move(args), e.name()));
    if ((out.is(Op::Min) || out.is(Op::Max)) && is_global(out)) out = winners(out);
    known_.emplace(e, out);
    return out;
  }

  bool is_global(const Expr& e) const {
    const SymbolSet names = free_symbols(e);
    return std::ranges::none_of(names, [&](const auto& name) { return local_.contains(name); });
  }

  /// The arguments that no other argument dominates.
  Expr winners(const Expr& e) {
    std::vector<Expr> left(e.args().begin(), e.args().end());
    for (std::size_t i = 0; i < left.size() && left.size() > 1;) {
      const bool loses = std::ranges::any_of(left, [&](const Expr& other) {
        if (&other == &left[i]) return false;
        return certain(e.is(Op::Max) ? less_equal(left[i], other, assumptions_)
                                     : less_equal(other, left[i], assumptions_));
      });
      loses ? void(left.erase(left.begin() + std::ptrdiff_t(i))) : void(++i);
    }
    return left.size() == 1 ? left[0] : simplify(Expr::make(e.op(), std::move(left)));
  }

  struct Hash {
    std::size_t operator()(const Expr& e) const { return e.hash(); }
  };
  Sdfg& sdfg_;
  const Assumptions& assumptions_;
  SymbolSet local_;  ///< parameters of maps and the like
  std::unordered_map<Expr, Expr, Hash> known_;  ///< looked up, never iterated
  Changed changed_ = Changed::No;
};

Changed on_sdfg(Sdfg& sdfg, const Trail& trail, const Assumptions& assumptions,
                PassContext& context) {
  Changed changed = Changed::No;
  if (!assumptions.empty()) {
    if (!context.may_apply()) return changed;
    CodeIndices indices;
    for_each_state(sdfg, [&](State& state) { indices.add(state); });
    changed = Resolver(sdfg, assumptions).run();
    if (changed == Changed::Yes) {
      indices.settle();
      context.applied(trail, "minima and maxima are their winners");
    }
  }
  for_each_nested_sdfg(sdfg, [&](NestedSdfg& nested, State& state, NodeId n) {
    changed |= on_sdfg(**nested.sdfg, trail.in(state, n),
                       assumptions_inside(sdfg, nested, assumptions), context);
  });
  return changed;
}

}  // namespace

Result<Changed> MinMaxElimination::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return on_sdfg(sdfg, {}, context.assumptions(), context);
}

}  // namespace sdfg
