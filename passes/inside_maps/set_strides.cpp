#include "passes/inside_maps/set_strides.h"

#include <algorithm>
#include <map>
#include <memory>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/scope_tree.h"
#include "ir/walk.h"
#include "passes/common/accesses.h"
#include "passes/common/assume.h"
#include "passes/common/connector_index.h"
#include "passes/common/copy.h"
#include "passes/common/relayout.h"
#include "passes/common/walk_states.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Strides of a packed array whose dimensions lie in this order, the slowest first.
std::vector<Expr> packed(const std::vector<Expr>& shape, const std::vector<std::size_t>& order) {
  std::vector<Expr> strides(shape.size(), 1);
  Expr size = 1;
  for (std::size_t at = order.size(); at-- > 0;) {
    strides[order[at]] = size;
    size = size * shape[order[at]];
  }
  return strides;
}

/// The dimension first, and behind it the others: those of a column-major array for the first one,
/// else as in C.
std::vector<std::size_t> order_with_fastest(std::size_t rank, std::size_t fastest) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < rank; ++d)
    if (d != fastest) order.push_back(d);
  if (fastest == 0) std::ranges::reverse(order);
  order.push_back(fastest);
  return order;
}

/// How often each dimension of a container is indexed by a parameter that should run fastest.
using Votes = std::map<std::string, std::vector<std::size_t>>;

class LayoutChooser {
 public:
  LayoutChooser(Sdfg& sdfg, const SetStrides::Options& options, PassContext& context,
                const Trail& trail)
      : sdfg_(sdfg), accesses_(sdfg), options_(options), context_(context), trail_(trail) {}

  Changed run() {
    for_each_state(sdfg_, [&](State& state) { vote(state); });
    for (auto& [name, data] : sdfg_.arrays) consider(name, data);
    return changed_;
  }

 private:
  // ---- Which dimension.

  void vote(const State& state) {
    const auto tree = scope_tree(state);
    if (!tree) return;
    for (NodeId n : state.nodes_of<AccessNode>())
      if (tree->parent_of(n) != NodeId{}) scoped_.insert(state.get<AccessNode>(n).data);
    for (EdgeId e : state.edges()) {
      const NodeId from = state.source(e), to = state.target(e);
      if (state[to].is_entry() || state[from].is_exit() || state[e].memlet.empty()) continue;
      const Memlet& memlet = state[e].memlet;
      const Data* data = sdfg_.find_data(memlet.data);
      if (!data || !is_candidate(*data) || !memlet.subset()) continue;
      if (memlet.subset()->rank() != data->shape.size()) continue;
      const NodeId scope = state[from].is_entry() ? from : tree->parent_of(from);
      const SymbolSet fast = fast_parameters(state, *tree, scope);
      if (fast.empty()) continue;
      auto& votes = votes_[memlet.data];
      votes.resize(data->shape.size());
      for (std::size_t d = 0; d < votes.size(); ++d)
        for (const std::string& p : fast)
          if (uses_symbol((*memlet.subset())[d].begin, p))
            if (const auto affine = match_affine((*memlet.subset())[d].begin, p))
              if (affine->coefficient == Expr(1) || affine->coefficient == Expr(-1)) ++votes[d];
    }
  }

  SymbolSet fast_parameters(const State& state, const ScopeTree& tree, NodeId scope) const {
    SymbolSet out;
    for (; scope != NodeId{}; scope = tree.parent_of(scope)) {
      const auto* map = state[scope].as<MapEntry>();
      if (!map || map->params.empty()) continue;
      if (options_.unit_strides_kind == DimensionKind::Unspecified) {
        // The outermost map is what runs side by side.
        if (tree.parent_of(scope) == NodeId{}) out.insert(map->params.back());
        continue;
      }
      for (const std::string& p : map->params)
        if (is_of_kind(p, options_.unit_strides_kind)) out.insert(p);
    }
    return out;
  }

  std::optional<std::size_t> fastest(const std::string& name, const Data& data) const {
    const auto found = votes_.find(name);
    if (found != votes_.end()) {
      const auto best = std::ranges::max_element(found->second);
      if (*best > 0) return std::size_t(best - found->second.begin());
    }
    switch (options_.unit_strides_kind) {
      case DimensionKind::Unspecified:
        return std::nullopt;
      case DimensionKind::Horizontal:
        return 0;
      default:
        return data.shape.size() - 1;
    }
  }

  // ---- Doing it.

  static bool is_candidate(const Data& data) {
    return data.transient && data.as_array() && data.role() == Role::Plain &&
           data.shape.size() > 1 && data.storage != Storage::Register &&
           std::holds_alternative<Array>(data.kind);
  }

