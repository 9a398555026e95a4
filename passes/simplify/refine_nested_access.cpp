#include "passes/simplify/refine_nested_access.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/propagate.h"
#include "ir/analysis/scope_tree.h"
#include "ir/walk.h"
#include "passes/common/assume.h"
#include "passes/common/loop_range.h"
#include "passes/loops/loop_body.h"
#include "passes/loops/nest_region.h"
#include "passes/loops/region_accesses.h"
#include "passes/simplify/inline_plan.h"

namespace sdfg {
namespace {

/// More than one element, counted from 0: there may be something to narrow.
bool is_wide(const Data& data) {
  const auto* array = std::get_if<Array>(&data.kind);
  const auto is_zero = [](const Expr& e) { return e == Expr(0); };
  return array && array->role == Role::Plain && !data.transient && is_zero(array->start_offset) &&
         std::ranges::all_of(array->offset, is_zero) &&
         std::ranges::any_of(data.shape, [](const Expr& extent) { return extent != Expr(1); });
}

class Refiner {
 public:
  explicit Refiner(PassContext& context) : context_(context) {}

  Changed on_region(Sdfg& sdfg, Region& region, const Trail& trail, const Assumptions& known) {
    Changed changed = Changed::No;
    for (BlockId id : region.nodes()) {
      Block& block = region[id];
      const Trail here = trail.in(block);
      if (auto* state = block.as<State>()) {
        changed |= on_state(sdfg, *state, here, known);
      } else if (auto* conditional = block.as<ConditionalBlock>()) {
        for (Branch& branch : conditional->branches)
          changed |= on_region(sdfg, branch.region(), here.in(branch.block), known);
      } else if (Region* inner = block.region()) {
        const auto* loop = block.as<LoopRegion>();
        changed |= on_region(sdfg, *inner, here, loop ? in_loop(sdfg, *loop, known) : known);
      }
    }
    return changed;
  }

 private:
  Assumptions in_loop(const Sdfg& sdfg, const LoopRegion& loop, const Assumptions& known) {
    Assumptions inside = known;
    const auto range = ranges_.try_emplace(&sdfg, sdfg).first->second.of(loop);
    if (range && !range->inverted && !check_iterations(loop, *range)) assume_loop(*range, inside);
    return inside;
  }

  Changed on_state(Sdfg& sdfg, State& state, const Trail& trail, const Assumptions& known) {
    if (state.nodes_of<NestedSdfg>().empty()) return Changed::No;
    const ScopeTree tree = scope_tree_of(state);
    Changed changed = Changed::No;
    std::set<NodeId> around;  // entries of scopes whose memlets follow
    for (NodeId n : state.nodes_of<NestedSdfg>()) {
      auto& nested = state.get<NestedSdfg>(n);
      if (!nested.sdfg) continue;
      Assumptions here = known;
      assume_scopes(state, tree, n, here);
      const Assumptions inside = assumptions_inside(sdfg, nested, here);
      const Trail at = trail.in(state, n);
      changed |= on_region(**nested.sdfg, **nested.sdfg, at, inside);
      if (refine(sdfg, state, n, at, inside) == Changed::No) continue;
      changed = Changed::Yes;
      for (NodeId entry : tree.enclosing(n)) around.insert(entry);
    }
    propagate_memlets(sdfg, state, {around.begin(), around.end()}, known);
    return changed;
  }