  void consider(const std::string& name, Data& data) {
    if (!is_candidate(data) || scoped_.contains(name)) return;
    const auto dimension = fastest(name, data);
    if (!dimension) return;
    Array& array = *data.as_array();
    std::vector<Expr> strides =
        packed(data.shape, order_with_fastest(data.shape.size(), *dimension));
    if (strides == array.strides) return;
    const NewStrides layout{data, {strides.begin(), strides.end()}};
    Refusal why = check(data);
    if (!why) why = check_constant(strides);
    if (!why) why = follow(name, layout, Relayout::Mode::Check);
    if (why) return context_.refused(trail_, quoted(name) + " stays as it is: " + why.reason());
    if (!context_.may_apply()) return;
    context_.applied(trail_, "dimension " + std::to_string(*dimension) + " of " + quoted(name) +
                                 " has stride 1");
    const Refusal none = follow(name, layout, Relayout::Mode::Apply);
    SDFG_ASSERT(!none) << none.reason();
    array.strides = std::move(strides);
    array.total_size = num_elements(Subset::whole(data.shape));
    changed_ = Changed::Yes;
  }

  /// Two dimensions with the strides of a larger array, of which this one was a part: it ends with
  /// its last element, so that the gaps are no padding.
  static bool is_cut(const Data& data) {
    const std::vector<Expr>& strides = data.as_array()->strides;
    if (data.shape.size() != 2) return false;
    const Expr spanned = elements_spanned(data.shape, strides);
    if (!(data.as_array()->total_size - spanned == Expr(0))) return false;
    for (std::size_t d = 0; d < 2; ++d)
      if (strides[d] == Expr(1) && certain(less_equal(data.shape[d], strides[1 - d]))) return true;
    return false;
  }

  Refusal check(const Data& data) const {
    const Array& array = *data.as_array();
    const auto zero = [](const Expr& e) { return e == Expr(0); };
    if (!std::ranges::all_of(array.offset, zero) || array.start_offset != Expr(0))
      return "it does not begin at its first element";
    const std::size_t rank = data.shape.size();
    for (std::size_t d = 0; d < rank; ++d)
      if (array.strides == packed(data.shape, order_with_fastest(rank, d))) return {};
    if (is_cut(data)) return {};
    return "its strides were chosen for another reason";
  }

  /// What the container holds may be read behind an assignment.
  Refusal check_constant(const std::vector<Expr>& strides) {
    if (!assigned_) assigned_ = assigned_symbols(sdfg_);
    for (const std::string& name : symbols_of(strides))
      if (assigned_->contains(name))
        return "its strides would depend on '" + name + "', which is assigned";
    return {};
  }

  /// Asks, or tells, everything that gets the container's address.
  Refusal follow(const std::string& name, const NewStrides& layout, Relayout::Mode mode) {
    Relayout relayout(mode);
    for (const AccessSite& site : accesses_.sites(name)) {
      State& state = *site.state;
      ConnectorIndex& index = index_of(state);
      for (const bool read : {false, true})
        for (EdgeId e : read ? state.out(site.node) : state.in(site.node)) {
          if (state[e].memlet.empty()) continue;
          for (EdgeId leaf : index.leaves(e, read)) {
            const NodeId end = read ? state.target(leaf) : state.source(leaf);
            if (state[end].is<AccessNode>() && !is_view(state, end)) continue;  // a copy
            const Memlet& memlet = state[leaf].memlet;
            const auto& subset = read ? memlet.src_subset : memlet.dst_subset;
            if (!subset) return "the part that an edge means cannot be told";
            Refusal why = relayout.follow(sdfg_, state, leaf, read, *subset, layout, &accesses_);
            if (why) return why;
          }
        }
    }
    return {};
  }
  bool is_view(const State& state, NodeId node) const {
    const Data* data = sdfg_.find_data(state.get<AccessNode>(node).data);
    return !data || data->role() != Role::Plain;
  }
  ConnectorIndex& index_of(const State& state) {
    auto& index = indices_[&state];
    if (!index) index = std::make_unique<ConnectorIndex>(state);
    return *index;
  }

  Sdfg& sdfg_;
  Accesses accesses_;
  const SetStrides::Options& options_;
  PassContext& context_;
  const Trail& trail_;
  Votes votes_;
  std::optional<SymbolSet> assigned_;
  SymbolSet scoped_;  ///< containers that live inside maps
  std::unordered_map<const State*, std::unique_ptr<ConnectorIndex>> indices_;
  Changed changed_ = Changed::No;
};

/// Outer SDFGs first: their containers give those behind connectors their strides.
Changed on_sdfg(Sdfg& sdfg, const SetStrides::Options& options, PassContext& context,
                const Trail& trail) {
  Changed changed = LayoutChooser(sdfg, options, context, trail).run();
  const auto on_block = [&](const auto& self, Block& block, const Trail& outer) -> void {
    const Trail here = outer.in(block);
    if (Region* region = block.region())
      for (BlockId b : region->nodes()) self(self, (*region)[b], here);
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches) self(self, branch.block, here);
    if (auto* state = block.as<State>())
      for (NodeId n : state->nodes_of<NestedSdfg>())
        if (auto* nested = (*state)[n].as<NestedSdfg>(); nested->sdfg)
          changed |= on_sdfg(**nested->sdfg, options, context, here.in(*state, n));
  };
  for (BlockId b : sdfg.nodes()) on_block(on_block, sdfg[b], trail);
  return changed;
}

}  // namespace

Result<Changed> SetStrides::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  return on_sdfg(sdfg, options, context, {});
}

}  // namespace sdfg