  Changed refine(const Sdfg& sdfg, State& state, NodeId node, const Trail& trail,
                 const Assumptions& inside) {
    auto& nested = state.get<NestedSdfg>(node);
    Sdfg& inner = **nested.sdfg;
    std::vector<std::string> wide;
    for (const auto& [name, data] : inner.arrays)
      if (is_wide(data)) wide.push_back(name);
    if (wide.empty()) return Changed::No;
    SideEffects effects;
    LoopRanges& ranges = ranges_.try_emplace(&inner, inner).first->second;
    const RegionAccesses accesses = region_accesses(inner, inner, inside, effects, ranges);
    Refusal why = accesses.refusal;
    InlinePlan plan{.symbols = symbol_values(nested, sdfg)};
    if (!why) why = plan.connect(sdfg, state, node);
    if (why) {
      context_.refused(trail, why);
      return Changed::No;
    }
    const SymbolSet hidden = known_inside_only(sdfg, nested);
    Changed changed = Changed::No;
    for (const std::string& name : wide) {
      const auto used = accesses.by_container.find(name);
      const Connection* connection = plan.at(name);
      if (used == accesses.by_container.end() || !connection) continue;
      if (accesses.named.contains(name)) {
        context_.refused(trail, "'" + name + "' is read by name");
        continue;
      }
      const Subset whole = all_elements(inner.arrays.at(name));
      const Subset box = box_of(inner.arrays.at(name), used->second, inside);
      const Subset part = part_in_use(whole, box, hidden, inside);
      if (part == whole || connection->window.lost(part)) continue;
      if (!context_.may_apply()) break;
      const Subset outside = seen_outside(*connection, whole, part, plan.symbols);
      context_.applied(trail, "of '" + name + "', [" + to_text(part) + "] is enough");
      for (const auto& edge : {connection->in, connection->out})
        if (edge) set_subset(state[*edge].memlet, outside);
      inner.arrays.at(name) = windowed(inner.arrays.at(name), part);
      for_each_state(inner, [&](State& body) { shift_subsets(body, name, part, true); });
      changed = Changed::Yes;
    }
    if (changed == Changed::Yes)
      for_each_state(inner, [&](State& body) { refit_scopes(inner, body); });
    return changed;
  }

  /// Names that a memlet outside cannot use: constants of the nested SDFG, and symbols whose value
  /// is read from a container.
  static SymbolSet known_inside_only(const Sdfg& sdfg, const NestedSdfg& nested) {
    SymbolSet out;
    for (const auto& [name, constant] : (*nested.sdfg)->constants) out.insert(name);
    for (const auto& [name, value] : nested.symbol_mapping)
      for (const std::string& read : free_symbols(value))
        if (sdfg.arrays.contains(read)) out.insert(name);
    return out;
  }

  /// The box of all accesses; the whole of dimensions where it is not certainly inside and smaller,
  /// or cannot be said outside.
  static Subset part_in_use(const Subset& whole, const Subset& box, const SymbolSet& hidden,
                            const Assumptions& known) {
    Subset part = whole;
    for (std::size_t d = 0; d < part.rank(); ++d) {
      const Subset range{{box[d]}};
      SymbolSet names;
      collect_symbols(range, names);
      if (certain(covers(Subset{{whole[d]}}, range, known)) &&
          !certain(equal(box[d].size(), whole[d].size(), known)) &&
          std::ranges::none_of(names, [&](const auto& name) { return hidden.contains(name); }))
        part[d] = box[d];
    }
    return part;
  }

  /// The part in the coordinates of the container outside, whose other dimensions stay as they are.
  static Subset seen_outside(const Connection& connection, const Subset& whole, const Subset& part,
                             const Substitution& symbols) {
    const Window& window = connection.window;
    Subset outside = window.to_outer(substitute(part, symbols));
    for (std::size_t d = 0; d < outside.rank(); ++d) {
      const auto inner = window.inner[d] ? window.inner[d] : window.single[d];
      if (!inner || part[*inner] == whole[*inner]) outside[d] = window.subset[d];
    }
    return outside;
  }

  /// A memlet that moved all of its subset still does.
  static void set_subset(Memlet& memlet, Subset subset) {
    if (memlet.volume == num_elements(*memlet.subset())) memlet.volume = num_elements(subset);
    memlet.subset() = std::move(subset);
  }

  PassContext& context_;
  std::map<const Sdfg*, LoopRanges> ranges_;  ///< looked up only
};

}  // namespace

Result<Changed> RefineNestedAccess::run(Sdfg& sdfg, const Options&, PassContext& context) {
  return Refiner(context).on_region(sdfg, sdfg, {}, context.assumptions());
}

}  // namespace sdfg
